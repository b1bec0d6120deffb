package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.OutboundPolicy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallsHandlerTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final World world = new World();

    CallsHandlerTest() {
        world.table.put(Sample.acme()
                .withOutbound(Outbound.of(new OutboundPolicy(
                        3,
                        0,
                        1_000,
                        1,
                        100,
                        Map.of(),
                        List.of(Country.always("+1")),
                        Set.of(),
                        OutboundPolicy.Warmth.USUAL))));
    }

    private APIGatewayV2HTTPResponse send(String method, String path, String body, Map<String, String> headers) {
        APIGatewayV2HTTPEvent event = Caller.request(Caller.OPERATOR.arn(), method, path, Map.of(), headers, body);
        return OpenApi.check(method, path, body, new CallsHandler(world.functions()).handleRequest(event, null));
    }

    private APIGatewayV2HTTPResponse post(String body) {
        return send("POST", "/calls", body, Map.of("content-type", "application/json"));
    }

    private APIGatewayV2HTTPResponse post(String body, String key) {
        return send("POST", "/calls", body, Map.of("content-type", "application/json", "idempotency-key", key));
    }

    private static JsonNode body(APIGatewayV2HTTPResponse response) {
        try {
            return JSON.readTree(response.getBody());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String job(int n) {
        return "{\"tenant\":\"acme\",\"to\":\"+1500555%04d\"}".formatted(1000 + n);
    }

    private static String jobs(int count) {
        return IntStream.range(0, count).mapToObj(CallsHandlerTest::job).collect(Collectors.joining(",", "[", "]"));
    }

    private void refused(APIGatewayV2HTTPResponse response, int status) {
        assertThat(response.getStatusCode()).as(response.getBody()).isEqualTo(status);
        assertThat(response.getHeaders()).containsEntry("content-type", "application/problem+json");
        assertThat(body(response).path("status").asInt()).isEqualTo(status);
        assertThat(body(response).path("type").asText()).startsWith("urn:spillway:problem:");
        assertThat(world.writes()).isZero();
        assertThat(world.table.announced()).isEmpty();
    }

    @Test
    void a_job_is_accepted_shown_and_canceled() {
        APIGatewayV2HTTPResponse accepted = post(job(1));
        assertThat(accepted.getStatusCode()).isEqualTo(202);
        String href = body(accepted).path("calls").get(0).path("href").asText();

        assertThat(body(send("GET", href, "", Map.of())).path("state").asText()).isEqualTo("waiting");
        APIGatewayV2HTTPResponse canceled = send("DELETE", href, "", Map.of());
        assertThat(canceled.getStatusCode()).isEqualTo(200);
        assertThat(body(canceled).path("outcome").asText()).isEqualTo("canceled");
        assertThat(send("GET", href, "", Map.of()).getBody()).doesNotContain("+1500");
    }

    @Test
    void five_hundred_jobs_are_accepted_and_one_more_is_too_many() {
        refused(post(jobs(501)), 413);
        assertThat(body(post(jobs(500), "k1")).path("calls")).hasSize(500);
    }

    @Test
    void ten_thousand_jobs_and_a_body_beyond_a_megabyte_are_too_large() {
        refused(post(jobs(10_000)), 413);
        refused(post(" ".repeat(1024 * 1024) + job(1)), 413);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "[]",
                "12",
                "\"text\"",
                "null",
                "{",
                "{} {}",
                "{\"tenant\":\"acme\",\"tenant\":\"acme\"}"
            })
    void what_is_not_json_of_calls_is_refused(String body) {
        refused(post(body), 400);
    }

    @Test
    void every_field_at_fault_is_named() {
        APIGatewayV2HTTPResponse response = post(
                "[" + job(1)
                        + ",{\"tenant\":\"acme\",\"to\":\"12\",\"deadline\":\"2020-01-01T00:00:00Z\",\"weight\":1000}]",
                "k1");

        refused(response, 422);
        assertThat(body(response).path("errors").findValuesAsText("field"))
                .containsExactly("[1].to", "[1].weight", "[1].deadline");
    }

    @Test
    void a_field_of_another_form_hides_none_of_another_value() {
        APIGatewayV2HTTPResponse one = post("{\"tenant\":\"acme\",\"to\":\"12\",\"deadline\":\"soon\"}");
        APIGatewayV2HTTPResponse some =
                post("[" + job(1) + ",5,{\"tenant\":\"acme\",\"to\":\"12\",\"weight\":\"2\",\"speed\":1}]", "k1");

        refused(one, 422);
        assertThat(body(one).path("errors").findValuesAsText("field")).containsExactlyInAnyOrder("to", "deadline");
        refused(some, 422);
        assertThat(body(some).path("errors").findValuesAsText("field"))
                .containsExactlyInAnyOrder("[1]", "[2].weight", "[2].speed", "[2].to");
    }

    @Test
    void a_field_of_another_form_tells_nothing_of_a_tenant_that_is_not_the_callers() {
        APIGatewayV2HTTPResponse unknown = post("{\"tenant\":\"nobody\",\"to\":\"12\",\"deadline\":\"soon\"}");
        APIGatewayV2HTTPResponse two = post("[" + job(1) + ",{\"tenant\":\"bloom\",\"to\":5}]", "k1");

        assertThat(body(unknown).path("errors").findValuesAsText("field"))
                .containsExactlyInAnyOrder("deadline", "tenant");
        assertThat(body(two).path("errors").findValuesAsText("field")).containsExactlyInAnyOrder("[1].to", "tenant");
    }

    @Test
    void fields_of_another_form_or_name_are_at_fault() {
        APIGatewayV2HTTPResponse response = post(
                "{\"to\":5,\"notBefore\":\"soon\",\"deadline\":\"later\",\"maximumWait\":\"15\",\"weight\":\"2\",\"speed\":1}");

        refused(response, 422);
        assertThat(body(response).path("errors").findValuesAsText("field"))
                .containsExactlyInAnyOrder("tenant", "to", "notBefore", "deadline", "maximumWait", "weight", "speed");
    }

    @Test
    void an_unknown_tenant_and_jobs_of_two_tenants_are_refused() {
        refused(post("{\"tenant\":\"nobody\",\"to\":\"+15005551001\"}"), 422);
        refused(post("[" + job(1) + ",{\"tenant\":\"bloom\",\"to\":\"+15005551001\"}]", "k1"), 422);
    }

    @Test
    void a_tenant_that_makes_no_calls_is_refused() {
        refused(post("{\"tenant\":\"bloom\",\"to\":\"+15005551001\"}"), 422);
    }

    @Test
    void a_window_that_never_opens_is_refused() {
        refused(
                post("{\"tenant\":\"acme\",\"to\":\"+15005551001\",\"notBefore\":\"2026-11-30T09:00:00Z\","
                        + "\"deadline\":\"2026-11-30T09:00:00Z\"}"),
                422);
    }

    @ParameterizedTest
    @CsvSource({
        "notBefore, +999999999-12-31T23:59:59-18:00",
        "notBefore, 2026-12-14T09:00:00Z",
        "deadline, +999999999-12-31T23:59:59-18:00",
        "deadline, -999999999-01-01T00:00:00+18:00",
        "deadline, 2026-11-29T09:00:00Z",
        "maximumWait, PT2562047788015215H30M7S",
        "maximumWait, -PT1S",
        "maximumWait, PT336H0.001S"
    })
    void times_that_nobody_can_reckon_with_are_refused(String field, String value) {
        APIGatewayV2HTTPResponse response =
                post("{\"tenant\":\"acme\",\"to\":\"+15005551001\",\"" + field + "\":\"" + value + "\"}");

        refused(response, 422);
        assertThat(body(response).path("errors").findValuesAsText("field")).containsExactly(field);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "15005551001",
                "+0123456",
                "+1",
                "+1500555100a",
                "+15005551001 ",
                "+123456789012345678",
                "acme"
            })
    void what_is_no_phone_number_is_refused_and_not_repeated(String number) {
        APIGatewayV2HTTPResponse response = post("{\"tenant\":\"acme\",\"to\":\"" + number + "\"}");

        refused(response, 422);
        assertThat(body(response).path("errors").findValuesAsText("field")).containsExactly("to");
        if (number.length() > 4) {
            assertThat(response.getBody()).doesNotContain(number);
        }
    }

    @Test
    void an_array_of_calls_needs_a_key() {
        APIGatewayV2HTTPResponse response = post(jobs(2));

        refused(response, 400);
        assertThat(body(response).path("type").asText()).isEqualTo("urn:spillway:problem:no-key");
        assertThat(body(response).path("detail").asText()).contains("Idempotency-Key");
        assertThat(post(job(1)).getStatusCode()).isEqualTo(202);
    }

    @Test
    void another_body_under_a_key_that_is_in_use_writes_nothing() {
        post(jobs(3), "k1");
        long before = world.writes();

        assertThat(post(jobs(2), "k1").getStatusCode()).isEqualTo(409);

        assertThat(world.writes()).isEqualTo(before);
    }

    @Test
    void the_same_body_under_its_key_is_answered_the_same_and_another_is_a_conflict() {
        String first = post(jobs(3), "k1").getBody();

        assertThat(post(jobs(3), "k1").getBody()).isEqualTo(first);
        assertThat(post(jobs(2), "k1").getStatusCode()).isEqualTo(409);
        assertThat(world.table.jobs().atHand(Sample.ACME)).hasSize(3);
    }

    @Test
    void more_waiting_jobs_than_allowed_are_refused_with_a_reason() {
        post(jobs(500), "k1");
        post(jobs(500), "k2");

        APIGatewayV2HTTPResponse response = post(job(1));

        assertThat(response.getStatusCode()).isEqualTo(429);
        assertThat(body(response).path("detail").asText()).contains("1000 jobs are waiting");
    }

    @Test
    void unknown_jobs_methods_types_and_keys_are_refused() {
        refused(send("GET", "/calls/acme.00000000000000000009", "", Map.of()), 404);
        refused(send("GET", "/calls/x", "", Map.of()), 404);
        refused(send("DELETE", "/calls/nobody.00000000000000000009", "", Map.of()), 404);
        refused(send("PUT", "/calls", "", Map.of()), 405);
        refused(send("POST", "/calls", job(1), Map.of("content-type", "text/plain")), 415);
        refused(post(job(1), "k 1"), 400);
    }
}
