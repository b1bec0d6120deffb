package dev.spillway.adapters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@SuppressWarnings("NullAway.Init")
@Timeout(20)
class WholeAnswerTest {
    private final CountDownLatch stalled = new CountDownLatch(1);
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/whole", exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(new byte[] {'o', 'k'});
            exchange.close();
        });
        // The headers, one byte of two, and nothing more.
        server.createContext("/stalls", exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write('o');
            exchange.getResponseBody().flush();
            stalled.countDown();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        client.shutdownNow();
    }

    private HttpRequest request(String path, Duration timeout) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path))
                .timeout(timeout)
                .build();
    }

    @Test
    void an_answer_that_comes_in_time_is_given_with_its_body() throws Exception {
        assertThat(WholeAnswer.to(request("/whole", Duration.ofSeconds(10)), client, BodyHandlers.ofString())
                        .body())
                .isEqualTo("ok");
    }

    @Test
    void a_body_that_stalls_ends_with_the_requests_timeout_whether_it_is_read_or_not() {
        for (var body :
                new java.net.http.HttpResponse.BodyHandler<?>[] {BodyHandlers.ofString(), BodyHandlers.discarding()}) {
            assertThatThrownBy(() -> WholeAnswer.to(request("/stalls", Duration.ofMillis(500)), client, body))
                    .isInstanceOf(HttpTimeoutException.class);
        }
    }

    @Test
    void an_abandoned_request_does_not_hold_up_who_closes_the_client() {
        HttpClient closed = HttpClient.newHttpClient();
        try (closed) {
            assertThatThrownBy(() ->
                            WholeAnswer.to(request("/stalls", Duration.ofMillis(500)), closed, BodyHandlers.ofString()))
                    .isInstanceOf(HttpTimeoutException.class);
        }
        assertThat(closed.isTerminated()).isTrue();
    }

    @Test
    void whoever_is_interrupted_waits_no_longer() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                WholeAnswer.to(request("/stalls", Duration.ofMinutes(5)), client, BodyHandlers.ofString());
            } catch (InterruptedException e) {
                told.countDown();
            } catch (IOException e) {
                // Not what is waited for.
            }
        });
        stalled.await();

        waiting.interrupt();

        assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_connection_that_is_refused_is_told_from_an_answer_that_is_late() {
        server.stop(0);

        assertThatThrownBy(() ->
                        WholeAnswer.to(request("/whole", Duration.ofSeconds(10)), client, BodyHandlers.ofString()))
                .isInstanceOf(ConnectException.class);
    }
}
