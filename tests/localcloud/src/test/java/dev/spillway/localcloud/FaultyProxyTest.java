package dev.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A dependency that is down, slow or stalled, and comes back. */
@Timeout(60)
class FaultyProxyTest {
    private final AtomicInteger served = new AtomicInteger();
    private final LocalHttpServer server = new LocalHttpServer("server", 0, request -> {
        served.incrementAndGet();
        return LocalHttpServer.Response.of(200, "text/plain", "hello");
    });
    private final FaultyProxy proxy = new FaultyProxy("proxy", server.port());

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        socket.setSoTimeout(5_000);
        return socket;
    }

    private static void ask(Socket socket) throws IOException {
        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private static int firstByte(Socket socket) throws IOException {
        return socket.getInputStream().read();
    }

    @Test
    void it_passes_requests_and_counts_its_connections() throws Exception {
        try (Socket socket = connect()) {
            ask(socket);
            assertThat(firstByte(socket)).isEqualTo('H');
            assertThat(proxy.connectedPorts()).containsExactly(socket.getLocalPort());
        }
        Awaitility.await().until(() -> proxy.connectedPorts().isEmpty());
    }

    @Test
    void down_closes_what_is_open_and_refuses_what_is_new_until_it_passes_again() throws Exception {
        try (Socket open = connect()) {
            ask(open);
            assertThat(firstByte(open)).isEqualTo('H');

            proxy.become(FaultyProxy.DOWN);

            Awaitility.await().until(() -> ended(open));
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
        proxy.become(FaultyProxy.PASS);
        try (Socket again = connect()) {
            ask(again);
            assertThat(firstByte(again)).isEqualTo('H');
        }
    }

    private static boolean ended(Socket socket) {
        try {
            return socket.getInputStream().readAllBytes() != null;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void slow_delays_a_request() throws Exception {
        proxy.become(new FaultyProxy.Slow(Duration.ofMillis(300)));
        try (Socket socket = connect()) {
            long from = System.nanoTime();
            ask(socket);
            assertThat(firstByte(socket)).isEqualTo('H');
            assertThat(Duration.ofNanos(System.nanoTime() - from)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        }
    }

    @Test
    void what_is_sent_into_a_stall_is_never_delivered() throws Exception {
        proxy.become(FaultyProxy.STALL);
        try (Socket socket = connect()) {
            socket.setSoTimeout(200);
            ask(socket);
            assertThatThrownBy(() -> firstByte(socket)).isInstanceOf(SocketTimeoutException.class);

            proxy.become(FaultyProxy.PASS);

            Awaitility.await().until(() -> ended(socket));
        }
        assertThat(served).hasValue(0);
        try (Socket again = connect()) {
            ask(again);
            assertThat(firstByte(again)).isEqualTo('H');
        }
    }
}
