package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ConsoleTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final World world = new World().withGateway();

    private APIGatewayV2HTTPResponse get(String arn, String path, Map<String, String> query) {
        return OpenApi.check(
                "GET",
                path,
                null,
                new ConsoleHandler(world.functions()).handleRequest(Caller.get(arn, path, query), null));
    }

    private JsonNode state(String arn) throws IOException {
        APIGatewayV2HTTPResponse response = get(arn, "/console/state", Map.of("tenant", "acme"));
        assertThat(response.getStatusCode()).as(response.getBody()).isEqualTo(200);
        return JSON.readTree(response.getBody());
    }

    private static List<String> told(JsonNode state) {
        List<String> told = new ArrayList<>();
        state.path("decisions")
                .forEach(one -> told.add(one.path("subject").asText() + " "
                        + one.path("what").asText() + ": " + one.path("reason").asText()));
        return told;
    }

    @Test
    void shows_the_pool_its_containers_held_calls_decisions_and_attempts() throws IOException {
        // given a container with two calls, one call that was turned away by it, and a decision about the pool
        world.table.put(Sample.withCalls(Sample.ready(ACME_POOL, "a1"), ACME, 10, 2));
        world.fallback(Request.fallback());
        world.table.pools().note(ACME_POOL, new Pool.Decision("scale out 1 -> 2", "a call waits", seconds(1)));
        world.table.pools().note(ACME_POOL, new Pool.Decision("drain a1", "idle for 600 s", seconds(2)));

        JsonNode state = state(Caller.OPERATOR.arn());

        assertThat(state.at("/pool/pool").asText()).isEqualTo("acme");
        assertThat(state.at("/pool/containers/0/slots/used").asInt()).isEqualTo(3);
        assertThat(state.at("/pool/ecs/error").asText()).startsWith("ECS was not asked");
        assertThat(state.at("/attempts/offered").asInt()).isEqualTo(1);
        assertThat(state.at("/attempts/open").asInt()).isEqualTo(1);
        assertThat(state.at("/since").asText()).isEqualTo("2026-11-29T08:00:00Z");
        assertThat(told(state))
                .startsWith("pool drain a1: idle for 600 s", "pool scale out 1 -> 2: a call waits")
                .contains("call refused: fallback, Twilio error 11217")
                .endsWith("container READY: as the test says");
        assertThat(state.at("/gatewayContainers")).hasSize(3);
    }

    @Test
    void a_held_call_is_shown_with_its_seconds_and_the_cause() throws IOException {
        world.fallback(Request.fallback());

        JsonNode state = state(Caller.OPERATOR.arn());

        assertThat(state.at("/pool/held/0/callSid").asText())
                .isEqualTo(World.call().value());
        assertThat(state.at("/pool/held/0/seconds").isNumber()).isTrue();
        JsonNode held = state.at("/decisions/0");
        assertThat(held.path("what").asText()).isEqualTo("held");
        assertThat(held.path("about").asText()).isEqualTo(World.call().value());
        assertThat(held.path("where").asText()).isEqualTo("g1");
        assertThat(held.path("cause").asText()).isEqualTo("full");
    }

    @Test
    void a_refresh_reads_the_table_by_key_and_neither_writes_nor_asks_ecs() throws IOException {
        world.fallback(Request.fallback());
        long writes = world.writes();
        int before = world.table.operations().log().size();

        state(Caller.OPERATOR.arn());

        List<Operation> log = world.table.operations().log();
        assertThat(log.subList(before, log.size()))
                .containsExactly(
                        Operation.TENANTS_FIND,
                        Operation.POOLS_READ,
                        Operation.POOLS_READ,
                        Operation.ATTEMPTS_OUTLINES,
                        Operation.ATTEMPTS_PAGE);
        assertThat(world.writes()).isEqualTo(writes);
    }

    @Test
    void a_caller_sees_his_own_tenant_and_nothing_of_the_others() throws IOException {
        world.table.put(Sample.withCalls(Sample.ready(PoolId.GATEWAY, "g1"), Sample.BLOOM, 10, 2));

        JsonNode state = state(Caller.OF_ACME.arn());

        assertThat(state.has("gatewayContainers")).isFalse();
        assertThat(state.at("/pool/held")).isEmpty();
        assertThat(get(Caller.OF_ACME.arn(), "/console/state", Map.of("tenant", "bloom"))
                        .getStatusCode())
                .isEqualTo(403);
    }

    @Test
    void operators_choose_from_all_tenants_and_others_know_theirs() throws IOException {
        assertThat(get(Caller.OPERATOR.arn(), "/console/tenants", Map.of()).getBody())
                .isEqualTo("{\"tenants\":[\"acme\",\"bloom\"]}");
        assertThat(get(Caller.OF_ACME.arn(), "/console/tenants", Map.of()).getBody())
                .isEqualTo("{\"tenants\":[]}");
    }

    @Test
    void a_phone_number_in_an_operators_reason_is_masked() throws IOException {
        Order order = new Order(
                new OrderId("0".repeat(20)),
                new Order.Pause(),
                Caller.OPERATOR,
                "asked for by +15005550006",
                NOW,
                NOW.plus(Duration.ofHours(1)));
        world.table.put(Sample.acme().with(next -> next.orders = next.orders.with(order)));

        JsonNode state = state(Caller.OPERATOR.arn());

        assertThat(state.toString()).doesNotContain("5005550006");
        assertThat(told(state)).contains("order pause until 2026-11-29T10:00:00Z: asked for by +15*****");
    }

    @Test
    void without_a_tenant_it_says_what_is_wanted_and_an_unknown_one_is_not_found() {
        assertThat(get(Caller.OPERATOR.arn(), "/console/state", Map.of()).getStatusCode())
                .isEqualTo(400);
        assertThat(get(Caller.OPERATOR.arn(), "/console/state", Map.of("tenant", "No Tenant"))
                        .getStatusCode())
                .isEqualTo(400);
        assertThat(get(Caller.OPERATOR.arn(), "/console/state", Map.of("tenant", "nobody"))
                        .getStatusCode())
                .isEqualTo(404);
    }

    @Test
    void with_the_table_down_it_says_so_and_the_page_still_comes() {
        world.table.operations().failAll(operation -> true);

        assertThat(get(Caller.OPERATOR.arn(), "/console/state", Map.of("tenant", "acme"))
                        .getStatusCode())
                .isEqualTo(503);
        assertThat(get(Caller.OF_BLOOM.arn(), "/console", Map.of()).getStatusCode())
                .isEqualTo(200);
    }

    @Test
    void the_page_is_one_file_that_loads_nothing_and_whose_policy_lets_only_its_own_script_run() throws Exception {
        APIGatewayV2HTTPResponse page = get(Caller.OF_ACME.arn(), "/console", Map.of());

        assertThat(page.getHeaders()).containsEntry("content-type", "text/html; charset=utf-8");
        String policy = String.valueOf(page.getHeaders().get("content-security-policy"));
        assertThat(policy)
                .contains("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe", "http", "*");
        assertThat(policy).contains("script-src " + hash(page.getBody(), "script"));
        assertThat(policy).contains("style-src " + hash(page.getBody(), "style"));
        assertThat(page.getBody())
                .doesNotContainPattern("(src|href)=\"(?!#|data:)")
                .doesNotContain("://", "@import", "url(", "style=", "onclick", "innerHTML", "eval(");
    }

    private static String hash(String html, String tag) throws Exception {
        Matcher element = Pattern.compile("<" + tag + ">(.*)</" + tag + ">", Pattern.DOTALL)
                .matcher(html);
        assertThat(element.find()).isTrue();
        return "'sha256-"
                + Base64.getEncoder()
                        .encodeToString(MessageDigest.getInstance("SHA-256")
                                .digest(element.group(1).getBytes(StandardCharsets.UTF_8)))
                + "'";
    }
}
