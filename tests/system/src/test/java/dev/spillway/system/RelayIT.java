package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.pool.Container;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The load balancer brings streams to the wrong container of the pool: it passes them on, between real processes. The tests run in
 * order and hand the system on: each leaves it without streams.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RelayIT {
    private static Stage stage;
    private static HttpClient client;

    @BeforeAll
    static void start() throws Exception {
        stage = new Stage(20, TwilioSwitches.likely(5));
        client = HttpClient.newHttpClient();
    }

    @AfterAll
    static void stop() {
        client.shutdownNow();
        stage.close();
    }

    @Test
    @Order(1)
    void streams_that_arrive_at_the_wrong_container_are_answered_by_their_addressee_and_leave_nothing()
            throws Exception {
        List<Container> pair = stage.ready(Stage.GLOBEX);
        List<CompletableFuture<WebSocket>> streams = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Container arrived = pair.get(i % 2);
            Container addressee = pair.get((i + 1) % 2);
            Instant now = Instant.now();
            StreamAddress address = StreamAddress.of(
                    LocalTenant.GLOBEX.tenant().id(),
                    new CallSid("CA" + "%032x".formatted(i + 1)),
                    new Answer.Stream(
                            Stage.GLOBEX,
                            addressee.id(),
                            Generation.parse("1.abcdefghijklmno" + i).orElseThrow(),
                            now.plusSeconds(60),
                            now));
            URI uri = URI.create(
                    "ws://" + arrived.address() + address.path(stage.system().streamKey(Stage.GLOBEX)));
            streams.add(client.newWebSocketBuilder()
                    .connectTimeout(Duration.ofSeconds(5))
                    .buildAsync(uri, new WebSocket.Listener() {}));
        }
        for (CompletableFuture<WebSocket> stream : streams) {
            String answered = stream.handle((socket, refused) -> socket == null ? String.valueOf(refused) : "open")
                    .get(15, TimeUnit.SECONDS);
            assertThat(answered).as("only 101 opens one").isEqualTo("open");
        }
        for (CompletableFuture<WebSocket> stream : streams) {
            stream.get().abort();
        }
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(stage.view(Stage.GLOBEX).containers())
                        .allSatisfy(container -> assertThat(container.report().isQuiet())
                                .as(container.report().toString())
                                .isTrue()));
    }

    @Test
    @Order(3)
    void a_stream_whose_addressee_does_not_answer_is_refused_within_its_setups_budget_and_the_call_says_why()
            throws Exception {
        LocalSystem system = stage.system();
        List<Container> pair = stage.ready(Stage.GLOBEX);
        Instant now = Instant.now();
        // given a call that was sent to a container which is frozen, and whose claim nobody can see
        CallSid sid = new CallSid("CA" + "%032x".formatted(77));
        Answer.Stream answer = new Answer.Stream(
                Stage.GLOBEX,
                pair.getFirst().id(),
                Generation.parse("1.abcdefghijklmnop").orElseThrow(),
                now.plusSeconds(60),
                now);
        system.calls().begin(Call.placedDirectly(LocalTenant.GLOBEX.tenant().id(), sid, answer));
        system.ecs().freeze(pair.getFirst().id().value());
        try {
            // when its stream comes to the other one
            StreamAddress address = StreamAddress.of(LocalTenant.GLOBEX.tenant().id(), sid, answer);
            URI uri = URI.create("ws://" + pair.getLast().address() + address.path(system.streamKey(Stage.GLOBEX)));
            String answered = client.newWebSocketBuilder()
                    .buildAsync(uri, new WebSocket.Listener() {})
                    .handle((socket, refused) -> socket == null ? "refused" : "open")
                    .get(14, TimeUnit.SECONDS);
            // then that one gives up in time, and the call's story has the refusal with its cause
            assertThat(answered).isEqualTo("refused");
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                Call call = system.calls()
                        .find(LocalTenant.GLOBEX.tenant().id(), sid)
                        .orElseThrow();
                assertThat(call.story().steps())
                        .filteredOn(step -> step.kind() == Step.Kind.REFUSED)
                        .singleElement()
                        .satisfies(step -> assertThat(step.cause()).isEqualTo(Cause.DEPENDENCY));
            });
        } finally {
            system.ecs().thaw(pair.getFirst().id().value());
        }
    }

    @Test
    @Order(2)
    void a_stream_that_is_passed_on_to_the_wrong_container_raises_an_alert_at_once() throws Exception {
        List<Container> pair = stage.ready(Stage.GLOBEX);
        Instant now = Instant.now();
        StreamAddress relayed = StreamAddress.of(
                        LocalTenant.GLOBEX.tenant().id(),
                        new CallSid("CA" + "%032x".formatted(78)),
                        new Answer.Stream(
                                Stage.GLOBEX,
                                pair.getFirst().id(),
                                Generation.parse("1.abcdefghijklmnoq").orElseThrow(),
                                now.plusSeconds(60),
                                now))
                .relayed();
        URI uri = URI.create(
                "ws://" + pair.getLast().address() + relayed.path(stage.system().streamKey(Stage.GLOBEX)));

        String answered = client.newWebSocketBuilder()
                .buildAsync(uri, new WebSocket.Listener() {})
                .handle((socket, refused) -> socket == null ? "refused" : "open")
                .get(14, TimeUnit.SECONDS);

        assertThat(answered).isEqualTo("refused");
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(stage.logged("wrong-container")).hasSize(1));
    }
}
