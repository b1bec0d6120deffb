package dev.spillway.adapters.probe;

import static dev.spillway.adapters.Samples.A1;
import static dev.spillway.adapters.Samples.NOW;
import static dev.spillway.adapters.Samples.POOL;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HttpProbeTest {
    private static Pool pool(String streamUrl) {
        return Pool.fresh(
                POOL, new Policy(0, 10, 6, 0, ScaleOutRule.PLUS_ONE, ScaleInRule.IDLE), "acme", streamUrl, NOW);
    }

    @Test
    void only_a_200_of_that_container_is_an_answer() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(exchange.getRequestURI().getPath().equals("/live/a1") ? 200 : 404, -1);
            exchange.close();
        });
        server.start();
        Pool pool = pool("ws://127.0.0.1:" + server.getAddress().getPort());
        try (HttpProbe probe = new HttpProbe()) {
            assertThat(probe.answers(pool, A1)).isTrue();
            assertThat(probe.answers(pool, new ContainerId("b2"))).isFalse();
            server.stop(0);
            assertThat(probe.answers(pool, A1)).isFalse();
        }
    }

    @Test
    @Timeout(20)
    void a_body_that_never_ends_is_no_answer() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write('o');
            exchange.getResponseBody().flush();
        });
        server.start();
        try (HttpProbe probe = new HttpProbe()) {
            assertThat(probe.answers(
                            pool("ws://127.0.0.1:" + server.getAddress().getPort()), A1))
                    .isFalse();
        } finally {
            server.stop(0);
        }
    }

    @Test
    void streams_and_probes_share_host_and_port() {
        assertThat(HttpProbe.httpUrl("wss://s.example.com:8443/")).isEqualTo("https://s.example.com:8443");
        assertThat(HttpProbe.httpUrl("ws://127.0.0.1:8080")).isEqualTo("http://127.0.0.1:8080");
    }
}
