package dev.spillway.load.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.Ending;
import dev.spillway.load.schedule.SyntheticScript;
import dev.spillway.load.schedule.Turn;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Phone calls against a system of a few lines: what counts as an answer, and what as completed. */
class TwilioMediaAdapterTest {
    private final FakeSystem system = new FakeSystem();

    @AfterEach
    void close() {
        system.close();
    }

    private static CallClass callClass(int turns, @Nullable Ending ending, Direction direction) {
        return new CallClass(
                "test",
                Collections.nCopies(turns, Turn.PLAIN),
                ending,
                direction,
                0.2,
                null,
                0,
                null,
                null,
                List.of(),
                null,
                null,
                SyntheticScript.PLAIN);
    }

    private static Operation operation(CallClass callClass, int id, @Nullable Double duration) {
        return new Operation(
                new Arrival(id, 0, duration, "test", null, null),
                callClass,
                callClass.direction(),
                1,
                System.nanoTime());
    }

    private Answer call(int turns, @Nullable Ending ending, @Nullable Double duration) throws Exception {
        try (var adapter = new TwilioMediaAdapter(system.target(), List.of("one"), 1)) {
            return adapter.call(operation(callClass(turns, ending, Direction.INBOUND), 0, duration));
        }
    }

    @Test
    void aConversationIsCompleted() throws Exception {
        var hangsUp = new FutureTask<>(() -> call(1, Ending.MID_TURN, null));
        Thread.ofVirtual().start(hangsUp);

        assertThat(call(1, null, null)).isEqualTo(Answer.COMPLETED);
        assertThat(hangsUp.get(20, TimeUnit.SECONDS)).isEqualTo(Answer.COMPLETED);
    }

    @Test
    void anAgentThatIsDeafAfterItsGreetingCompletesNothing() throws Exception {
        system.agent(FakeSystem.Agent.DEAF);
        // both speak from half a second on, for 0.2 s; one is gone less than two seconds later, before an answer could
        // come
        var hasty = new FutureTask<>(() -> call(1, Ending.AFTER_DURATION, 2.2));
        Thread.ofVirtual().start(hasty);

        Answer patient = call(1, Ending.AFTER_DURATION, 4.0);

        assertThat(patient.outcome()).isEqualTo(Outcome.ADAPTER_ERROR);
        assertThat(patient.detail()).isEqualTo("one-way audio: nothing was answered");
        assertThat(hasty.get(20, TimeUnit.SECONDS)).isEqualTo(Answer.COMPLETED);
    }

    @Test
    void whoPlansToGiveUpAndFindsARefusalOrNothingDidNotGiveUp() throws Exception {
        system.twiml("<Reject/>");
        assertThat(call(1, Ending.UNANSWERED, 20.0).outcome()).isEqualTo(Outcome.REJECTED);

        system.route("/voice", request -> Response.of(500, "text/plain", "no"));
        assertThat(call(1, Ending.UNANSWERED, 20.0).outcome()).isEqualTo(Outcome.ADAPTER_ERROR);

        system.route("/voice", request -> {
            new java.util.concurrent.CountDownLatch(1).await();
            return Response.NONE;
        });
        assertThat(call(1, Ending.UNANSWERED, 0.1).outcome()).isEqualTo(Outcome.UNANSWERED);
    }

    @Test
    void whoPlansToGiveUpAndFindsNobodyListeningSentNoRequest() throws Exception {
        URI closed;
        try (ServerSocket free = new ServerSocket(0)) {
            closed = URI.create("http://127.0.0.1:" + free.getLocalPort());
        }
        Target target = new Target(
                closed,
                null,
                null,
                null,
                List.of(new Target.Tenant("one", FakeSystem.NUMBER, FakeSystem.ACCOUNT, FakeSystem.TOKEN, closed)));
        try (var adapter = new TwilioMediaAdapter(target, List.of("one"), 1)) {
            Operation operation = operation(callClass(1, Ending.UNANSWERED, Direction.INBOUND), 0, 20.0);

            org.assertj.core.api.Assertions.assertThatThrownBy(() -> adapter.call(operation))
                    .isInstanceOf(NotSentException.class);
        }
    }

    /** As Spillway's dialer does it. */
    private int dial(TwilioMediaAdapter adapter, String to) throws Exception {
        String form = "To=" + encoded(to) + "&From=" + encoded(FakeSystem.NUMBER) + "&Url="
                + encoded(system.url() + "/voice");
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(adapter.twilio().url() + "/2010-04-01/Accounts/"
                                            + FakeSystem.ACCOUNT + "/Calls.json"))
                                    .header(
                                            "Authorization",
                                            "Basic "
                                                    + Base64.getEncoder()
                                                            .encodeToString(
                                                                    (FakeSystem.ACCOUNT + ":" + FakeSystem.TOKEN)
                                                                            .getBytes(StandardCharsets.UTF_8)))
                                    .header("Content-Type", "application/x-www-form-urlencoded")
                                    .POST(HttpRequest.BodyPublishers.ofString(form))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void aSecondDialOfOneOutboundCallIsNobodysCall() throws Exception {
        List<String> unexpected = new CopyOnWriteArrayList<>();
        try (var adapter = new TwilioMediaAdapter(system.target(), List.of("one"), 1)) {
            adapter.whenUnexpected(unexpected::add);
            String person = TestNumbers.of(3);
            system.route("/calls", request -> {
                dial(adapter, person);
                return Response.json(202, "{\"calls\":[{\"id\":\"job\"}]}");
            });

            Answer answer = adapter.call(operation(callClass(1, null, Direction.OUTBOUND), 3, null));
            assertThat(answer).isEqualTo(Answer.COMPLETED);
            assertThat(unexpected).isEmpty();
            dial(adapter, person);

            assertThat(unexpected).hasSize(1);
        }
    }

    @Test
    void whoIsDialledAfterARefusalWasNotToBeCalled() throws Exception {
        List<String> unexpected = new CopyOnWriteArrayList<>();
        try (var adapter = new TwilioMediaAdapter(system.target(), List.of("one"), 1)) {
            adapter.whenUnexpected(unexpected::add);
            system.route("/calls", request -> Response.json(429, "{}"));

            Answer answer = adapter.call(operation(callClass(1, null, Direction.OUTBOUND), 3, null));
            assertThat(answer.outcome()).isEqualTo(Outcome.REJECTED);
            dial(adapter, TestNumbers.of(3));

            assertThat(unexpected).hasSize(1);
        }
    }

    @Test
    void twoCallsToOnePersonAreTwoExpectedDials() throws Exception {
        List<String> unexpected = new CopyOnWriteArrayList<>();
        try (var adapter = new TwilioMediaAdapter(system.target(), List.of("one"), 1)) {
            adapter.whenUnexpected(unexpected::add);
            system.route("/calls", request -> Response.json(202, "{\"calls\":[{\"id\":\"job\"}]}"));
            system.route("/calls/job", request -> Response.json(200, "{}"));
            CallClass callClass = callClass(1, null, Direction.OUTBOUND);
            var first = new FutureTask<>(() -> adapter.call(operation(callClass, 3, null)));
            var retry = new FutureTask<>(() -> adapter.call(new Operation(
                    new Arrival(4, 0, null, "test", null, 3), callClass, Direction.OUTBOUND, 1, System.nanoTime())));
            Thread.ofVirtual().start(first);
            Thread.ofVirtual().start(retry);
            org.awaitility.Awaitility.await().until(() -> adapter.expectedDials() == 2);

            dial(adapter, TestNumbers.of(3));
            dial(adapter, TestNumbers.of(3));

            assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(Answer.COMPLETED);
            assertThat(retry.get(20, TimeUnit.SECONDS)).isEqualTo(Answer.COMPLETED);
            assertThat(unexpected).isEmpty();
            assertThat(adapter.expectedDials()).isZero();
        }
    }

    @Test
    void aHostThatOnlyTwimlNamesIsNotReached() throws Exception {
        List<String> unexpected = new CopyOnWriteArrayList<>();
        try (var adapter = new TwilioMediaAdapter(system.target(), List.of("one"), 1)) {
            adapter.whenUnexpected(unexpected::add);
            adapter.allowHosts(host -> host.equals("127.0.0.1"));
            CallClass callClass = callClass(1, null, Direction.INBOUND);
            system.twiml("<Connect><Stream url=\"wss://other.example/stream\"/></Connect>");
            adapter.call(operation(callClass, 0, null));
            assertThat(unexpected).singleElement().asString().contains("other.example");

            system.twiml("<Redirect>http://elsewhere.example/voice</Redirect>");
            adapter.call(operation(callClass, 1, null));
            assertThat(unexpected).hasSize(2).last().asString().contains("elsewhere.example");
        }
    }

    private Inventory inventory(String pool) throws Exception {
        system.route("/pools/one", request -> Response.json(200, pool));
        try (var adapter = new TwilioMediaAdapter(system.target(), List.of("one"), 1)) {
            return adapter.inventory().orElseThrow().read();
        }
    }

    @Test
    void whatAPoolDoesNotSayIsUnavailableAndNotZero() throws Exception {
        Inventory inventory = inventory("{\"containers\": [], \"policy\": {\"minimum\": 0}}");

        assertThat(inventory.containers()).isZero();
        assertThat(inventory.claims()).isZero();
        assertThat(inventory.minimum()).isZero();
        assertThat(inventory.starting()).isNull();
        assertThat(inventory.held()).isNull();
        assertThat(inventory.decisions()).isNull();
        assertThat(inventory("{}").claims()).isNull();
        assertThat(inventory("{}").containers()).isNull();
    }

    @Test
    void aClaimOnALostContainerIsStillAClaim() throws Exception {
        Inventory inventory = inventory("""
                {"containers": [
                  {"state": "READY", "slots": {"limit": 6}, "claims": {"ACTIVE": 1}},
                  {"state": "LOST", "slots": {"limit": 6}, "claims": {"ACTIVE": 1, "COOLDOWN": 1}}],
                 "held": [{"callSid": "CA1", "seconds": 2.5}], "starting": 0,
                 "policy": {"minimum": 1}, "desired": {"version": 4}}
                """);

        assertThat(inventory.containers()).isEqualTo(1);
        assertThat(inventory.slots()).isEqualTo(6);
        assertThat(inventory.claims()).isEqualTo(3);
        assertThat(inventory.cleanup()).isEqualTo(1);
        assertThat(inventory.queueAge()).isEqualTo(2.5);
        assertThat(inventory.atBaseline()).isFalse();
    }

    @Test
    void aJobThatCannotBeAskedAboutIsCanceledOrStillWaiting() throws Exception {
        system.route(
                "/pools/one", request -> Response.json(200, "{\"containers\": [], \"held\": [], \"starting\": 0}"));
        try (var adapter = new TwilioMediaAdapter(system.target(), List.of("one"), 1)) {
            system.route("/calls", request -> Response.json(202, "{\"calls\":[{\"id\":\"job\"}]}"));
            system.route(
                    "/calls/job", request -> request.method().equals("GET") ? Response.NONE : Response.json(503, "{}"));
            org.assertj.core.api.Assertions.assertThatThrownBy(
                            () -> adapter.call(operation(callClass(1, null, Direction.OUTBOUND), 3, null)))
                    .isInstanceOf(UnknownOutcomeException.class);

            Inventory inventory = adapter.inventory().orElseThrow().read();
            assertThat(system.requests()).contains("DELETE /calls/job");
            assertThat(adapter.expectedDials()).isZero();
            assertThat(inventory.waiting()).isEqualTo(1);
            assertThat(inventory.queueAge()).isPositive();
            assertThat(inventory.atBaseline()).isFalse();
        }
    }
}
