package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME_POOL;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.order.Orders;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OrdersHandlerTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PATH = "/pools/acme/orders";
    private static final String PAUSE = "{\"order\":\"pause\",\"for\":\"PT30M\",\"reason\":\"a load test\"}";

    private final World world = new World().withGateway();

    private APIGatewayV2HTTPResponse send(String method, String path, String body) {
        APIGatewayV2HTTPResponse response = new OrdersHandler(world.functions())
                .handleRequest(
                        Caller.request(
                                Caller.OF_ACME.arn(),
                                method,
                                path,
                                Map.of(),
                                Map.of("content-type", "application/json"),
                                body),
                        null);
        return OpenApi.check(method, path, body, response);
    }

    private static JsonNode json(APIGatewayV2HTTPResponse response) {
        try {
            return JSON.readTree(response.getBody());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private Orders orders() {
        return world.table.look(ACME_POOL).pool().orders();
    }

    private static List<String> fields(APIGatewayV2HTTPResponse response) {
        return json(response).path("errors").findValuesAsText("field");
    }

    private void refused(APIGatewayV2HTTPResponse response, int status) {
        assertThat(response.getStatusCode()).as(response.getBody()).isEqualTo(status);
        assertThat(response.getHeaders()).containsEntry("content-type", "application/problem+json");
        assertThat(world.writes()).isZero();
    }

    @Test
    void an_order_is_given_in_the_signers_name_and_shown_with_its_end_until_it_is_ended() {
        APIGatewayV2HTTPResponse given = send("POST", PATH, PAUSE);

        assertThat(given.getStatusCode()).isEqualTo(201);
        assertThat(json(given).path("who").asText()).isEqualTo(Caller.OF_ACME.arn());
        assertThat(json(given).path("until").asText()).isEqualTo("2026-11-29T09:30:00Z");
        JsonNode shown = status().at("/orders/0");
        assertThat(shown.path("order").asText()).isEqualTo("pause");
        assertThat(shown.path("reason").asText()).isEqualTo("a load test");
        assertThat(send("DELETE", PATH + "/pool", "").getStatusCode()).isEqualTo(200);
        assertThat(status().path("orders")).isEmpty();
        JsonNode logged = json(send("GET", PATH, "")).at("/orders/0");
        assertThat(logged.path("stage").asText()).isEqualTo("ended");
        assertThat(logged.path("endedBy").asText()).isEqualTo(Caller.OF_ACME.arn());
    }

    private JsonNode status() {
        return json(new PoolStatusHandler(world.functions())
                .handleRequest(Caller.get(Caller.OF_ACME.arn(), "/pools/acme", Map.of()), null));
    }

    @Test
    void an_order_without_a_time_lasts_an_hour() {
        assertThat(json(send("POST", PATH, "{\"order\":\"drain\",\"reason\":\"x\"}"))
                        .path("until")
                        .asText())
                .isEqualTo("2026-11-29T10:00:00Z");
    }

    @ParameterizedTest
    @CsvSource({"pause,pool", "drain,pool", "to-gateway,pool", "stop-outbound,outbound"})
    void each_order_is_about_the_pool_or_about_calls_out(String order, String subject) {
        JsonNode given = json(send("POST", PATH, "{\"order\":\"" + order + "\",\"reason\":\"x\"}"));

        assertThat(given.path("order").asText()).isEqualTo(order);
        assertThat(given.path("subject").asText()).isEqualTo(subject);
    }

    @Test
    void a_pin_starts_containers_at_once() {
        assertThat(send("POST", PATH, "{\"order\":\"pin\",\"containers\":3,\"reason\":\"x\"}")
                        .getStatusCode())
                .isEqualTo(201);

        assertThat(world.table.fleet().desired(Sample.ACME_SERVICE)).isEqualTo(3);
    }

    @Test
    void a_phone_number_in_a_reason_is_nowhere_not_even_in_the_decision_that_the_order_brings_about() {
        send("POST", PATH, "{\"order\":\"pin\",\"containers\":2,\"reason\":\"asked for by +15005550006\"}");

        assertThat(status().toString()).contains("asked for by").doesNotContain("5005550006");
        assertThat(world.table.look(ACME_POOL).pool().toString()).doesNotContain("5005550006");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|order,reason",
                "{\"order\":\"stop\",\"reason\":\"x\"}|order",
                "{\"order\":\"pause\"}|reason",
                "{\"order\":\"pause\",\"reason\":\"  \"}|reason",
                "{\"order\":\"pause\",\"reason\":\"a\\nb\"}|reason",
                "{\"order\":\"pause\",\"reason\":7}|reason",
                "{\"order\":\"pin\",\"reason\":\"x\"}|containers",
                "{\"order\":\"pin\",\"containers\":11,\"reason\":\"x\"}|containers",
                "{\"order\":\"pin\",\"containers\":-1,\"reason\":\"x\"}|containers",
                "{\"order\":\"pin\",\"containers\":1.5,\"reason\":\"x\"}|containers",
                "{\"order\":\"pause\",\"containers\":1,\"reason\":\"x\"}|containers",
                "{\"order\":\"pause\",\"for\":\"PT24H0.001S\",\"reason\":\"x\"}|for",
                "{\"order\":\"pause\",\"for\":\"PT0.9S\",\"reason\":\"x\"}|for",
                "{\"order\":\"pause\",\"for\":\"-PT1H\",\"reason\":\"x\"}|for",
                "{\"order\":\"pause\",\"for\":\"30m\",\"reason\":\"x\"}|for",
                "{\"order\":\"pause\",\"for\":30,\"reason\":\"x\"}|for",
                "{\"order\":\"pause\",\"until\":\"soon\",\"reason\":\"x\"}|until"
            })
    void every_field_at_fault_is_named_and_nothing_is_written(String body, String wrong) {
        APIGatewayV2HTTPResponse response = send("POST", PATH, body);

        refused(response, 422);
        assertThat(fields(response)).containsExactlyInAnyOrder(wrong.split(","));
        assertThat(orders()).isEqualTo(Orders.NONE);
    }

    @Test
    void a_reason_has_two_hundred_characters_at_most() {
        refused(send("POST", PATH, "{\"order\":\"pause\",\"reason\":\"" + "x".repeat(201) + "\"}"), 422);
        assertThat(send("POST", PATH, "{\"order\":\"pause\",\"reason\":\"" + "x".repeat(200) + "\"}")
                        .getStatusCode())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "[]",
                "[" + PAUSE + "]",
                "null",
                PAUSE + PAUSE,
                "{\"order\":\"pause\",\"order\":\"pin\"}"
            })
    void what_is_no_json_object_is_refused(String body) {
        refused(send("POST", PATH, body), 400);
    }

    @Test
    void unknown_pools_subjects_methods_and_types_are_refused() {
        refused(send("DELETE", PATH + "/pool", ""), 404);
        refused(send("DELETE", PATH + "/everything", ""), 404);
        refused(send("PUT", PATH, PAUSE), 405);
        refused(send("GET", PATH + "/pool", ""), 405);
        refused(
                new OrdersHandler(world.functions())
                        .handleRequest(
                                Caller.request(Caller.OF_ACME.arn(), "POST", PATH, Map.of(), Map.of(), PAUSE), null),
                415);
        refused(
                new OrdersHandler(world.functions())
                        .handleRequest(
                                Caller.request(
                                        Caller.OPERATOR.arn(),
                                        "POST",
                                        "/pools/nobody/orders",
                                        Map.of(),
                                        Map.of("content-type", "application/json"),
                                        PAUSE),
                                null),
                404);
    }

    @Test
    void who_comes_second_is_told() {
        world.table
                .operations()
                .on(
                        Operation.POOLS_ORDER,
                        1,
                        Moment.BEFORE,
                        () -> send("POST", PATH, "{\"order\":\"drain\",\"reason\":\"x\"}"));

        APIGatewayV2HTTPResponse second = send("POST", PATH, PAUSE);

        assertThat(second.getStatusCode()).isEqualTo(409);
        assertThat(status().at("/orders/0/order").asText()).isEqualTo("drain");
    }

    @Test
    void an_order_stands_although_it_cannot_be_followed_at_once() {
        world.table.put(Sample.ready(ACME_POOL, "a1"));
        world.table.operations().failAll(operation -> operation == Operation.CONTAINERS_CLOSE_UNTIL);

        assertThat(send("POST", PATH, "{\"order\":\"to-gateway\",\"reason\":\"x\"}")
                        .getStatusCode())
                .isEqualTo(201);

        assertThat(world.table.written("order-not-followed-yet")).hasSize(1);
    }

    @Test
    void with_the_table_down_it_says_that_the_order_may_have_been_given() {
        world.table.operations().failAll(operation -> operation == Operation.POOLS_ORDER);

        assertThat(send("POST", PATH, PAUSE).getStatusCode()).isEqualTo(503);
    }
}
