package dev.spillway.operator.twilio;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.secrets.SecretTokens;
import dev.spillway.core.DependencyException;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import dev.spillway.operator.twilio.NumberPlan.Step;
import java.time.InstantSource;

/** Reads tenants' numbers at Twilio, each tenant's with its own token, and sets them. */
public final class NumberPlanning implements AutoCloseable {
    private final DeploymentFiles files;
    private final SecretTokens tokens;
    private final TwilioNumbers twilio;

    /** Of one tenant. That one tenant's numbers cannot be read says nothing about another's. */
    public sealed interface Planned {
        TenantId tenant();

        record Known(TenantId tenant, NumberPlan plan) implements Planned {}

        /** @param reason without numbers and tokens */
        record Unknown(TenantId tenant, String reason) implements Planned {}
    }

    /** @param twilioUrl without a trailing slash */
    public NumberPlanning(DeploymentFiles files, AwsClients clients, String twilioUrl) {
        this.files = files;
        this.tokens = new SecretTokens(clients.secrets(), InstantSource.system());
        this.twilio = new TwilioNumbers(twilioUrl);
    }

    public Planned plan(TenantEntry tenant) {
        try {
            return new Planned.Known(
                    tenant.id(), NumberPlan.of(files, tenant, twilio.list(tenant.accountSid(), token(tenant))));
        } catch (DependencyException | IllegalStateException e) {
            return new Planned.Unknown(tenant.id(), String.valueOf(e.getMessage()));
        }
    }

    /** @throws IllegalStateException if Twilio does not answer, or refuses; the message names no number and no token */
    void set(TenantEntry tenant, Step.Change change) {
        twilio.set(tenant.accountSid(), token(tenant), change.sid(), change.to());
    }

    private String token(TenantEntry tenant) {
        Tenant named = new Tenant(
                tenant.id(),
                tenant.numbers(),
                tenant.accountSid(),
                files.tenantSecret(tenant.id()),
                new Persona("none", "none", "none", "none", "none"));
        return tokens.of(named).getFirst();
    }

    @Override
    public void close() {
        twilio.close();
    }
}
