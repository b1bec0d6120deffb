package dev.spillway.adapters.secrets;

import dev.spillway.adapters.aws.Failure;
import dev.spillway.core.DependencyException;
import dev.spillway.core.stream.StreamKey;
import java.util.Base64;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/** Where each pool's stream key lies for its containers: base64 and nothing else, as ECS hands it to them. */
public final class PoolKeySecrets {
    private final SecretsManagerClient client;

    public PoolKeySecrets(SecretsManagerClient client) {
        this.client = client;
    }

    /** @throws DependencyException if it could not be written */
    public void write(String secretName, StreamKey key) {
        String text = Base64.getEncoder().encodeToString(key.bytes());
        try {
            client.putSecretValue(request -> request.secretId(secretName).secretString(text));
        } catch (SdkException e) {
            throw Failure.of(e).toException("secrets", "writing secret " + secretName, e);
        }
    }
}
