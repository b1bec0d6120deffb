package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Report;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestStream;
import dev.spillway.media.rig.Webhook;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The container that passes a stream on is told to stop: its neighbour is asked to let the call go. */
class RelayDepartureTest {
    private static final String STOPS = "the container stops";

    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final Rig addressee = Rig.of(table, clock, ACME_POOL, "c1").start();
    private final Rig relay = Rig.of(table, clock, ACME_POOL, "c2").start();

    @AfterEach
    void close() {
        addressee.close();
        relay.close();
    }

    @Test
    void a_relayed_caller_is_let_go_at_the_end_of_his_turn_and_the_neighbours_other_calls_stay() {
        // given one who is relayed and speaks, and one whose stream came straight
        TestStream direct = place(1).opened(addressee, 1);
        TestStream relayed = speaking(relayed(2));
        // when
        relay.streams().leaveAll(STOPS);
        // then
        relayed.frames(15, false);
        assertThat(relayed.awaitClosed().code()).isEqualTo(1000);
        assertThat(relayed.marks()).as("he was answered first").contains("persona:acme:answer");
        assertThat(table.written("stream-closed"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.fields())
                        .containsEntry("callSid", call(2).value())
                        .containsEntry("reason", "the container that its stream comes through stops"));
        await().until(() -> !addressee.item().claims().containsKey(call(2)));
        await().until(() -> relay.admission().report(0).isQuiet());
        assertThat(table.look(ACME, call(2)).finished()).isFalse();
        assertThat(table.conversations().find(ACME, call(2)))
                .as("his turn is kept")
                .hasValueSatisfying(kept -> assertThat(kept).asString().isEqualTo("scripted 1 1"));
        assertThat(table.written("relay-stays")).isEmpty();
        assertThat(direct.isClosed()).isFalse();
    }

    @Test
    void it_does_not_matter_that_the_address_is_no_longer_good_for_opening_a_stream() {
        TestStream stream = relayed(1);
        clock.advance(Duration.ofMinutes(30));
        relay.streams().leaveAll(STOPS);
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);
    }

    @Test
    void asked_again_and_again_the_call_leaves_once() {
        TestStream stream = speaking(relayed(1));
        for (int i = 0; i < 5; i++) {
            relay.streams().leaveAll(STOPS);
            assertThat(delete(relayPath(1))).isEqualTo(202);
        }
        stream.frames(15, false);
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);
        await().until(() -> addressee.item().claims().isEmpty());
        assertThat(table.written("stream-closed")).hasSize(1);
        relay.streams().leaveAll(STOPS);
        await().until(() -> relay.admission().report(0).isQuiet());
        assertThat(table.written("relay-stays")).isEmpty();
    }

    @Test
    void a_call_that_was_adopted_is_found_under_the_address_that_its_stream_came_with() {
        TestStream stream = place(1).opened(relay, 1);
        assertThat(relay.claim(call(1)).generation()).isNotEqualTo(generation(1, 1));
        assertThat(Webhook.delete(relay.http(relayPath(1))).statusCode()).isEqualTo(202);
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);
    }

    @Test
    void a_forged_path_is_refused_and_nobody_leaves() {
        TestStream stream = relayed(1);
        String good = relayPath(1);
        assertThat(delete(good.substring(0, good.length() - 1) + "!")).isEqualTo(403);
        assertThat(delete(good.replace("/c1/", "/c2/"))).isEqualTo(403);
        assertThat(delete("/relay/acme/c1")).isEqualTo(401);
        assertThat(delete(address(1).path(addressee.key())))
                .as("the address that Twilio was given stands in the load balancer's log")
                .isEqualTo(426);
        stays(stream);
    }

    @Test
    void a_stream_that_is_not_here_or_has_not_started_is_not_found() {
        place(1).place(2);
        assertThat(delete(relayPath(1))).isEqualTo(404);
        TestStream silent = TestStream.open(addressee.ws(relayPath(2)));
        assertThat(delete(relayPath(2))).as("no conversation yet: ask again").isEqualTo(404);
        silent.start(call(2).value(), "acme");
        await().until(() -> silent.marks().contains("persona:acme:greeting"));
        assertThat(delete(relayPath(2))).isEqualTo(202);
        assertThat(silent.awaitClosed().code()).isEqualTo(1000);
        assertThat(delete(relayPath(2))).as("it has left").isEqualTo(404);
    }

    @Test
    void a_neighbour_that_does_not_know_the_request_keeps_the_call_and_that_is_told_once() throws IOException {
        try (Neighbour older = new Neighbour();
                Socket stream = older.relayed()) {
            for (int i = 0; i < 2; i++) {
                relay.streams().leaveAll(STOPS);
                try (Socket asked = older.accept()) {
                    assertThat(head(asked))
                            .startsWith("DELETE " + relayPath(older.answer()) + " HTTP/1.1\r\n")
                            .contains("host: " + older.address());
                    write(asked, "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n");
                    assertThat(asked.getInputStream().read()).isEqualTo(-1);
                }
            }
            write(stream, "still here");
            assertThat(older.heard(10)).isEqualTo("still here");
            assertThat(table.written("relay-stays"))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.fields())
                            .containsEntry("callSid", call(1).value())
                            .containsEntry("addressee", older.address())
                            .containsEntry("reason", "the addressee answered 405"));
        }
    }

    @Test
    void a_neighbour_that_does_not_answer_keeps_the_call_until_the_relay_ends_and_is_asked_once_at_a_time()
            throws IOException {
        try (Neighbour silent = new Neighbour();
                Socket stream = silent.relayed()) {
            relay.streams().leaveAll(STOPS);
            try (Socket asked = silent.accept()) {
                relay.streams().leaveAll(STOPS);
                assertThat(head(asked)).startsWith("DELETE ");
                silent.isNotAsked();
                assertThat(asked.getInputStream().read())
                        .as("the first request is given up")
                        .isEqualTo(-1);
            }
            relay.streams().leaveAll(STOPS);
            try (Socket again = silent.accept()) {
                assertThat(head(again)).startsWith("DELETE ");
            }
            assertThat(table.written("relay-stays"))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.fields())
                            .containsEntry("reason", "the addressee did not answer within 3000 ms"));
            write(stream, "still here");
            assertThat(silent.heard(10)).isEqualTo("still here");

            relay.streams().closeAll(STOPS);

            assertThat(stream.getInputStream().read()).isEqualTo(-1);
            assertThat(silent.heard(1)).isEmpty();
            await().until(() -> relay.admission().report(0).isQuiet());
        }
    }

    /** Whoever was relayed talks on: his next turn is answered. */
    private static void stays(TestStream stream) {
        stream.frames(20, true).frames(15, false);
        await().until(() -> stream.marks().contains("persona:acme:answer"));
        assertThat(stream.isClosed()).isFalse();
    }

    /** In the middle of a sentence, and heard: he interrupts the greeting. */
    private static TestStream speaking(TestStream stream) {
        stream.frames(20, true);
        await().until(() -> stream.count("clear") == 1);
        return stream;
    }

    private TestStream relayed(int n) {
        fill();
        TestStream stream = place(n).opened(relay, n);
        assertThat(relay.admission().report(0).relays()).isEqualTo(1);
        return stream;
    }

    private TestStream opened(Rig at, int n) {
        TestStream stream = TestStream.open(at.ws(address(n).path(at.key()))).start(call(n).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        return stream;
    }

    /** Six calls of which nobody here need know more than the table says: the relay adopts no stream. */
    private void fill() {
        table.put(Sample.withCalls(relay.item(), ACME, 101, 6));
        relay.admission().observe(relay.item().claims(), clock.instant(), clock.instant());
    }

    private RelayDepartureTest place(int n) {
        Answer.Stream answer = answer(addressee.id(), n);
        table.containers()
                .claim(ACME_POOL, addressee.id(), call(n), Claim.reserved(answer.generation(), ACME, NOW, NOW), 6, NOW);
        table.put(Call.placedDirectly(ACME, call(n), answer));
        return this;
    }

    private int delete(String path) {
        return Webhook.delete(addressee.http(path)).statusCode();
    }

    private StreamAddress address(int n) {
        return StreamAddress.of(ACME, call(n), answer(addressee.id(), n));
    }

    private String relayPath(int n) {
        return address(n).relayed().path(addressee.key());
    }

    private String relayPath(Answer.Stream answer) {
        return StreamAddress.of(ACME, call(1), answer).relayed().path(relay.key());
    }

    private static Answer.Stream answer(ContainerId container, int n) {
        return new Answer.Stream(ACME_POOL, container, generation(1, n), NOW.plusSeconds(60), NOW);
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String head(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("closed after: %s", head).isNotNegative();
            head.append((char) next);
        }
        return head.toString();
    }

    /** A container of the pool that is played: takes one relayed stream, and what else comes is the test's. */
    private final class Neighbour implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        private final ContainerId id = new ContainerId("c9");
        private Socket there = new Socket();

        Neighbour() throws IOException {
            table.put(new Container(
                    ACME_POOL,
                    id,
                    "boot-c9",
                    ContainerState.READY,
                    "serving",
                    NOW,
                    address(),
                    "7",
                    6,
                    Map.of(),
                    Report.empty(NOW),
                    NOW.plusSeconds(30),
                    NOW.plusSeconds(3_600),
                    NOW,
                    false));
        }

        String address() {
            return "127.0.0.1:" + listener.getLocalPort();
        }

        Answer.Stream answer() {
            return RelayDepartureTest.answer(id, 1);
        }

        /** The caller's end of a stream that is relayed to here; what it carries is no frames. */
        Socket relayed() throws IOException {
            fill();
            Socket caller =
                    new Socket(InetAddress.getLoopbackAddress(), relay.http("/").getPort());
            caller.setSoTimeout(10_000);
            write(
                    caller,
                    "GET " + relay.path(ACME, call(1), answer())
                            + " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                            + "Sec-WebSocket-Key: abc\r\nSec-WebSocket-Version: 13\r\n\r\n");
            there = accept();
            head(there);
            write(there, "HTTP/1.1 101 Switching Protocols\r\n\r\n");
            head(caller);
            return caller;
        }

        Socket accept() throws IOException {
            listener.setSoTimeout(10_000);
            Socket socket = listener.accept();
            socket.setSoTimeout(10_000);
            return socket;
        }

        void isNotAsked() throws IOException {
            listener.setSoTimeout(500);
            assertThatThrownBy(listener::accept).isInstanceOf(SocketTimeoutException.class);
        }

        /** What comes on the relayed stream, so many bytes or all until its end. */
        String heard(int bytes) throws IOException {
            return new String(there.getInputStream().readNBytes(bytes), StandardCharsets.US_ASCII);
        }

        @Override
        public void close() throws IOException {
            there.close();
            listener.close();
        }
    }
}
