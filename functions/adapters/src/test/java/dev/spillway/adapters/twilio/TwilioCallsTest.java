package dev.spillway.adapters.twilio;

import static dev.spillway.adapters.Samples.CALL;
import static dev.spillway.adapters.Samples.TENANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallStatus;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@SuppressWarnings("NullAway.Init")
class TwilioCallsTest {
    private record Seen(String request, String user, String form) {}

    private record Reply(int status, String body) {}

    /** Its last byte never comes. */
    private static final Reply STALLED = new Reply(200, "{");

    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final Deque<Reply> replies = new ArrayDeque<>();
    private final Tokens tokens = new Tokens();
    private HttpServer server;
    private TwilioCalls calls;

    private static final class Tokens implements TwilioTokens {
        private List<String> accepted = List.of("one");
        private int refreshed;

        @Override
        public List<String> of(Tenant tenant) {
            return accepted;
        }

        @Override
        public void refresh(Tenant tenant) {
            refreshed++;
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        calls = new TwilioCalls(
                "http://127.0.0.1:" + server.getAddress().getPort(), new Callbacks("https://api.example.com"), tokens);
    }

    @AfterEach
    void stop() {
        calls.close();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String basic = exchange.getRequestHeaders().getFirst("Authorization").substring("Basic ".length());
        seen.add(new Seen(
                exchange.getRequestMethod() + " " + exchange.getRequestURI(),
                new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8),
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
        Reply reply = replies.isEmpty() ? new Reply(200, "{}") : replies.removeFirst();
        byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(reply.status(), body.length + (reply.equals(STALLED) ? 1 : 0));
        exchange.getResponseBody().write(body);
        if (reply.equals(STALLED)) {
            exchange.getResponseBody().flush();
        } else {
            exchange.close();
        }
    }

    @Test
    void a_live_call_is_sent_to_the_continue_url_of_its_hop() {
        assertThat(calls.sendToContinue(TENANT, CALL, 2)).isTrue();

        assertThat(seen)
                .containsExactly(new Seen(
                        "POST /2010-04-01/Accounts/AC00000000000000000000000000000001/Calls/" + CALL + ".json",
                        "AC00000000000000000000000000000001:one",
                        "Method=POST&Url=https%3A%2F%2Fapi.example.com%2Ftwilio%2Fcontinue%2Facme%2F2"
                                + "%23ct%3D1000%26rt%3D3000%26tt%3D5000%26rc%3D0"));
    }

    @Test
    @Timeout(20)
    void an_answer_whose_body_stalls_is_a_doubtful_one_and_asked_for_again() {
        replies.add(STALLED);

        assertThat(calls.sendToContinue(TENANT, CALL, 2)).isTrue();
        assertThat(seen).hasSize(2);
    }

    @Test
    void a_call_that_is_over_or_unknown_is_not_moved() {
        replies.add(new Reply(400, "{\"code\": 21220, \"message\": \"Call is not in-progress\", \"status\": 400}"));
        replies.add(new Reply(404, "{\"code\": 20404, \"status\": 404}"));

        assertThat(calls.sendToContinue(TENANT, CALL, 2)).isFalse();
        assertThat(calls.sendToContinue(TENANT, CALL, 2)).isFalse();
        assertThat(seen).hasSize(2);
    }

    @Test
    void the_next_token_is_tried_when_the_current_one_no_longer_counts() {
        tokens.accepted = List.of("one", "two");
        replies.add(new Reply(401, "{}"));

        assertThat(calls.sendToContinue(TENANT, CALL, 2)).isTrue();
        assertThat(seen.get(1).user()).endsWith(":two");
    }

    @Test
    void without_a_right_token_the_tokens_are_refreshed_and_none_is_told() {
        replies.add(new Reply(401, "{}"));

        assertThatThrownBy(() -> calls.sendToContinue(TENANT, CALL, 2))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("none of the tokens")
                .hasMessageNotContaining("one:");
        assertThat(tokens.refreshed).isEqualTo(1);
    }

    @Test
    void twilio_in_trouble_is_asked_three_times_in_all() {
        replies.add(new Reply(429, "{}"));
        replies.add(new Reply(503, ""));

        assertThat(calls.sendToContinue(TENANT, CALL, 2)).isTrue();
        assertThat(seen).hasSize(3);

        replies.addAll(List.of(new Reply(500, ""), new Reply(500, ""), new Reply(500, "")));
        assertThatThrownBy(() -> calls.sendToContinue(TENANT, CALL, 2))
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("Twilio says 500");
        assertThat(seen).hasSize(6);
    }

    @Test
    void another_refusal_is_told_at_once() {
        replies.add(new Reply(400, "{\"code\": 21205}"));

        assertThatThrownBy(() -> calls.sendToContinue(TENANT, CALL, 2)).hasMessageContaining("Twilio says 400");
        assertThat(seen).hasSize(1);
    }

    @Test
    void a_call_s_status_is_asked_for_and_twilio_s_word_for_it_understood() {
        replies.add(new Reply(200, "{\"sid\": \"CA1\", \"status\": \"in-progress\", \"price\": null}"));
        assertThat(calls.status(TENANT, CALL)).isEqualTo(new CallStatus.Live("in-progress"));
        assertThat(seen.getFirst().request()).startsWith("GET ").endsWith("/Calls/" + CALL + ".json");

        replies.add(new Reply(200, "{\"status\":\"no-answer\"}"));
        assertThat(calls.status(TENANT, CALL)).isEqualTo(new CallStatus.Over(FinalStatus.NO_ANSWER));

        replies.add(new Reply(404, "{\"code\": 20404, \"status\": 404}"));
        assertThat(calls.status(TENANT, CALL)).isEqualTo(new CallStatus.Unknown());
    }

    @Test
    void a_status_that_twilio_does_not_tell_is_none() {
        replies.add(new Reply(200, "{}"));
        assertThatThrownBy(() -> calls.status(TENANT, CALL)).isInstanceOf(DependencyException.class);

        replies.add(new Reply(500, ""));
        replies.add(new Reply(503, ""));
        replies.add(new Reply(200, "{\"status\":\"completed\"}"));
        assertThat(calls.status(TENANT, CALL)).isEqualTo(new CallStatus.Over(FinalStatus.COMPLETED));
    }
}
