package dev.spillway.adapters.secrets;

import static dev.spillway.adapters.Samples.TENANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamKey;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;
import software.amazon.awssdk.services.secretsmanager.model.GetSecretValueRequest;
import software.amazon.awssdk.services.secretsmanager.model.GetSecretValueResponse;

class SecretTokensTest {
    private Instant now = Instant.parse("2026-11-29T09:00:00Z");
    private final Store store = new Store();
    private final SecretTokens tokens = new SecretTokens(store, () -> now);

    private static final class Store implements SecretsManagerClient {
        private String text = "{\"authToken\":\"one\"}";
        private boolean broken;
        private int readings;

        @Override
        public GetSecretValueResponse getSecretValue(GetSecretValueRequest request) {
            readings++;
            assertThat(request.secretId()).startsWith("spillway/");
            if (broken) {
                throw SdkClientException.create("cannot connect");
            }
            return GetSecretValueResponse.builder().secretString(text).build();
        }

        @Override
        public String serviceName() {
            return "secretsmanager";
        }

        @Override
        public void close() {}
    }

    @Test
    void the_current_token_comes_first_and_then_the_next_one() {
        store.text = "{\"nextAuthToken\":\"two\",\"authToken\":\"one\",\"more\":{}}";

        assertThat(tokens.of(TENANT)).containsExactly("one", "two");
    }

    @Test
    void a_rotated_token_is_found_after_a_refresh_which_is_done_once_in_five_seconds() {
        tokens.of(TENANT);
        store.text = "{\"authToken\":\"two\"}";
        assertThat(tokens.of(TENANT)).containsExactly("one");

        tokens.refresh(TENANT);
        assertThat(tokens.of(TENANT)).containsExactly("two");

        now = now.plusSeconds(4);
        tokens.refresh(TENANT);
        tokens.of(TENANT);
        assertThat(store.readings).isEqualTo(2);

        now = now.plusSeconds(1);
        tokens.refresh(TENANT);
        tokens.of(TENANT);
        assertThat(store.readings).isEqualTo(3);
    }

    @Test
    void a_copy_lives_for_five_minutes_and_longer_while_the_store_is_down() {
        tokens.of(TENANT);
        store.text = "{\"authToken\":\"two\"}";

        now = now.plusSeconds(299);
        assertThat(tokens.of(TENANT)).containsExactly("one");
        store.broken = true;
        now = now.plusSeconds(3600);
        assertThat(tokens.of(TENANT)).containsExactly("one");
        store.broken = false;
        now = now.plusSeconds(5);
        assertThat(tokens.of(TENANT)).containsExactly("two");
    }

    @Test
    void a_store_that_is_down_from_the_start_is_told() {
        store.broken = true;

        assertThatThrownBy(() -> tokens.of(TENANT))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("cannot be reached");
    }

    @Test
    void a_wrong_secret_is_told_without_what_is_in_it() {
        for (String text :
                new String[] {"s3cret", "{\"authToken\":s3cret}", "[\"s3cret\"]", "{\"token\":\"s3cret\"}"}) {
            store.text = text;

            assertThatThrownBy(() -> tokens.of(TENANT))
                    .isInstanceOf(DependencyException.class)
                    .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("s3cret"));
        }
    }

    private static String stackTrace(Throwable e) {
        java.io.StringWriter text = new java.io.StringWriter();
        e.printStackTrace(new java.io.PrintWriter(text));
        return text.toString();
    }

    @Test
    void each_pool_has_its_own_key_of_the_stream_secret_which_is_read_once() {
        byte[] master = new byte[32];
        master[0] = 7;
        store.text = "{\"key\":\"" + Base64.getEncoder().encodeToString(master) + "\"}";
        StreamSecret secret = new StreamSecret(store, "spillway/stream");

        assertThat(secret.keyOf(PoolId.GATEWAY).bytes())
                .isEqualTo(StreamKey.derive(master, PoolId.GATEWAY).bytes());
        assertThat(secret.keyOf(new PoolId("acme")).bytes())
                .isEqualTo(StreamKey.derive(master, new PoolId("acme")).bytes())
                .isNotEqualTo(secret.keyOf(PoolId.GATEWAY).bytes());
        assertThat(store.readings).isEqualTo(1);
    }

    @Test
    void a_short_or_missing_stream_key_is_told_without_what_is_in_it() {
        for (String text : new String[] {"{}", "{\"key\":\"%%%\"}", "{\"key\":\"czNjcmV0\"}"}) {
            store.text = text;

            assertThatThrownBy(() -> new StreamSecret(store, "spillway/stream").keyOf(PoolId.GATEWAY))
                    .isInstanceOf(DependencyException.class)
                    .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("czNjcmV0"));
        }
    }
}
