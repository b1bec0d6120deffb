package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Answer;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.PoolId;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What goes over the wire at the end of a stream: no client shows its user a second close frame. */
class CloseAnswerTest {
    /** Final frames; what a client sends is masked, here with zeros. */
    private static final int TEXT = 0x81;

    private static final int CLOSE = 0x88;

    private final MemoryTable table = Rig.table();
    private final Rig gateway =
            Rig.of(table, new HandClock(NOW), PoolId.GATEWAY, "g1").start();

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void when_the_other_side_answers_our_close_frame_nothing_more_is_written() throws IOException {
        try (Socket socket = open()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            send(socket, TEXT, "{\"event\":\"media\"".getBytes(US_ASCII)); // malformed: it closes
            byte[] status = received(in);
            assertThat(status).startsWith(0x03, 0xEF); // 1007

            send(socket, CLOSE, status);

            assertThat(in.readAllBytes()).isEmpty();
        }
    }

    @Test
    void a_close_frame_of_the_other_sides_own_is_answered_once() throws IOException {
        try (Socket socket = open()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            send(socket, CLOSE, new byte[] {0x03, (byte) 0xE8});
            assertThat(received(in)).startsWith(0x03, 0xE8); // 1000
            assertThat(in.readAllBytes()).isEmpty();
        }
    }

    private Socket open() throws IOException {
        Answer.Stream answer =
                new Answer.Stream(PoolId.GATEWAY, gateway.id(), generation(1, 1), NOW.plusSeconds(60), NOW);
        String[] address = gateway.address().split(":");
        Socket socket = new Socket(address[0], Integer.parseInt(address[1]));
        socket.setSoTimeout(5_000);
        String handshake =
                "GET " + gateway.path(ACME, call(1), answer) + " HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
                        + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        socket.getOutputStream().write(handshake.getBytes(US_ASCII));
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).isNotNegative();
            head.append((char) next);
        }
        assertThat(head.toString()).startsWith("HTTP/1.1 101");
        return socket;
    }

    private static void send(Socket socket, int kind, byte[] payload) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(kind);
        out.write(0x80 | payload.length);
        out.write(new byte[4]);
        out.write(payload);
        out.flush();
    }

    /** The payload of the close frame that comes next. */
    private static byte[] received(DataInputStream in) throws IOException {
        assertThat(in.readUnsignedByte()).isEqualTo(CLOSE);
        return in.readNBytes(in.readUnsignedByte());
    }
}
