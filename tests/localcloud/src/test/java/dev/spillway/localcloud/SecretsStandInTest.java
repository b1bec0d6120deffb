package dev.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;
import software.amazon.awssdk.services.secretsmanager.model.ResourceNotFoundException;

@Timeout(60)
class SecretsStandInTest {

    @Test
    void a_secret_is_read_by_name_or_arn_and_changes_its_version_when_rotated() {
        try (SecretsStandIn secrets = new SecretsStandIn(0);
                SecretsManagerClient client = AwsClients.secrets(secrets.url())) {
            secrets.put("acme/twilio", "first");
            var first = client.getSecretValue(get -> get.secretId("acme/twilio"));
            secrets.put("acme/twilio", "second");
            var second = client.getSecretValue(get -> get.secretId(SecretsStandIn.arn("acme/twilio")));

            assertThat(first.secretString()).isEqualTo("first");
            assertThat(second.secretString()).isEqualTo("second");
            assertThat(second.versionId()).isNotEqualTo(first.versionId());
            assertThatThrownBy(() -> client.getSecretValue(get -> get.secretId("nobody")))
                    .isInstanceOf(ResourceNotFoundException.class);
        }
    }

    @Test
    void while_down_nothing_is_answered() {
        try (SecretsStandIn secrets = new SecretsStandIn(0);
                SecretsManagerClient client = AwsClients.secrets(secrets.url())) {
            secrets.put("acme/twilio", "first");
            secrets.down(true);
            assertThatThrownBy(() -> client.getSecretValue(get -> get.secretId("acme/twilio")))
                    .isInstanceOf(SdkClientException.class);

            secrets.down(false);

            assertThat(client.getSecretValue(get -> get.secretId("acme/twilio")).secretString())
                    .isEqualTo("first");
        }
    }
}
