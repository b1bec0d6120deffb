package dev.spillway.load.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an HTTP answer, or the want of one, is taken for; and which numbers may be in a request. */
class HttpAdapterTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static Operation operation() {
        return new Operation(
                Arrival.at(7, 0, null, "default"),
                CallClass.ofTurns("default", 1),
                Direction.INBOUND,
                1,
                System.nanoTime());
    }

    private static Answer asked(String url) throws Exception {
        try (var adapter = new HttpAdapter(new HttpAdapter.Settings("POST", url, "call {id}"))) {
            return adapter.call(operation());
        }
    }

    /** Of a server that answers with these bytes, and closes. */
    private static Answer answered(String bytes) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread thread = Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        try (Socket socket = server.accept()) {
                            byte[] request = new byte[4_096];
                            int length = 0;
                            while (!new String(request, 0, length, StandardCharsets.ISO_8859_1).contains("call 7")) {
                                int more = socket.getInputStream().read(request, length, request.length - length);
                                if (more < 0) {
                                    break;
                                }
                                length += more;
                            }
                            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
                        }
                    }
                } catch (IOException e) {
                    Thread.currentThread().interrupt(); // the test is over
                }
            });
            try {
                return asked("http://127.0.0.1:" + server.getLocalPort() + "/calls/{id}");
            } finally {
                thread.interrupt();
            }
        }
    }

    private static String status(int status) {
        return "HTTP/1.1 " + status + " X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    }

    @Test
    void anAnswerIsWhatItsStatusSays() throws Exception {
        assertThat(answered(status(200))).isEqualTo(Answer.COMPLETED);
        assertThat(answered(status(429)).outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(answered(status(503)).outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(answered(status(500)).outcome()).isEqualTo(Outcome.ADAPTER_ERROR);
    }

    @Test
    void nobodyListeningIsNoRequestAndNoAnswerIsUnknown() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertThatThrownBy(() -> asked("http://127.0.0.1:" + port + "/")).isInstanceOf(NotSentException.class);
        assertThatThrownBy(() -> answered("HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\ncut"))
                .isInstanceOf(UnknownOutcomeException.class);
        assertThatThrownBy(() -> answered("")).isInstanceOf(UnknownOutcomeException.class);
    }

    @Test
    void aNumberThatMayBeSomebodysIsRefused() {
        assertThatThrownBy(() -> new HttpAdapter.Settings("GET", "http://127.0.0.1/?to=%2B49891234567", ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new HttpAdapter.Settings("POST", "http://127.0.0.1/", "{\"to\": \"+12125550100\"}"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(new HttpAdapter.Settings("GET", "http://127.0.0.1:8080/?to=%2B15005550006&n=2+1", "+15005551234"))
                .isNotNull();
    }

    @Test
    void aTargetWhoseNumberMayBeSomebodysIsRefused() throws Exception {
        Path file = folder.resolve("info.json");
        Files.writeString(file, """
                {"apiUrl": "http://127.0.0.1:1/", "tenants": [{"id": "one", "number": "+12125550100",
                 "accountSid": "AC1", "authToken": "t", "loadBalancerUrl": "http://127.0.0.1:2/"}]}
                """);

        assertThatThrownBy(() -> Target.read(file, Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tenant one")
                .hasMessageContaining("+1500555");
    }
}
