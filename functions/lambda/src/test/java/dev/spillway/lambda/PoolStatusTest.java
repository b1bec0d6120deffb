package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PoolStatusTest {
    private final World world = new World().withGateway();

    @Test
    void says_what_the_pool_has_wants_and_decided() throws IOException {
        world.table.put(Sample.acme(ScaleOutRule.PLUS_ONE, 2));
        world.table.put(Sample.withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 10, 2));
        world.table.fleet().put(ACME_SERVICE, new Fleet.Service(2, 1, 1, false, "r1"));
        world.table.pools().note(ACME_POOL, new Pool.Decision("scale out 1 -> 2", "6 calls wait", NOW));
        world.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g1"), ACME, 1, 1));

        JsonNode status = json(get("acme"));

        assertThat(status.at("/pool").asText()).isEqualTo("acme");
        assertThat(status.at("/at").asText()).isEqualTo("2026-11-29T09:00:00Z");
        assertThat(status.at("/containers/0/id").asText()).isEqualTo("a1");
        assertThat(status.at("/containers/0/state").asText()).isEqualTo("READY");
        assertThat(status.at("/containers/0/alive").asBoolean()).isTrue();
        assertThat(status.at("/containers/0/slots/used").asInt()).isEqualTo(2);
        assertThat(status.at("/containers/0/slots/limit").asInt()).isEqualTo(6);
        assertThat(status.at("/containers/0/claims/connected").asInt()).isEqualTo(2);
        assertThat(status.at("/containers/0/claims/reserved").asInt()).isZero();
        assertThat(status.at("/containers/0/lastHeartbeat").asText()).isEqualTo("2026-11-29T09:00:00Z");
        // 2 calls; one READY container of 6 slots; at most 10 containers
        assertThat(status.at("/slots"))
                .isEqualTo(new ObjectMapper()
                        .readTree("{\"live\":2,\"reserved\":0,\"cooldown\":0,\"ready\":6,\"usable\":4,"
                                + "\"ceiling\":60}"));
        assertThat(status.at("/held/0/callSid").asText())
                .isEqualTo(Sample.call(1).value());
        assertThat(status.at("/held/0/offered").asBoolean()).isFalse();
        assertThat(status.at("/held/0").has("seconds")).isTrue();
        assertThat(status.at("/desired/count").asInt()).isEqualTo(2);
        assertThat(status.at("/ecs/desired").asInt()).isEqualTo(2);
        assertThat(status.at("/ecs/running").asInt()).isEqualTo(1);
        assertThat(status.at("/ecs/pending").asInt()).isEqualTo(1);
        assertThat(status.at("/lastDecision/what").asText()).isEqualTo("scale out 1 -> 2");
        assertThat(status.at("/lastDecision/reason").asText()).isEqualTo("6 calls wait");
        assertThat(status.at("/gateway/containers").asInt()).isEqualTo(3);
        assertThat(status.at("/gateway/slots").asInt()).isEqualTo(18);
        assertThat(status.at("/gateway/free").asInt()).isEqualTo(17);
    }

    @Test
    void a_launch_that_is_overdue_shows_its_stopped_reason_at_once() throws IOException {
        world.table.put(Sample.acme(ScaleOutRule.PLUS_ONE, 1));
        world.table.fleet().put(ACME_SERVICE, new Fleet.Service(1, 0, 1, false, "r1"));
        world.table
                .fleet()
                .stop(
                        ACME_SERVICE,
                        new ContainerId("t1"),
                        "TaskFailedToStart: CannotPullContainerError",
                        NOW.minus(Duration.ofSeconds(200)));

        JsonNode launches = json(get("acme")).at("/launches");

        assertThat(launches.at("/missing").asInt()).isEqualTo(1);
        assertThat(launches.at("/overdue").asBoolean()).isTrue();
        assertThat(launches.at("/deadlineSeconds").asInt()).isEqualTo(180);
        assertThat(launches.at("/lastStoppedReason").asText()).isEqualTo("TaskFailedToStart: CannotPullContainerError");
    }

    @Test
    void a_launch_of_a_moment_ago_is_not_overdue() throws IOException {
        world.table.put(Sample.acme());
        world.table.pools().desire(ACME_POOL, 1, 1, null, new Pool.Decision("scale out 0 -> 1", "one waits", NOW));

        JsonNode launches = json(get("acme")).at("/launches");

        assertThat(launches.at("/missing").asInt()).isEqualTo(1);
        assertThat(launches.at("/overdue").asBoolean()).isFalse();
        assertThat(launches.has("lastStoppedReason")).isFalse();
    }

    @Test
    void recorded_failures_and_the_back_off_are_shown() throws IOException {
        world.table
                .pools()
                .recordLaunches(
                        ACME_POOL, new Pool.Launches(3, "OutOfMemoryError", NOW.plus(Duration.ofMinutes(3))), NOW);

        JsonNode launches = json(get("acme")).at("/launches");

        assertThat(launches.at("/failures").asInt()).isEqualTo(3);
        assertThat(launches.at("/lastStoppedReason").asText()).isEqualTo("OutOfMemoryError");
        assertThat(launches.at("/backOffUntil").asText()).isEqualTo("2026-11-29T09:03:00Z");
    }

    @Test
    void while_the_controller_is_heard_or_was_never_started_nothing_is_said_of_it() throws IOException {
        assertThat(json(get("acme")).has("controller")).isFalse();

        world.lastVisited(ACME_POOL, NOW.minusSeconds(179));
        assertThat(json(get("acme")).has("controller")).isFalse();
    }

    @Test
    void a_controller_that_has_been_silent_for_three_minutes_is_shown_with_its_last_complete_visit()
            throws IOException {
        world.lastVisited(ACME_POOL, NOW.minusSeconds(180));

        assertThat(json(get("acme")).at("/controller/silentSince").asText()).isEqualTo("2026-11-29T08:57:00Z");
    }

    @Test
    void with_ecs_down_the_rest_is_still_answered() throws IOException {
        world.table.put(Sample.ready(ACME_POOL, "a1"));
        world.table.operations().failAll(operation -> operation.kind() == Operation.Kind.FLEET);

        JsonNode status = json(get("acme"));

        assertThat(status.at("/ecs").size()).isEqualTo(1);
        assertThat(status.at("/ecs/error").asText()).startsWith("ECS cannot be asked");
        assertThat(status.at("/containers").size()).isEqualTo(1);
    }

    @Test
    void the_gateway_is_shown_like_any_pool_and_to_operators_only() throws IOException {
        world.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g1"), ACME, 1, 2));

        JsonNode status = json(get("gateway"));

        assertThat(status.at("/pool").asText()).isEqualTo("gateway");
        assertThat(status.at("/policy/maximum").isInt()).isTrue();
        assertThat(status.at("/containers")).hasSize(3);
        assertThat(status.at("/containers/0/slots/used").asInt()).isEqualTo(2);
        assertThat(status.at("/gateway/free").asInt()).isEqualTo(16);
        assertThat(status.at("/held")).isEmpty();

        APIGatewayV2HTTPResponse refused = get(Caller.OF_ACME.arn(), "gateway");
        assertThat(refused.getStatusCode()).isEqualTo(403);
        assertThat(refused.getBody()).doesNotContain("containers");
        assertThat(get(Caller.OF_BLOOM.arn(), "gateway").getStatusCode()).isEqualTo(403);
    }

    @Test
    void a_pool_that_grows_ahead_says_so() throws IOException {
        world.table.put(Sample.acme(ScaleOutRule.AHEAD, 1));

        assertThat(json(get("acme")).at("/policy/scaleOut").asText()).isEqualTo("ahead");
    }

    @Test
    void an_unknown_pool_is_not_found() {
        assertThat(get("nobody").getStatusCode()).isEqualTo(404);
        assertThat(get("No Tenant").getStatusCode()).isEqualTo(404);
    }

    @Test
    void with_the_table_down_it_says_so() {
        world.table.operations().failAll(operation -> true);

        assertThat(get("acme").getStatusCode()).isEqualTo(503);
        assertThat(get("acme").getBody()).contains("\"status\":503");
    }

    private APIGatewayV2HTTPResponse get(String tenant) {
        return get(Caller.OPERATOR.arn(), tenant);
    }

    private APIGatewayV2HTTPResponse get(String arn, String tenant) {
        String path = "/pools/" + tenant;
        return OpenApi.check(
                "GET",
                path,
                null,
                new PoolStatusHandler(world.functions()).handleRequest(Caller.get(arn, path, Map.of()), null));
    }

    private static JsonNode json(APIGatewayV2HTTPResponse response) throws IOException {
        assertThat(response.getStatusCode()).isEqualTo(200);
        assertThat(response.getHeaders()).containsEntry("content-type", "application/json");
        return new ObjectMapper().readTree(response.getBody());
    }
}
