package dev.spillway.media.bot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StateExchangeTest {
    /** Long enough to be no test of the machine's speed. */
    private static final Duration PATIENT = Duration.ofSeconds(30);

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final EventLoop loop = loops.next();

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
    }

    /** Says that to whoever asks, and then nothing, leaving the connection open. */
    private static final class Mute implements AutoCloseable {
        private final ServerSocket listener;
        private final List<Socket> open = new CopyOnWriteArrayList<>();

        Mute(String words) throws IOException {
            listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        Socket asking = listener.accept();
                        open.add(asking);
                        OutputStream out = asking.getOutputStream();
                        out.write(words.getBytes(StandardCharsets.ISO_8859_1));
                        out.flush();
                    }
                } catch (IOException e) {
                    // closed
                }
            });
        }

        URI url() {
            return URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/calls/CA1");
        }

        @Override
        public void close() throws IOException {
            listener.close();
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private StateExchange exchange() {
        return new StateExchange(loop, true, 200_000);
    }

    @Test
    void an_answer_that_stops_after_its_headers_is_waited_for_no_longer_than_an_answer_may_take() throws Exception {
        try (Mute mute = new Mute("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n")) {
            assertThatThrownBy(() -> exchange().get(mute.url(), Duration.ofMillis(200)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no whole answer within 200 ms");
        }
    }

    @Test
    void so_is_one_that_never_begins() throws Exception {
        try (Mute mute = new Mute("")) {
            assertThatThrownBy(() -> exchange().get(mute.url(), Duration.ofMillis(200)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("200 ms");
        }
    }

    @Test
    void an_answer_that_is_too_large_is_given_up_before_it_is_whole() throws Exception {
        // 200,001 bytes of a body that would have 300,000: the rest never comes, and is not waited for.
        try (Mute mute = new Mute("HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\n" + "x".repeat(200_001))) {
            assertThatThrownBy(() -> exchange().get(mute.url(), PATIENT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("more than 200000 bytes");
        }
    }

    @Test
    void a_whole_answer_is_taken_though_the_connection_stays_open() throws Exception {
        String chunks = String.join("\r\n", "4", "turn", "4", " one", "0", "", "");
        String head = String.join("\r\n", "HTTP/1.1 200 OK", "transfer-encoding: chunked", "", chunks);
        try (Mute mute = new Mute("HTTP/1.1 100 Continue\r\n\r\n" + head)) {
            StateExchange.Reply reply = exchange().get(mute.url(), PATIENT);
            assertThat(reply.status()).isEqualTo(200);
            assertThat(new String(reply.body(), StandardCharsets.UTF_8)).isEqualTo("turn one");
        }
    }

    @Test
    void what_was_put_is_answered_by_the_status_alone() throws Exception {
        try (Mute mute = new Mute("HTTP/1.1 204 No Content\r\n\r\n")) {
            assertThat(exchange().put(mute.url(), new byte[100], PATIENT).status())
                    .isEqualTo(204);
        }
        try (Mute mute = new Mute("HTTP/1.1 500 No\r\ncontent-length: 300000\r\n\r\n")) {
            assertThat(exchange().put(mute.url(), new byte[100], PATIENT).status())
                    .isEqualTo(500);
        }
    }

    @Test
    void a_personas_bot_is_not_asked_on_the_tasks_own_loopback() throws Exception {
        try (Mute mute = new Mute("HTTP/1.1 204 No Content\r\n\r\n")) {
            StateExchange foreign = new StateExchange(loop, false, 200_000);
            assertThatThrownBy(() -> foreign.get(mute.url(), PATIENT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("only the task itself");
            assertThat(mute.open).isEmpty();
        }
    }
}
