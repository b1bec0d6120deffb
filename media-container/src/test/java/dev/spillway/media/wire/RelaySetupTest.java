package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Report;
import dev.spillway.media.call.SetupBudget;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An addressee that is reached and does not answer: the caller goes on, and the call's record says why. */
class RelaySetupTest {
    private final MemoryTable table = Rig.table();
    private final Rig relay = Rig.of(table, new HandClock(NOW), ACME_POOL, "c2")
            .budget(new SetupBudget(Duration.ofSeconds(12), Duration.ofMillis(300)))
            .start();

    @AfterEach
    void close() {
        relay.close();
    }

    @Test
    void an_addressee_that_accepts_and_stays_silent_is_given_up_with_503_and_a_step_of_the_attempt()
            throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            place(silent);
            assertThat(TestStream.refusal(stream())).isEqualTo(503);
            await().until(() -> relay.admission().report(0).isQuiet());
            assertThat(table.written("relay-failed").getFirst().fields().get("reason"))
                    .startsWith("the addressee did not answer within ");
            Step told = table.look(ACME, call(1)).story().steps().getLast();
            assertThat(told.kind()).isEqualTo(Step.Kind.REFUSED);
            assertThat(told.hop()).isEqualTo(1);
            assertThat(told.container()).isEqualTo(new ContainerId("c9"));
            assertThat(told.cause()).isEqualTo(Cause.DEPENDENCY);
            assertThat(told.reason()).startsWith("the addressee did not answer within ");
        }
    }

    @Test
    void an_addressee_that_closes_without_an_answer_is_given_up_at_once() throws IOException {
        try (ServerSocket closing = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            place(closing);
            var closed = CompletableFuture.runAsync(() -> {
                try (Socket one = closing.accept()) {
                    one.getInputStream().read();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(TestStream.refusal(stream())).isEqualTo(503);
            closed.join();
            await().until(() -> relay.admission().report(0).isQuiet());
        }
    }

    @Test
    void a_call_without_a_record_and_a_table_that_does_not_answer_change_nothing_about_the_503() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            table.put(addressee("127.0.0.1:" + silent.getLocalPort()));
            fill();
            assertThat(TestStream.refusal(stream())).isEqualTo(503);
            table.operations().failAll(Operation.CALLS_TELL::equals);
            assertThat(TestStream.refusal(stream())).isEqualTo(503);
            assertThat(table.written("setback-untold")).hasSize(1);
            assertThat(table.attempts()).isZero();
        }
    }

    private void place(ServerSocket at) {
        table.put(addressee("127.0.0.1:" + at.getLocalPort()));
        table.put(Call.placedDirectly(ACME, call(1), answer()));
        fill();
    }

    private void fill() {
        table.put(Sample.withCalls(relay.item(), ACME, 101, 6));
        relay.admission().observe(relay.item().claims(), NOW, NOW);
    }

    private static Answer.Stream answer() {
        return new Answer.Stream(ACME_POOL, new ContainerId("c9"), generation(1, 1), NOW.plusSeconds(60), NOW);
    }

    private URI stream() {
        return relay.ws(relay.path(ACME, call(1), answer()));
    }

    private static Container addressee(String address) {
        return new Container(
                ACME_POOL,
                new ContainerId("c9"),
                "boot-c9",
                ContainerState.READY,
                "serving",
                NOW,
                address,
                "7",
                6,
                Map.of(),
                Report.empty(NOW),
                NOW.plusSeconds(30),
                NOW.plusSeconds(3_600),
                NOW,
                false);
    }
}
