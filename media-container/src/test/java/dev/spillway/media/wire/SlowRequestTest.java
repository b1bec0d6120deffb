package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.memory.MemoryTable;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SlowRequestTest {
    private final MemoryTable table = Rig.table();
    private final Rig rig = Rig.of(table, new HandClock(NOW), ACME_POOL, "c1")
            .request(Duration.ofMillis(300))
            .start();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void a_request_that_comes_drop_by_drop_is_answered_408_and_its_connection_closed() throws IOException {
        try (Socket socket = connect()) {
            send(socket, "POST /voice HTTP/1.1\r\nContent-Length: 100\r\n\r\n");
            // drops that would keep an idle time-out waiting for ever
            await().pollInterval(Duration.ofMillis(50)).until(() -> {
                send(socket, "x");
                return !table.written("refused").isEmpty();
            });
            assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
                    .startsWith("HTTP/1.1 408");
            await().until(() -> rig.connections() == 0);
        }
    }

    @Test
    void headers_that_never_end_are_answered_408_too() throws IOException {
        try (Socket socket = connect()) {
            send(socket, "GET /health HTTP/1.1\r\nA: b\r\n");
            assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
                    .startsWith("HTTP/1.1 408");
        }
    }

    @Test
    void a_connection_that_is_kept_open_between_requests_is_not_slow() throws IOException {
        try (Socket kept = connect();
                Socket slow = connect()) {
            assertThat(health(kept)).startsWith("HTTP/1.1 200");
            // Another connection's deadline passes meanwhile.
            send(slow, "GET");
            assertThat(new String(slow.getInputStream().readAllBytes(), US_ASCII))
                    .startsWith("HTTP/1.1 408");
            assertThat(health(kept)).startsWith("HTTP/1.1 200");
        }
    }

    private static String health(Socket socket) throws IOException {
        send(socket, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
        StringBuilder answer = new StringBuilder();
        while (!answer.toString().endsWith("\r\n\r\nok\n")) {
            int one = socket.getInputStream().read();
            assertThat(one).as("after " + answer).isNotNegative();
            answer.append((char) one);
        }
        return answer.toString();
    }

    private Socket connect() throws IOException {
        String[] address = rig.address().split(":");
        Socket socket = new Socket(address[0], Integer.parseInt(address[1]));
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(US_ASCII));
    }
}
