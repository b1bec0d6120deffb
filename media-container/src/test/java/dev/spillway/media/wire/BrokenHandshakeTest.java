package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.Answer;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.PoolId;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import java.io.IOException;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A good address in a handshake that is none: refused, and the seat is free again. */
class BrokenHandshakeTest {
    private final MemoryTable table = Rig.table();
    private final Rig gateway =
            Rig.of(table, new HandClock(NOW), PoolId.GATEWAY, "g1").start();

    @AfterEach
    void close() {
        gateway.close();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, Upgrade, 13, ''",
        "POST, Upgrade, 13, dGhlIHNhbXBsZSBub25jZQ==",
        "HEAD, Upgrade, 13, dGhlIHNhbXBsZSBub25jZQ==",
        "GET, close, 13, dGhlIHNhbXBsZSBub25jZQ==",
        "GET, Upgrade, 99, dGhlIHNhbXBsZSBub25jZQ==",
        "GET, Upgrade, '', ''",
    })
    void is_answered_with_a_4xx_and_leaves_no_seat(String method, String connection, String version, String key)
            throws IOException {
        Answer.Stream answer =
                new Answer.Stream(PoolId.GATEWAY, gateway.id(), generation(1, 1), NOW.plusSeconds(60), NOW);
        String path = gateway.path(ACME, call(1), answer);
        String request = method + " " + path + " HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
                + header("Connection", connection)
                + header("Sec-WebSocket-Version", version)
                + header("Sec-WebSocket-Key", key)
                + "\r\n";
        assertThat(statusLine(request)).startsWith("HTTP/1.1 4");
        await().until(() -> gateway.admission().report(0).isQuiet());
        assertThat(gateway.admission().used()).isZero();
    }

    private static String header(String name, String value) {
        return value.isEmpty() ? "" : name + ": " + value + "\r\n";
    }

    private String statusLine(String request) throws IOException {
        String[] address = gateway.address().split(":");
        try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(12);
            return new String(answer, US_ASCII);
        }
    }
}
