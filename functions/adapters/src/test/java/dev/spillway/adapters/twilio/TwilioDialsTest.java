package dev.spillway.adapters.twilio;

import static dev.spillway.adapters.Samples.CALL;
import static dev.spillway.adapters.Samples.TENANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.spillway.core.DependencyException;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Dials.Listed;
import dev.spillway.core.outbound.Dials.Result;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@SuppressWarnings("NullAway.Init")
class TwilioDialsTest {
    private static final Instant NOW = Instant.parse("2026-11-29T09:00:00Z");
    private static final Generation GENERATION = new Generation(1, "abcdefgh12345678");
    private static final Job JOB = Job.accepted(
            new JobId(TENANT.id(), "00000000000000000001"),
            "+15005550042",
            "+15005550006",
            "scripted",
            new Job.Batch("a", 1),
            NOW,
            NOW.plusSeconds(60),
            Duration.ZERO,
            NOW);

    private record Reply(int status, String body) {}

    /** Its last byte never comes. */
    private static final Reply STALLED = new Reply(200, "{");

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final Deque<Reply> replies = new ArrayDeque<>();
    private HttpServer server;
    private TwilioDials dials;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        dials = new TwilioDials(
                "http://127.0.0.1:" + server.getAddress().getPort(),
                new Callbacks("https://api.example.com"),
                new TwilioTokens() {
                    @Override
                    public List<String> of(Tenant tenant) {
                        return List.of("one");
                    }

                    @Override
                    public void refresh(Tenant tenant) {}
                },
                () -> NOW);
    }

    @AfterEach
    void stop() {
        dials.close();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        seen.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                + URLDecoder.decode(form, StandardCharsets.UTF_8));
        Reply reply = replies.removeFirst();
        byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(reply.status(), body.length + (reply.equals(STALLED) ? 1 : 0));
        exchange.getResponseBody().write(body);
        if (reply.equals(STALLED)) {
            exchange.getResponseBody().flush();
        } else {
            exchange.close();
        }
    }

    private Result dial() {
        return dials.dial(TENANT, JOB, GENERATION, NOW.plusSeconds(1));
    }

    @Test
    void a_dial_carries_job_and_generation_and_gives_the_call() {
        replies.add(new Reply(201, "{\"sid\":\"" + CALL + "\",\"status\":\"queued\"}"));

        assertThat(dial()).isEqualTo(new Result.Taken(CALL));

        String dial = JOB.id() + "/" + GENERATION;
        assertThat(seen)
                .singleElement()
                .satisfies(request -> assertThat(request)
                        .startsWith("POST /2010-04-01/Accounts/" + TENANT.accountSid() + "/Calls.json ")
                        .contains("To=+15005550042&From=+15005550006")
                        .contains("&Url=https://api.example.com/twilio/dial/" + TENANT.id() + "/" + dial + "#ct=1000")
                        .contains("&StatusCallback=https://api.example.com/twilio/outbound-status/" + TENANT.id() + "/"
                                + dial + "&")
                        .contains("&FallbackUrl=https://api.example.com/twilio/fallback/" + TENANT.id()
                                + "#ct=2000&rt=8000&tt=15000&rc=1&")
                        .contains("&StatusCallbackEvent=completed"));
    }

    @Test
    void nobody_knows_what_became_of_a_request_without_a_good_answer_and_it_is_not_repeated() {
        replies.add(new Reply(503, "{}"));
        assertThat(dial()).isEqualTo(new Result.Unknown("Twilio says 503"));

        replies.add(new Reply(201, "not json"));
        assertThat(dial()).isInstanceOf(Result.Unknown.class);
        assertThat(seen).hasSize(2);
    }

    @Test
    @Timeout(20)
    void an_answer_whose_body_stalls_says_nothing_of_the_dial_either() {
        replies.add(STALLED);
        assertThat(dial()).isEqualTo(new Result.Unknown("no answer from Twilio"));

        replies.add(STALLED);
        assertThatThrownBy(() -> dials.status(TENANT, CALL)).isInstanceOf(DependencyException.class);
        assertThat(seen).hasSize(2);
    }

    @Test
    void too_many_requests_are_refused_for_now_and_an_invalid_number_for_good() {
        replies.add(new Reply(429, "{\"code\":20429}"));
        assertThat(dial()).isEqualTo(new Result.Refused("Twilio says 429, error 20429", false));

        replies.add(new Reply(400, "{\"code\":21211}"));
        assertThat(dial()).isEqualTo(new Result.Refused("Twilio says 400, error 21211", true));
    }

    @Test
    void what_is_wrong_with_the_account_is_not_the_calls_own_fault() {
        for (int status : List.of(403, 404, 405)) {
            replies.add(new Reply(status, "{\"code\":20005}"));
            assertThat(dial()).isEqualTo(new Result.Refused("Twilio says " + status + ", error 20005", false));
        }
    }

    @Test
    void a_dial_that_comes_too_late_or_reaches_nobody_is_surely_not_made() {
        assertThat(dials.dial(TENANT, JOB, GENERATION, NOW.minusSeconds(1)))
                .isEqualTo(new Result.Refused("too late to ask Twilio", false));
        server.stop(0);
        assertThat(dial()).isEqualTo(new Result.Refused("Twilio cannot be reached", false));
        assertThat(seen).isEmpty();
    }

    @Test
    void calls_made_before_are_not_listed() {
        replies.add(new Reply(
                200,
                "{\"calls\":[{\"sid\":\"" + CALL
                        + "\",\"status\":\"ringing\",\"date_created\":\"Sun, 29 Nov 2026 09:00:05 +0000\"},"
                        + "{\"sid\":\"CA00000000000000000000000000000077\",\"status\":\"completed\","
                        + "\"date_created\":\"Sun, 29 Nov 2026 08:00:00 +0000\"}]}"));

        assertThat(dials.find(TENANT, JOB.from(), JOB.to(), NOW)).containsExactly(new Listed(CALL, "ringing"));
        assertThat(seen)
                .singleElement()
                .satisfies(request -> assertThat(request)
                        .contains("From=%2B15005550006&To=%2B15005550042")
                        .doesNotContain("StartTime")); // a queued call has none
    }

    @Test
    void a_call_that_is_over_is_not_hung_up_again_and_no_answer_is_no_status() {
        replies.add(new Reply(400, "{\"code\":21220}"));
        assertThat(dials.hangUp(TENANT, CALL)).isFalse();
        replies.add(new Reply(404, "{}"));
        assertThat(dials.status(TENANT, CALL)).isEmpty();
        replies.add(new Reply(200, "{\"status\":\"no-answer\"}"));
        assertThat(dials.status(TENANT, CALL)).contains("no-answer");
        replies.add(new Reply(200, "{}"));
        assertThatThrownBy(() -> dials.status(TENANT, CALL)).isInstanceOf(DependencyException.class);
        replies.add(new Reply(500, "{}"));
        assertThatThrownBy(() -> dials.status(TENANT, CALL)).isInstanceOf(DependencyException.class);
    }
}
