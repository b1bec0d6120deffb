package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.Answer;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Report;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A relay reads from one side no faster than the other takes. */
class RelayPressureTest {
    /** Far more than the kernel's buffers on the way, far less than a relay without a brake would take in. */
    private static final long MOST_BYTES = 64L << 20;

    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final Rig relay = Rig.of(table, clock, ACME_POOL, "c2").start();

    @AfterEach
    void close() {
        relay.close();
    }

    @Test
    void an_addressee_that_does_not_read_slows_the_caller_down_and_loses_nothing() throws IOException {
        table.put(Sample.withCalls(relay.item(), ACME, 101, 6));
        relay.admission().observe(relay.item().claims(), NOW, NOW);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SocketChannel caller = SocketChannel.open()) {
            table.put(addressee("127.0.0.1:" + listener.getLocalPort()));
            caller.connect(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), relay.http("/").getPort()));
            caller.write(handshake());
            try (Socket there = listener.accept()) {
                assertThat(readHead(there)).startsWith("GET /relay/acme/c9/").contains("sec-websocket-key: abc");
                there.getOutputStream()
                        .write("HTTP/1.1 101 Switching Protocols\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(readHead(caller.socket())).startsWith("HTTP/1.1 101");

                long written = writeUntilStalled(caller);
                assertThat(written).isPositive().isLessThan(MOST_BYTES);

                long read = 0;
                byte[] chunk = new byte[1 << 16];
                while (read < written) {
                    read += there.getInputStream().read(chunk);
                }
                assertThat(read).isEqualTo(written);
            }
            await().until(() -> relay.admission().report(0).isQuiet());
        }
    }

    /** Writes without waiting until nothing is taken for half a second; the number of bytes taken. */
    private static long writeUntilStalled(SocketChannel caller) throws IOException {
        caller.configureBlocking(false);
        long written = 0;
        try (Selector selector = Selector.open()) {
            caller.register(selector, SelectionKey.OP_WRITE);
            while (written < MOST_BYTES && selector.select(500) > 0) {
                selector.selectedKeys().clear();
                written += caller.write(ByteBuffer.allocate(1 << 16));
            }
        }
        return written;
    }

    private ByteBuffer handshake() {
        Answer.Stream answer =
                new Answer.Stream(ACME_POOL, new ContainerId("c9"), generation(1, 1), NOW.plusSeconds(60), NOW);
        return StandardCharsets.US_ASCII.encode("GET " + relay.path(ACME, call(1), answer)
                + " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: abc\r\n"
                + "Sec-WebSocket-Version: 13\r\n\r\n");
    }

    private static String readHead(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) socket.getInputStream().read());
        }
        return head.toString();
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
