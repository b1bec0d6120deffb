package dev.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rules of an application load balancer that calls depend on. */
@Timeout(60)
class LoadBalancerTest {
    private static final LoadBalancerOptions QUICK = LoadBalancerOptions.atSpeed(100)
            .withHealth(Duration.ofMillis(50), Duration.ofMillis(500))
            .withDeregistrationDelay(Duration.ofMillis(700));

    private final LoadBalancer balancer = new LoadBalancer(QUICK);
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<EchoTarget> targets = new ArrayList<>();
    private URI url = URI.create("http://127.0.0.1");

    @BeforeEach
    void open() {
        url = balancer.targetGroup("acme", 0);
    }

    @AfterEach
    void close() {
        http.shutdownNow();
        balancer.close();
        targets.forEach(EchoTarget::close);
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(10)).pollInterval(Duration.ofMillis(10));
    }

    private EchoTarget target() {
        EchoTarget target = new EchoTarget();
        targets.add(target);
        balancer.register("acme", target.port());
        await().until(() -> balancer.health("acme", target.port()) == TargetHealth.HEALTHY);
        return target;
    }

    private HttpResponse<String> get(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(url.resolve(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private Talk talk() {
        Talk talk = new Talk();
        talk.socket = http.newWebSocketBuilder()
                .buildAsync(URI.create("ws://127.0.0.1:" + url.getPort() + "/stream"), talk)
                .join();
        return talk;
    }

    @Test
    void without_a_registered_target_the_answer_is_503() throws Exception {
        assertThat(get("/voice").statusCode()).isEqualTo(503);
    }

    @Test
    void a_request_passes_with_its_host_and_the_forwarding_headers() throws Exception {
        EchoTarget target = target();

        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(url.resolve("/voice?a=b"))
                        .POST(HttpRequest.BodyPublishers.ofString("CallSid=CA1"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .startsWith(target.port() + " POST /voice?a=b CallSid=CA1")
                .contains("host=127.0.0.1:" + url.getPort())
                .contains("x-forwarded-for=127.0.0.1")
                .contains("x-forwarded-proto=http");
    }

    @Test
    void bodies_larger_than_any_buffer_pass_both_ways() throws Exception {
        target();
        String body = "0123456789".repeat(300_000);

        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(url.resolve("/mirror"))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());

        assertThat(answer.body()).isEqualTo(body);
    }

    @Test
    void a_connection_serves_one_request_after_another_pipelined_ones_too() throws Exception {
        target();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), url.getPort())) {
            OutputStream out = socket.getOutputStream();
            String request = "GET /one HTTP/1.1\r\nHost: a\r\n\r\nGET /two HTTP/1.1\r\nHost: a\r\n\r\n";
            out.write(request.getBytes(StandardCharsets.US_ASCII));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));

            assertThat(nextAnswer(in)).contains("GET /one");
            assertThat(nextAnswer(in)).contains("GET /two");

            out.write("GET /three HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(nextAnswer(in)).contains("GET /three");
        }
    }

    private static String nextAnswer(BufferedReader in) throws IOException {
        int length = 0;
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(line.indexOf(':') + 1).trim());
            }
        }
        char[] body = new char[length];
        int read = 0;
        while (read < length) {
            read += in.read(body, read, length - read);
        }
        return new String(body);
    }

    @Test
    void traffic_keeps_away_from_an_unhealthy_target() throws Exception {
        EchoTarget full = target();
        EchoTarget free = target();
        full.healthy = false;
        await().until(() -> balancer.health("acme", full.port()) == TargetHealth.UNHEALTHY);

        for (int i = 0; i < 6; i++) {
            assertThat(get("/voice").body()).startsWith(free.port() + " ");
        }

        full.healthy = true;
        await().until(() -> balancer.health("acme", full.port()) == TargetHealth.HEALTHY);
    }

    @Test
    void when_all_targets_are_unhealthy_all_of_them_get_traffic() throws Exception {
        EchoTarget one = target();
        EchoTarget two = target();
        one.healthy = false;
        two.healthy = false;
        await().until(() -> balancer.health("acme", one.port()) == TargetHealth.UNHEALTHY
                && balancer.health("acme", two.port()) == TargetHealth.UNHEALTHY);

        Set<String> served = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            HttpResponse<String> answer = get("/voice");
            assertThat(answer.statusCode()).isEqualTo(200);
            served.add(answer.body().split(" ")[0]);
        }

        assertThat(served).containsExactlyInAnyOrder("" + one.port(), "" + two.port());
    }

    @Test
    void an_open_websocket_survives_the_unhealthiness_of_its_target() {
        EchoTarget target = target();
        Talk talk = talk();
        target.healthy = false;
        await().until(() -> balancer.health("acme", target.port()) == TargetHealth.UNHEALTHY);

        talk.socket.sendText("still there?", true);

        assertThat(talk.next()).isEqualTo("still there?");
    }

    @Test
    void the_target_with_the_fewest_open_websockets_is_next() {
        EchoTarget one = target();
        EchoTarget two = target();

        for (int i = 0; i < 6; i++) {
            talk();
        }

        assertThat(balancer.targets())
                .extracting(LoadBalancer.TargetView::outstandingRequests)
                .containsExactly(3, 3);
        assertThat(one.streams()).isEqualTo(3);
        assertThat(two.streams()).isEqualTo(3);
    }

    @Test
    void large_messages_pass_through_a_websocket_both_ways() {
        target();
        Talk talk = talk();
        String large = "x".repeat(900_000);

        talk.socket.sendText(large, true);

        StringBuilder back = new StringBuilder();
        while (back.length() < large.length()) {
            back.append(talk.next());
        }
        assertThat(back.toString()).isEqualTo(large);
    }

    @Test
    void a_websocket_ends_for_both_sides_when_one_of_them_goes() {
        EchoTarget target = target();
        Talk left = talk();
        talk();
        assertThat(target.streams()).isEqualTo(2);

        left.socket.abort();
        await().until(() -> target.streams() == 1);

        targets.remove(target);
        target.close();
        await().until(() -> balancer.targets().getFirst().outstandingRequests() == 0);
    }

    @Test
    void a_deregistered_target_keeps_its_connections_until_the_delay_is_over() throws Exception {
        EchoTarget old = target();
        Talk talk = talk();
        EchoTarget other = target();

        balancer.deregister("acme", old.port());

        assertThat(balancer.drained("acme", old.port())).isFalse();
        assertThat(get("/voice").body()).startsWith(other.port() + " ");
        talk.socket.sendText("draining", true);
        assertThat(talk.next()).isEqualTo("draining");

        await().until(() -> talk.ended);
        assertThat(balancer.drained("acme", old.port())).isTrue();
    }

    @Test
    void a_deregistered_target_without_connections_is_drained_at_once() {
        EchoTarget target = target();

        balancer.deregister("acme", target.port());

        assertThat(balancer.drained("acme", target.port())).isTrue();
    }

    @Test
    void a_refused_connection_and_a_target_that_hangs_up_are_502() throws Exception {
        EchoTarget target = target();

        assertThat(get("/hang-up").statusCode()).isEqualTo(502);

        targets.remove(target);
        target.close();
        assertThat(get("/voice").statusCode()).isEqualTo(502);
    }

    @Test
    void a_refused_upgrade_reaches_the_client() {
        EchoTarget target = target();
        target.full = true;

        assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(CompletionException.class, this::talk))
                .hasCauseInstanceOf(java.net.http.WebSocketHandshakeException.class);
        await().until(() -> balancer.targets().getFirst().outstandingRequests() == 0);
    }

    @Test
    void an_answer_that_does_not_come_within_the_idle_time_is_504() throws Exception {
        try (LoadBalancer impatient = new LoadBalancer(QUICK.withIdleTimeout(Duration.ofMillis(300)))) {
            URI own = impatient.targetGroup("acme", 0);
            EchoTarget target = new EchoTarget();
            targets.add(target);
            impatient.register("acme", target.port());

            assertThat(http.send(
                                    HttpRequest.newBuilder(own.resolve("/silence"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(504);
        }
    }

    @Test
    void a_client_that_leaves_before_the_answer_frees_its_target() throws Exception {
        target();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), url.getPort())) {
            socket.getOutputStream()
                    .write("GET /silence HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            await().until(() -> balancer.targets().getFirst().outstandingRequests() == 1);
        }
        await().until(() -> balancer.targets().getFirst().outstandingRequests() == 0);
    }

    @Test
    void ecs_registers_its_running_tasks_and_drains_them_before_it_stops_them() {
        try (SmallCluster cluster =
                new SmallCluster("exec sleep 300", options -> options.withLoadBalancer(balancer, balancer))) {
            cluster.withService(1, "acme", ServiceSpec.LONGEST_GRACE_PERIOD);
            int port = cluster.running().getFirst().port();
            assertThat(balancer.targets())
                    .singleElement()
                    .satisfies(view -> assertThat(view.port()).isEqualTo(port));

            cluster.desire(0);

            await().until(() -> cluster.ecs.liveTasks("acme").isEmpty());
            assertThat(balancer.targets()).isEmpty();
        }
    }

    /** A WebSocket client that keeps what it hears. */
    private static final class Talk implements WebSocket.Listener {
        private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private volatile boolean ended;

        @SuppressWarnings("NullAway.Init") // set once connected, before anything is said
        private WebSocket socket;

        String next() {
            try {
                String text = heard.poll(5, TimeUnit.SECONDS);
                if (text == null) {
                    throw new AssertionError("nothing was heard for 5 s");
                }
                return text;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        @Override
        public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            heard.add(data.toString());
            webSocket.request(1);
            return java.util.concurrent.CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
            ended = true;
            return java.util.concurrent.CompletableFuture.completedStage(null);
        }

        @Override
        public void onError(WebSocket webSocket, Throwable error) {
            ended = true;
        }
    }
}
