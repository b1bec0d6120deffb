package dev.spillway.localcloud.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.localcloud.twilio.Application.Received;
import dev.spillway.localcloud.twilio.TwilioSwitches.AfterStreamFailure;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RestTest {
    private static final String UNKNOWN = "CA00000000000000000000000000000009";

    private final Application application = new Application();
    private final StreamServer server = new StreamServer();
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        application.close();
        server.close();
        client.close();
    }

    private Call streamingCall() {
        server.on("/s", (connection, message) -> {});
        application
                .twiml("/voice", Application.stream(server.url("/s")) + "<Redirect>/continue</Redirect>")
                .twiml("/continue", "<Hangup/>");
        Call call = application.call();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> call.history().streams().stream()
                        .anyMatch(stream -> stream.openedAt().isPresent()));
        return call;
    }

    @Test
    void a_call_is_read_by_the_real_librarys_model() throws Exception {
        Call call = streamingCall();

        var answer = get("/Calls/" + call.sid() + ".json");

        assertThat(answer.statusCode()).isEqualTo(200);
        var read = com.twilio.rest.api.v2010.account.Call.fromJson(
                answer.body(),
                new com.fasterxml.jackson.databind.ObjectMapper()
                        .registerModule(new com.fasterxml.jackson.datatype.jsr310.JavaTimeModule()));
        assertThat(read.getSid()).isEqualTo(call.sid());
        assertThat(read.getStatus()).isEqualTo(com.twilio.rest.api.v2010.account.Call.Status.IN_PROGRESS);
        assertThat(read.getTo()).isEqualTo(Application.NUMBER);
    }

    @Test
    void an_update_interrupts_the_stream_and_runs_the_new_document() throws Exception {
        Call call = streamingCall();
        application.twiml("/moved", "<Say>Moved</Say><Hangup/>");

        var answer = post(
                "/Calls/" + call.sid() + ".json",
                "Url",
                application.url("/moved").toString());
        Application.toItsEnd(call);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(call.history().spoken()).containsExactly("Moved");
        assertThat(application.received("/continue")).isEmpty();
        Received moved = application.received("/moved").getFirst();
        assertThat(moved.signed()).isTrue();
        assertThat(moved.fields()).containsEntry("CallStatus", "in-progress");
        assertThat(call.history().streams().getFirst().ending()).hasValue(StreamEnding.STOPPED);
        await().atMost(Duration.ofSeconds(10))
                .until(() -> !server.connections.getFirst().events("stop").isEmpty());
    }

    @Test
    void an_update_brings_twiml_of_its_own() throws Exception {
        Call call = streamingCall();

        post("/Calls/" + call.sid() + ".json", "Twiml", "<Response><Redirect>/continue</Redirect></Response>");
        Application.toItsEnd(call);

        assertThat(application.received("/continue")).hasSize(1);
    }

    @Test
    void an_update_whose_url_fails_goes_to_the_fallback() throws Exception {
        Call call = streamingCall();
        application.twiml("/fallback", "<Hangup/>");

        post(
                "/Calls/" + call.sid() + ".json",
                "Url",
                application.url("/nothing").toString());
        Application.toItsEnd(call);

        assertThat(application.received("/fallback").getFirst().fields())
                .containsEntry("ErrorUrl", application.url("/nothing").toString());
    }

    @Test
    void an_update_saves_a_call_whose_handshake_was_refused() throws Exception {
        application.twilio.switches(
                application.twilio.switches().withAfterRefusedStream(AfterStreamFailure.WAIT_FOR_UPDATE));
        application
                .twiml("/voice", Application.stream(server.url("/refused")) + "<Redirect>/continue</Redirect>")
                .twiml("/moved", "<Hangup/>");
        Call call = application.call();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> call.history().problemCodes().contains(31920));

        post("/Calls/" + call.sid() + ".json", "Url", application.url("/moved").toString());
        Application.toItsEnd(call);

        assertThat(call.endReason()).hasValue(EndReason.AGENT_HUNG_UP);
        assertThat(application.received("/moved")).hasSize(1);
    }

    @Test
    void status_completed_ends_a_call_and_afterwards_it_is_not_in_progress() throws Exception {
        Call call = streamingCall();

        var canceled = post("/Calls/" + call.sid() + ".json", "Status", "canceled");
        var completed = post("/Calls/" + call.sid() + ".json", "Status", "completed");
        Application.toItsEnd(call);
        var late = post(
                "/Calls/" + call.sid() + ".json",
                "Url",
                application.url("/moved").toString());

        assertThat(canceled.statusCode()).isEqualTo(400);
        assertThat(completed.statusCode()).isEqualTo(200);
        assertThat(call.endReason()).hasValue(EndReason.COMPLETED_BY_REST);
        assertThat(late.statusCode()).isEqualTo(400);
        assertThat(code(late)).isEqualTo(21220);
    }

    @Test
    void errors_carry_twilios_codes() throws Exception {
        Call call = streamingCall();
        String path = "/Calls/" + call.sid() + ".json";

        assertThat(code(get("/Calls/" + UNKNOWN + ".json"))).isEqualTo(20404);
        assertThat(code(post("/Calls/" + UNKNOWN + ".json", "Status", "completed")))
                .isEqualTo(20404);
        assertThat(code(send(request(path, "wrong").GET().build()))).isEqualTo(20003);
        assertThat(send(request(path, "wrong").GET().build()).statusCode()).isEqualTo(401);
        assertThat(post(path, "Twiml", "<Response>").statusCode()).isEqualTo(400);
        assertThat(post(path, "Url", "nowhere").statusCode()).isEqualTo(400);
        assertThat(code(post("/Calls.json", "To", "12"))).isEqualTo(21211);
        assertThat(code(post("/Calls.json", "To", "+15005550002", "From", "+15005550009")))
                .isEqualTo(21210);
        application.twilio.throttle(true);
        var throttled = get(path);
        assertThat(throttled.statusCode()).isEqualTo(429);
        assertThat(code(throttled)).isEqualTo(20429);
    }

    private HttpResponse<String> dial() throws Exception {
        return post(
                "/Calls.json",
                "To",
                "+15005550042",
                "From",
                Application.NUMBER,
                "Url",
                application.url("/dialled").toString(),
                "StatusCallback",
                application.url("/progress").toString(),
                "StatusCallbackEvent",
                "initiated",
                "StatusCallbackEvent",
                "ringing");
    }

    private Call dialled(HttpResponse<String> answer) throws Exception {
        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(json(answer).get("direction").asText()).isEqualTo("outbound-api");
        assertThat(json(answer).get("status").asText()).isEqualTo("queued");
        return application.twilio.call(json(answer).get("sid").asText()).orElseThrow();
    }

    @Test
    void a_call_that_is_made_rings_is_answered_and_tells_its_progress() throws Exception {
        application.twiml("/dialled", "<Hangup/>").twiml("/progress", "");
        application.twilio.whenDialled(number -> new Callee.Answers(Duration.ofMillis(100), CallScript.ofTurns(1)));

        Call call = dialled(dial());
        Application.toItsEnd(call);

        assertThat(call.status()).isEqualTo(CallStatus.COMPLETED);
        await().atMost(Duration.ofSeconds(10))
                .until(() -> call.history().webhooks(CallHistory.Purpose.CALL_STATUS).stream()
                        .map(hook -> hook.parameters().get("CallStatus"))
                        .toList()
                        .containsAll(java.util.List.of("initiated", "ringing", "completed")));
    }

    @Test
    void people_who_are_dialled_may_be_busy_away_or_unreachable() throws Exception {
        application.twilio.callsPerSecond(1000);
        java.util.Map<Callee, CallStatus> wanted = java.util.Map.of(
                new Callee.Busy(Duration.ofMillis(50)), CallStatus.BUSY,
                new Callee.NoAnswer(Duration.ofMillis(50)), CallStatus.NO_ANSWER,
                new Callee.Fails(Duration.ofMillis(50)), CallStatus.FAILED);
        for (var entry : wanted.entrySet()) {
            application.twilio.whenDialled(number -> entry.getKey());
            Call call = dialled(dial());
            Application.toItsEnd(call);
            assertThat(call.status()).isEqualTo(entry.getValue());
        }
        application.twilio.whenDialled(number -> new Callee.RingsOn());
        Call ringing = dialled(dial());
        post("/Calls/" + ringing.sid() + ".json", "Status", "completed");
        Application.toItsEnd(ringing);
        assertThat(ringing.status()).isEqualTo(CallStatus.CANCELED);
    }

    @Test
    void a_dial_whose_reply_is_lost_takes_effect_and_is_listed() throws Exception {
        application.twilio.whenDialled(number -> new Callee.RingsOn());
        application.twilio.loseDialReplies(1);

        assertThat(dial().statusCode()).isEqualTo(503);

        assertThat(json(get("/Calls.json?To=%2B15005550042&From=" + Application.NUMBER.replace("+", "%2B")))
                        .get("calls"))
                .hasSize(1);
        assertThat(dial().statusCode()).isEqualTo(201);
    }

    @Test
    void calls_beyond_the_rate_wait_in_the_queue() throws Exception {
        application.twilio.whenDialled(number -> new Callee.RingsOn());
        application.twilio.callsPerSecond(0.1);
        Call first = dialled(dial());
        Call second = dialled(dial());

        await().atMost(Duration.ofSeconds(5)).until(() -> first.status() == CallStatus.RINGING);
        assertThat(second.status()).isEqualTo(CallStatus.QUEUED);
        // a call that waits has not started, and is in no list of calls that started on some day
        assertThat(json(get("/Calls/" + first.sid() + ".json"))
                        .get("start_time")
                        .isNull())
                .isFalse();
        assertThat(json(get("/Calls/" + second.sid() + ".json"))
                        .get("start_time")
                        .isNull())
                .isTrue();
        assertThat(json(get("/Calls.json?StartTime%3E=2000-01-01")).get("calls").findValuesAsText("sid"))
                .containsExactly(first.sid());
        assertThat(json(get("/Calls.json?StartTime%3C=2000-01-01")).get("calls"))
                .isEmpty();
        assertThat(json(get("/Calls.json")).get("calls")).hasSize(2);
    }

    @Test
    void calls_are_listed_by_status_and_page() throws Exception {
        application.twiml("/voice", "<Hangup/>");
        application.callToItsEnd();
        application.callToItsEnd();
        Call up = streamingCall();

        JsonNode all = json(get("/Calls.json?PageSize=2"));
        JsonNode second = json(send(HttpRequest.newBuilder(URI.create(
                        application.twilio.url() + all.path("next_page_uri").asText()))
                .header("Authorization", basic(Application.TOKEN))
                .build()));
        JsonNode running = json(get("/Calls.json?Status=in-progress&To=" + encode(Application.NUMBER)));

        assertThat(all.path("calls")).hasSize(2);
        assertThat(all.at("/calls/0/sid").asText()).isEqualTo(up.sid());
        assertThat(second.path("calls")).hasSize(1);
        assertThat(second.path("next_page_uri").isNull()).isTrue();
        assertThat(running.path("calls")).hasSize(1);
        assertThat(running.at("/calls/0/sid").asText()).isEqualTo(up.sid());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(request(path, Application.TOKEN).GET().build());
    }

    private HttpResponse<String> post(String path, String... fieldsAndValues) throws Exception {
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < fieldsAndValues.length; i += 2) {
            form.append(i == 0 ? "" : "&")
                    .append(fieldsAndValues[i])
                    .append('=')
                    .append(encode(fieldsAndValues[i + 1]));
        }
        return send(request(path, Application.TOKEN)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form.toString()))
                .build());
    }

    private HttpResponse<String> send(HttpRequest request) throws Exception {
        return client.send(request, BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path, String token) {
        return HttpRequest.newBuilder(
                        URI.create(application.twilio.url() + "/2010-04-01/Accounts/" + Application.ACCOUNT + path))
                .header("Authorization", basic(token));
    }

    private static String basic(String token) {
        byte[] pair = (Application.ACCOUNT + ":" + token).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static JsonNode json(HttpResponse<String> answer) throws Exception {
        return new ObjectMapper().readTree(answer.body());
    }

    private static int code(HttpResponse<String> answer) throws Exception {
        return json(answer).path("code").asInt();
    }
}
