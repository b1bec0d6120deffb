package dev.spillway.adapters.secrets;

import dev.spillway.adapters.copies.Copies;
import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamKey;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/**
 * The deployment's stream secret, JSON {@code {"key": "base64 of 32 bytes or more"}}, from which each pool's key is
 * derived. It is read once for a process, when a key is first needed: containers are given their key at their start, so
 * that a changed secret needs a deployment anyway.
 */
public final class StreamSecret {
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    private final SecretText secrets;
    private final String secretName;
    private final Copies<String, byte[]> master;
    private final Map<PoolId, StreamKey> keys = new ConcurrentHashMap<>();

    public StreamSecret(SecretsManagerClient client, String secretName) {
        this.secrets = new SecretText(client);
        this.secretName = secretName;
        this.master = new Copies<>(FOR_EVER, InstantSource.system(), this::read);
    }

    /**
     * The key of one pool.
     *
     * @throws DependencyException while the secret cannot be read, or if it is not as described above
     */
    public StreamKey keyOf(PoolId pool) {
        byte[] secret = master.get(secretName).orElseThrow();
        return keys.computeIfAbsent(pool, id -> StreamKey.derive(secret, id));
    }

    private Optional<byte[]> read(String name) {
        try {
            byte[] key = Base64.getDecoder()
                    .decode(SecretText.field(secrets.read(name), "key").orElse(""));
            if (key.length >= 32) {
                return Optional.of(key);
            }
        } catch (IllegalArgumentException e) {
            // Told below, without what was in it.
        }
        throw SecretText.wrong(name, "its key is not base64 of 32 bytes or more");
    }
}
