package dev.spillway.adapters.secrets;

import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import java.time.InstantSource;
import java.util.List;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/** Auth tokens from the tenants' secrets. */
public final class SecretTokens implements TwilioTokens {
    public SecretTokens(SecretsManagerClient client, InstantSource clock) {}

    @Override
    public List<String> of(Tenant tenant) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void refresh(Tenant tenant) {
        throw new UnsupportedOperationException();
    }
}
