package dev.spillway.system.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.secrets.SecretTokens;
import dev.spillway.adapters.secrets.StreamSecret;
import dev.spillway.core.DependencyException;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.localcloud.SecretsStandIn;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tokens and keys from a store that rotates, fails and comes back, on a hand-set clock. */
@Timeout(60)
class SecretsIT {
    private static final Tenant ACME = Samples.tenantWithSecret("spillway/acme");

    private static SecretsStandIn store;
    private static AwsClients clients;

    private Instant now = Sample.NOW;
    private SecretTokens tokens;

    @BeforeAll
    static void start() {
        store = new SecretsStandIn(0);
        clients = Wire.hastilyTo(store.url(), "SECRETS_MANAGER");
    }

    @AfterAll
    static void stop() {
        clients.close();
        store.close();
    }

    @BeforeEach
    void heal() {
        store.down(false);
        store.put("spillway/acme", "{\"authToken\":\"token-1\"}");
        store.put("spillway/stream", Samples.streamSecret(1));
        tokens = new SecretTokens(clients.secrets(), () -> now);
    }

    @Test
    void a_rotation_is_seen_after_a_refresh_and_not_before() {
        assertThat(tokens.of(ACME)).containsExactly("token-1");

        store.put("spillway/acme", "{\"authToken\":\"token-1\",\"nextAuthToken\":\"token-2\"}");
        assertThat(tokens.of(ACME)).containsExactly("token-1");
        tokens.refresh(ACME);
        assertThat(tokens.of(ACME)).containsExactly("token-1", "token-2");

        now = now.plusSeconds(5);
        store.put("spillway/acme", "{\"authToken\":\"token-2\"}");
        tokens.refresh(ACME);
        assertThat(tokens.of(ACME)).containsExactly("token-2");
    }

    @Test
    void without_a_refresh_a_rotation_is_seen_after_five_minutes() {
        tokens.of(ACME);
        store.put("spillway/acme", "{\"authToken\":\"token-2\"}");

        now = now.plusSeconds(299);
        assertThat(tokens.of(ACME)).containsExactly("token-1");
        now = now.plusSeconds(1);
        assertThat(tokens.of(ACME)).containsExactly("token-2");
    }

    @Test
    void while_the_store_is_down_a_copy_of_any_age_serves_and_afterwards_the_store_is_asked_again() {
        tokens.of(ACME);
        store.put("spillway/acme", "{\"authToken\":\"token-2\"}");
        store.down(true);

        tokens.refresh(ACME);
        assertThat(tokens.of(ACME)).containsExactly("token-1");
        now = now.plusSeconds(3_600);
        assertThat(tokens.of(ACME)).containsExactly("token-1");

        store.down(false);
        now = now.plusSeconds(5);
        assertThat(tokens.of(ACME)).containsExactly("token-2");
    }

    @Test
    void a_store_that_is_down_at_first_is_a_broken_dependency_until_it_is_back() {
        store.down(true);
        assertThatThrownBy(() -> tokens.of(ACME))
                .isInstanceOfSatisfying(
                        DependencyException.class,
                        e -> assertThat(e.dependency()).isEqualTo("secrets"));

        store.down(false);
        assertThat(tokens.of(ACME)).containsExactly("token-1");
    }

    @Test
    void a_wrong_secret_is_a_broken_dependency_that_does_not_tell_what_was_in_it() {
        store.put("spillway/acme", "{\"authtoken\":\"token-1\"}");

        assertThatThrownBy(() -> tokens.of(ACME))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("spillway/acme")
                .hasMessageNotContaining("token-1");
    }

    @Test
    void the_stream_secret_is_read_once_and_outlives_the_store() {
        var secret = new StreamSecret(clients.secrets(), "spillway/stream");
        byte[] gateway = secret.keyOf(PoolId.GATEWAY).bytes();
        store.put("spillway/stream", Samples.streamSecret(2));
        store.down(true);

        byte[] acme = secret.keyOf(Sample.ACME_POOL).bytes();

        assertThat(secret.keyOf(PoolId.GATEWAY).bytes()).isEqualTo(gateway);
        store.down(false);
        store.put("spillway/stream", Samples.streamSecret(1));
        assertThat(new StreamSecret(clients.secrets(), "spillway/stream")
                        .keyOf(Sample.ACME_POOL)
                        .bytes())
                .isEqualTo(acme)
                .isNotEqualTo(gateway);
    }

    @Test
    void a_stream_secret_that_cannot_be_read_is_asked_for_again() {
        var secret = new StreamSecret(clients.secrets(), "spillway/stream");
        store.down(true);
        assertThatThrownBy(() -> secret.keyOf(PoolId.GATEWAY)).isInstanceOf(DependencyException.class);

        store.down(false);
        assertThat(secret.keyOf(PoolId.GATEWAY).bytes()).hasSize(32);
    }
}
