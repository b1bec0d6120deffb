package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever fails, a caller who is surely the tenant's is answered, and nobody else is let in. */
class BadDaysTest {
    private static final String GATEWAY = "wss://gateway.streams.example.com/stream/acme/any/" + World.call() + "/";

    private final World world = new World().withGateway();
    private final CountDownLatch slow = new CountDownLatch(1);

    @AfterEach
    void letSlowOnesGo() {
        slow.countDown();
    }

    @Test
    void with_the_table_down_the_caller_reaches_the_gateway() {
        world.table.operations().failAll(operation -> operation.name().startsWith("CALLS_"));

        APIGatewayV2HTTPResponse response = world.fallback(Request.fallback());

        assertThat(response.getStatusCode()).isEqualTo(200);
        assertThat(response.getBody()).contains(GATEWAY + "1.").contains("/twilio/continue/acme/1#");
        assertThat(world.line().event()).isEqualTo("last-resort");
        assertThat(world.line().fields()).containsEntry("answer", "gateway");
        assertThat(world.line().metrics()).containsEntry(Metric.OVERFLOWS, 1.0).containsEntry(Metric.HOLDS, 1.0);
    }

    @Test
    void with_a_slow_table_the_caller_reaches_the_gateway_at_the_deadline() {
        world.deadline = Duration.ofMillis(200);
        world.table.operations().on(Operation.CALLS_BEGIN, 1, Moment.BEFORE, this::waitLong);

        APIGatewayV2HTTPResponse response = world.fallback(Request.fallback());

        assertThat(response.getBody()).contains(GATEWAY);
        assertThat(world.line().fields().get("reason")).isEqualTo("no answer within 200 ms");
    }

    @Test
    void the_flow_and_the_last_resort_together_stay_under_three_seconds() {
        assertThat(Switchboard.DEADLINE).isLessThanOrEqualTo(Duration.ofMillis(2500));
        assertThat(TenantLookup.BOUND).isLessThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void an_abandoned_flow_is_interrupted() {
        AtomicBoolean interrupted = new AtomicBoolean();
        world.deadline = Duration.ofMillis(100);
        world.table.operations().on(Operation.POOLS_READ, 1, Moment.BEFORE, () -> {
            try {
                waitLong();
            } catch (DependencyException e) {
                interrupted.set(true);
                throw e;
            }
        });

        world.fallback(Request.fallback());

        Awaitility.await().atMost(Duration.ofSeconds(5)).untilTrue(interrupted);
    }

    @Test
    void a_repeat_after_the_last_resort_is_answered_by_the_table() {
        world.table.operations().fail(Operation.CALLS_PLACE, 1, Moment.BEFORE);

        String lastResort = world.fallback(Request.fallback()).getBody();
        String repeat = world.fallback(Request.fallback()).getBody();

        assertThat(lastResort).contains("/acme/any/");
        assertThat(repeat).doesNotContain("/any/").contains("/1.");
    }

    @Test
    void a_continue_that_fails_goes_on_with_the_next_hop() {
        world.table.operations().failAll(operation -> true);

        APIGatewayV2HTTPResponse response = world.continued(Request.continued("4"));

        assertThat(response.getBody()).contains(GATEWAY + "5.").contains("/twilio/continue/acme/5#");
    }

    @Test
    void without_a_gateway_address_the_caller_hears_the_apology() {
        world.gatewayStreamUrl = null;
        world.table.operations().failAll(operation -> operation.name().startsWith("CALLS_"));

        assertApology(world.fallback(Request.fallback()));
    }

    @Test
    void without_the_stream_key_the_caller_hears_the_apology() {
        world.streamKeys = pool -> {
            throw new DependencyException("secrets", "down", new IllegalStateException());
        };

        assertApology(world.fallback(Request.fallback()));
    }

    @Test
    void with_the_directory_down_the_default_secret_authenticates() {
        world.table.operations().failAll(operation -> true);

        APIGatewayV2HTTPResponse response = world.fallback(Request.fallback());

        assertThat(response.getBody()).contains(GATEWAY);
        assertThat(world.line().fields().get("cause")).contains("numbers unchecked");
    }

    @Test
    void the_default_secret_is_the_deployments_own() {
        world.tenantSecrets = "burst/tenant/";
        world.tokens.secrets.put(
                "burst/tenant/acme", Objects.requireNonNull(world.tokens.secrets.remove("spillway/tenant/acme")));
        world.table.operations().failAll(operation -> true);

        assertThat(world.fallback(Request.fallback()).getBody()).contains(GATEWAY);
    }

    @Test
    void with_a_slow_directory_too() {
        world.lookupBound = Duration.ofMillis(50);
        world.tenants = new Tenants() {
            @Override
            public Optional<Tenant> find(TenantId id) {
                waitLong();
                return Optional.empty();
            }

            @Override
            public List<TenantId> all() {
                return List.of();
            }
        };

        APIGatewayV2HTTPResponse response = world.fallback(Request.fallback());

        assertThat(response.getStatusCode()).isEqualTo(200);
        assertThat(world.line().fields().get("cause")).contains("numbers unchecked");
        assertThat(world.table.attempts()).isEqualTo(1);
    }

    @Test
    void with_the_directory_down_a_wrong_signature_is_still_forbidden() {
        world.table.operations().failAll(operation -> true);

        assertThat(world.fallback(Request.fallback().token("x".repeat(32))).getStatusCode())
                .isEqualTo(403);
        assertThat(world.fallback(Request.fallback().unsigned()).getStatusCode())
                .isEqualTo(403);
    }

    @Test
    void with_the_tokens_out_of_reach_nothing_is_granted() {
        world.tokens.down = true;

        assertApology(world.fallback(Request.fallback()));
        assertThat(world.writes()).isZero();
    }

    @Test
    void with_the_tokens_out_of_reach_the_unsigned_is_surely_wrong() {
        world.tokens.down = true;

        assertThat(world.fallback(Request.fallback().unsigned()).getStatusCode())
                .isEqualTo(403);
    }

    @Test
    void a_stranger_gets_no_stream_at_the_deadline() {
        world.deadline = Duration.ofMillis(100);
        world.tenants = new Tenants() {
            @Override
            public Optional<Tenant> find(TenantId id) {
                waitLong();
                return Optional.empty();
            }

            @Override
            public List<TenantId> all() {
                return List.of();
            }
        };

        assertApology(world.fallback(Request.fallback().token("x".repeat(32))));
    }

    @Test
    void a_claim_that_an_abandoned_flow_still_makes_is_named_by_no_call_that_the_gateway_adopts() {
        world.table.operations().fail(Operation.CALLS_PLACE, 1, Moment.BEFORE);
        world.fallback(Request.fallback());

        Container gateway = world.table.look(PoolId.GATEWAY).containers().getFirst();
        var claim = gateway.claims().get(World.call());

        assertThat(claim).isNotNull();
        assertThat(world.table.look(ACME, World.call()).names(claim.generation()))
                .isFalse();
    }

    private void assertApology(APIGatewayV2HTTPResponse response) {
        assertThat(response.getStatusCode()).isEqualTo(200);
        assertThat(response.getBody()).contains("<Say>").contains("<Hangup").doesNotContain("Stream");
        assertThat(world.table.written("last-resort")).hasSize(1);
        assertThat(world.table.written("last-resort").getFirst().metrics()).containsEntry(Metric.APOLOGIES, 1.0);
    }

    private void waitLong() {
        try {
            slow.await();
        } catch (InterruptedException e) {
            throw new DependencyException("memory", "interrupted", e);
        }
    }
}
