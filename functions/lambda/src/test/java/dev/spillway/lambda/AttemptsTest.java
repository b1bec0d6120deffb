package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AttemptsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final World world = new World().withGateway();

    private APIGatewayV2HTTPResponse get(String path, Map<String, String> query) {
        return OpenApi.check(
                "GET",
                path,
                null,
                new AttemptsHandler(world.functions())
                        .handleRequest(Caller.get(Caller.OPERATOR.arn(), path, query), null));
    }

    private JsonNode list(String... query) throws IOException {
        Map<String, String> all = new HashMap<>(Map.of("tenant", "acme"));
        for (int i = 0; i < query.length; i += 2) {
            all.put(query[i], query[i + 1]);
        }
        APIGatewayV2HTTPResponse response = get("/attempts", all);
        assertThat(response.getStatusCode()).isEqualTo(200);
        return JSON.readTree(response.getBody());
    }

    private static List<String> errors(APIGatewayV2HTTPResponse response) throws IOException {
        assertThat(response.getHeaders()).containsEntry("content-type", "application/problem+json");
        JsonNode problem = JSON.readTree(response.getBody());
        assertThat(problem.at("/status").asInt()).isEqualTo(response.getStatusCode());
        List<String> fields = new ArrayList<>();
        problem.at("/errors").forEach(error -> fields.add(error.at("/field").asText()));
        return fields;
    }

    @Test
    void a_call_turned_away_by_a_container_is_listed_with_its_steps_its_cause_and_its_slots() throws IOException {
        world.fallback(Request.fallback());

        JsonNode listed = list();

        JsonNode one = listed.at("/attempts/0");
        assertThat(one.at("/id").asText()).isEqualTo(World.call().value());
        assertThat(one.at("/kind").asText()).isEqualTo("inbound");
        assertThat(one.at("/arrivedAt").asText()).isEqualTo("2026-11-29T09:00:00Z");
        assertThat(one.at("/open").asBoolean()).isTrue();
        assertThat(one.has("outcome")).isFalse();
        assertThat(one.has("first")).isFalse();
        assertThat(one.at("/cause").asText()).isEqualTo("full");
        assertThat(one.at("/slots/pool").asText()).isEqualTo("acme");
        assertThat(one.at("/slots/limit").asInt()).isZero();
        assertThat(one.at("/steps/0/step").asText()).isEqualTo("refused");
        assertThat(one.at("/steps/0/hop").asInt()).isZero();
        assertThat(one.at("/steps/0/reason").asText()).isEqualTo("fallback, Twilio error 11217");
        assertThat(one.at("/steps/1/step").asText()).isEqualTo("held");
        assertThat(one.at("/steps/1/container").asText()).isEqualTo("g1");
        assertThat(listed.at("/summary/offered").asInt()).isEqualTo(1);
        assertThat(listed.at("/summary/open").asInt()).isEqualTo(1);
        assertThat(listed.at("/summary/inbound/turnedAway").asInt()).isEqualTo(1);
        assertThat(listed.at("/summary/outcomes/refused").isInt()).isTrue();
        assertThat(listed.at("/summary/outbound/deferrals").asInt()).isZero();
    }

    @Test
    void who_called_is_told_neither_by_number_nor_by_hash() {
        world.fallback(Request.fallback().with("From", "+15005550006"));
        String hash =
                String.valueOf(world.table.look(ACME, World.call()).story().caller());

        assertThat(hash).hasSize(22).doesNotContain("5005550006");
        assertThat(get("/attempts", Map.of("tenant", "acme")).getBody())
                .doesNotContain("500555")
                .doesNotContain(hash);
    }

    @Test
    void a_caller_who_tries_again_after_a_refusal_points_to_the_first_try() throws IOException {
        // The first webhook of a process may give up the link rather than wait for the key.
        world.fallback(
                Request.fallback().with("CallSid", Sample.call(9).value()).with("From", "+15005550008"));
        world.fallback(Request.fallback());
        world.table.calls().end(ACME, World.call(), Outcome.REFUSED, NOW);
        world.fallback(Request.fallback().with("CallSid", Sample.call(2).value()));
        world.fallback(
                Request.fallback().with("CallSid", Sample.call(3).value()).with("From", "+15005550007"));

        JsonNode listed = list();

        assertThat(listed.at("/attempts/1/first").asText())
                .isEqualTo(World.call().value());
        assertThat(listed.at("/attempts/2").has("first")).isFalse();
        assertThat(listed.at("/summary/inbound/retries").asInt()).isEqualTo(1);
    }

    @Test
    void pages_follow_one_another_and_the_first_has_the_summary_of_the_whole_window() throws IOException {
        for (int n = 1; n <= 5; n++) {
            world.table.put(Call.arrived(ACME, Sample.call(n), seconds(-n)));
        }
        List<String> seen = new ArrayList<>();
        JsonNode page = list("limit", "2");
        assertThat(page.at("/summary/offered").asInt()).isEqualTo(5);
        while (true) {
            page.at("/attempts").forEach(one -> seen.add(one.at("/id").asText()));
            if (!page.has("next")) {
                break;
            }
            page = list("limit", "2", "cursor", page.at("/next").asText());
            assertThat(page.has("summary"))
                    .as("it would cost a read of the window")
                    .isFalse();
        }

        assertThat(seen)
                .containsExactly(
                        Sample.call(5).value(),
                        Sample.call(4).value(),
                        Sample.call(3).value(),
                        Sample.call(2).value(),
                        Sample.call(1).value());
        assertThat(list("since", "2026-11-29T08:59:58Z").at("/summary/offered").asInt())
                .isEqualTo(2);
    }

    @Test
    void one_attempt_is_told_by_its_call() throws IOException {
        world.fallback(Request.fallback());

        APIGatewayV2HTTPResponse response = get("/attempts/" + World.call(), Map.of("tenant", "acme"));

        assertThat(response.getStatusCode()).isEqualTo(200);
        assertThat(JSON.readTree(response.getBody()).at("/steps/1/step").asText())
                .isEqualTo("held");
    }

    @Test
    void another_tenants_attempt_an_unknown_one_and_an_unknown_tenant_are_not_found() throws IOException {
        world.table.put(Call.arrived(BLOOM, Sample.call(9), NOW));

        for (var response : List.of(
                get("/attempts/" + Sample.call(9), Map.of("tenant", "acme")),
                get("/attempts/" + Sample.call(8), Map.of("tenant", "acme")),
                get("/attempts/" + Sample.call(9), Map.of("tenant", "nobody")),
                get("/attempts", Map.of("tenant", "nobody")))) {
            assertThat(response.getStatusCode()).isEqualTo(404);
            assertThat(errors(response)).isEmpty();
        }
    }

    @Test
    void every_field_at_fault_is_named_at_once_and_nothing_is_repeated() throws IOException {
        APIGatewayV2HTTPResponse response = get(
                "/attempts", Map.of("tenant", "No Tenant", "since", "yesterday", "cursor", "<script>", "limit", "101"));

        assertThat(response.getStatusCode()).isEqualTo(400);
        assertThat(errors(response)).containsExactly("tenant", "since", "cursor", "limit");
        assertThat(response.getBody()).doesNotContain("script").doesNotContain("yesterday");
        assertThat(errors(get("/attempts", Map.of()))).containsExactly("tenant");
        assertThat(errors(get("/attempts/a%2Fb", Map.of("tenant", "acme")))).containsExactly("id");
    }

    @Test
    void since_lies_neither_in_the_future_nor_before_what_is_kept() throws IOException {
        for (String since : List.of("2026-11-29T09:00:01Z", "2026-10-28T09:00:00Z", "+1000000000-12-31T23:59:59Z")) {
            assertThat(errors(get("/attempts", Map.of("tenant", "acme", "since", since))))
                    .as(since)
                    .containsExactly("since");
        }
        for (String limit : List.of("0", "-1", "ten", "1e3", "99999999999")) {
            assertThat(errors(get("/attempts", Map.of("tenant", "acme", "limit", limit))))
                    .as(limit)
                    .containsExactly("limit");
        }
    }

    @Test
    void with_the_table_down_nobody_can_say() throws IOException {
        world.table.operations().failAll(operation -> operation == Operation.ATTEMPTS_OUTLINES);

        APIGatewayV2HTTPResponse response = get("/attempts", Map.of("tenant", "acme"));

        assertThat(response.getStatusCode()).isEqualTo(503);
        assertThat(errors(response)).isEmpty();
    }

    // What is refused before there is a record

    @Test
    void an_unsigned_webhook_is_counted_though_it_leaves_no_record() throws IOException {
        world.fallback(Request.fallback().unsigned());

        assertThat(world.line().metrics()).containsEntry(Metric.TURNED_AWAY, 1.0);
        assertThat(list().at("/summary/offered").asInt()).isZero();
    }

    @Test
    void a_fallback_that_was_asked_first_or_stands_in_for_a_continue_url_turned_nobody_away() {
        world.fallback(Request.fallback().without("ErrorCode").without("ErrorUrl"));
        assertThat(world.table.look(ACME, World.call()).story().isTurnedAway()).isFalse();

        world.fallback(Request.fallback().with("ErrorUrl", World.PUBLIC_URL + "/twilio/continue/acme/1"));
        assertThat(world.table.look(ACME, World.call()).story().isTurnedAway()).isFalse();
    }

    @Test
    void a_slow_secret_costs_the_link_to_the_first_try_and_nothing_else() {
        world.streamKeys = pool -> {
            throw new dev.spillway.core.DependencyException(
                    "secrets", "cannot be read", new IllegalStateException("as the test says"));
        };

        world.fallback(Request.fallback());

        assertThat(world.table.look(ACME, World.call()).story().caller()).isNull();
        assertThat(world.table.look(ACME, World.call()).hop()).isEqualTo(1);
    }
}
