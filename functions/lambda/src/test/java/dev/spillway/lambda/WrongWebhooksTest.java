package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is not surely Twilio's and surely this tenant's gets a fixed text, one log line, and changes nothing. */
class WrongWebhooksTest {
    private final World world = new World().withGateway();

    static Stream<Arguments> wrong() {
        return Stream.of(
                wrong("unsigned", Request.fallback().unsigned(), 403, "forbidden"),
                wrong("an empty signature", Request.fallback().signature(""), 403, "forbidden"),
                wrong("a signature that is no base64", Request.fallback().signature("%%%"), 403, "forbidden"),
                wrong("signed with another token", Request.fallback().token("x".repeat(32)), 403, "forbidden"),
                wrong(
                        "another tenant's webhook replayed here",
                        Request.fallback()
                                .signedFor(World.PUBLIC_URL + "/twilio/fallback/bloom")
                                .token("bloombloombloombloombloombloom00"),
                        403,
                        "forbidden"),
                wrong(
                        "this tenant's webhook replayed for another",
                        Request.fallback()
                                .path("/twilio/fallback/bloom")
                                .signedFor(World.PUBLIC_URL + "/twilio/fallback/acme"),
                        403,
                        "forbidden"),
                wrong(
                        "another account",
                        Request.fallback().with("AccountSid", "AC00000000000000000000000000000002"),
                        403,
                        "forbidden"),
                wrong("another tenant's number", Request.fallback().with("To", "+15005550002"), 403, "forbidden"),
                wrong(
                        "an outbound call from another tenant's number",
                        Request.fallback()
                                .with("Direction", "outbound-api")
                                .with("From", "+15005550002")
                                .with("To", World.NUMBER),
                        403,
                        "forbidden"),
                wrong("no number", Request.fallback().without("To"), 403, "forbidden"),
                wrong("no CallSid", Request.fallback().without("CallSid"), 400, "bad request"),
                wrong("a malformed CallSid", Request.fallback().with("CallSid", "CA1"), 400, "bad request"),
                wrong("an unknown tenant", Request.fallback().path("/twilio/fallback/nobody"), 404, "not found"),
                wrong("no tenant id", Request.fallback().path("/twilio/fallback/Acme!"), 404, "not found"),
                wrong("the gateway as tenant", Request.fallback().path("/twilio/fallback/gateway"), 404, "not found"),
                wrong("another path", Request.fallback().path("/twilio/fallback"), 404, "not found"),
                wrong("malformed base64", Request.fallback().body("%%%"), 400, "bad request"),
                wrong("a malformed form", Request.fallback().body(base64("CallSid=%zz")), 400, "bad request"),
                wrong("a parameter given twice", Request.fallback().body(base64("A=1&A=2")), 400, "bad request"),
                wrong(
                        "a body of 1 MB",
                        Request.fallback().body(base64("A=" + "x".repeat(1_000_000))),
                        413,
                        "request too large"),
                wrong("JSON", Request.fallback().type("application/json"), 415, "unsupported content type"),
                wrong("no content type", Request.fallback().type(""), 415, "unsupported content type"),
                wrong("a GET", Request.fallback().method("GET"), 405, "method not allowed"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrong")
    void gets_a_fixed_text_and_one_log_line_and_nothing_is_written(
            String name, Request request, int status, String text) {
        APIGatewayV2HTTPResponse response = world.fallback(request);

        assertThat(response.getStatusCode()).isEqualTo(status);
        assertThat(response.getBody()).isEqualTo(text);
        assertThat(response.getHeaders()).containsEntry("content-type", "text/plain; charset=utf-8");
        assertThat(world.line().event()).isEqualTo("webhook-refused");
        assertThat(world.line().fields()).containsEntry("status", "" + status);
        assertThat(world.line().toString()).doesNotContain("+1500", "nobody", "Acme!");
        assertThat(world.writes()).isZero();
        assertThat(world.table.announced()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("wrongHops")
    void hops_are_whole_numbers_up_to_999999(String hop) {
        APIGatewayV2HTTPResponse response = world.continued(Request.continued(hop));

        assertThat(response.getStatusCode()).isEqualTo(400);
        assertThat(response.getBody()).isEqualTo("bad request");
        assertThat(world.writes()).isZero();
    }

    static List<String> wrongHops() {
        return List.of("-1", "1000000", "one", "1.5", "");
    }

    @Test
    void a_notice_is_refused_in_the_same_way() {
        APIGatewayV2HTTPResponse status = new CallStatusHandler(world.functions())
                .handleRequest(Request.of("/twilio/status/acme/1").unsigned().event(), null);
        APIGatewayV2HTTPResponse stream = new StreamStatusHandler(world.functions())
                .handleRequest(
                        Request.of("/twilio/stream-status/acme/1").unsigned().event(), null);

        assertThat(status.getStatusCode()).isEqualTo(403);
        assertThat(stream.getStatusCode()).isEqualTo(403);
        assertThat(world.table.written()).hasSize(2);
        assertThat(world.writes()).isZero();
    }

    @Test
    void garbage_costs_no_read() {
        world.fallback(Request.fallback().body("%%%"));
        world.fallback(Request.fallback().without("CallSid"));
        world.fallback(Request.fallback().type("text/plain"));

        assertThat(world.table.operations().log()).isEmpty();
    }

    private static Arguments wrong(String name, Request request, int status, String text) {
        return Arguments.of(name, request, status, text);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
