package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the console's proxy passes on, and for whom. */
class ConsoleProxyTest {
    private final List<LocalHttpServer.Request> asked = new CopyOnWriteArrayList<>();
    private final LocalHttpServer api = new LocalHttpServer("api", 0, request -> {
        asked.add(request);
        return new Response(
                200,
                Map.of(
                        "content-type",
                        "text/html",
                        "content-security-policy",
                        "default-src 'none'",
                        "set-cookie",
                        "a=b"),
                "from the API".getBytes(StandardCharsets.UTF_8));
    });
    private final ConsoleProxy proxy =
            new ConsoleProxy(SignedApi.local(api.url(), new LocalInfo.ApiKey("LOCALANN", "made-up")), 0, "acme");

    private boolean apiIsUp = true;

    @AfterEach
    void close() {
        proxy.close();
        if (apiIsUp) {
            api.close();
        }
    }

    /** As it goes over the wire: clients of the JDK do not let a test choose its Host. */
    private String ask(String method, String target, String host, String... headers) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(
                            InetAddress.getLoopbackAddress(), proxy.url().getPort()),
                    5_000);
            socket.setSoTimeout(20_000);
            String request = method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
                    + (headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n") + "\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String own() {
        return "127.0.0.1:" + proxy.url().getPort();
    }

    @Test
    void a_read_of_the_console_is_signed_and_answered_with_what_protects_the_page() throws IOException {
        String answer = ask("GET", "/console/state?tenant=acme", own(), "Sec-Fetch-Site: same-origin");

        assertThat(answer).startsWith("HTTP/1.1 200").contains("from the API").contains("default-src 'none'");
        assertThat(answer).doesNotContain("set-cookie");
        assertThat(asked).singleElement().satisfies(request -> {
            assertThat(request.target()).isEqualTo("/console/state?tenant=acme");
            assertThat(request.headers().get("authorization"))
                    .startsWith("AWS4-HMAC-SHA256")
                    .contains("/execute-api/");
        });
        assertThat(answer).doesNotContain("AWS4-HMAC-SHA256").doesNotContain("made-up");
    }

    @Test
    void the_root_leads_to_the_page_of_the_tenant() throws IOException {
        assertThat(ask("GET", "/", "localhost:" + proxy.url().getPort()))
                .startsWith("HTTP/1.1 302")
                .contains("location: /console?tenant=acme");
        assertThat(proxy.url()).hasPath("/console").hasQuery("tenant=acme");
    }

    @Test
    void a_name_that_somebody_points_at_this_machine_is_refused() throws IOException {
        for (String host :
                List.of("evil.example.com", "evil.example.com:" + proxy.url().getPort(), "127.0.0.1", "")) {
            assertThat(ask("GET", "/console/state?tenant=acme", host)).as(host).startsWith("HTTP/1.1 403");
        }
        assertThat(asked).isEmpty();
    }

    @Test
    void a_page_from_elsewhere_is_refused() throws IOException {
        for (String site : List.of("cross-site", "same-site")) {
            assertThat(ask("GET", "/console/state?tenant=acme", own(), "Sec-Fetch-Site: " + site))
                    .startsWith("HTTP/1.1 403");
        }
        assertThat(asked).isEmpty();
    }

    @Test
    void it_only_reads_and_only_the_console() throws IOException {
        assertThat(ask("POST", "/console/state?tenant=acme", own(), "Content-Length: 0"))
                .startsWith("HTTP/1.1 405");
        assertThat(ask("DELETE", "/console", own())).startsWith("HTTP/1.1 405");
        for (String path :
                List.of("/pools/acme", "/attempts?tenant=acme", "/console/", "/console/../pools/acme", "/x")) {
            assertThat(ask("GET", path, own())).as(path).startsWith("HTTP/1.1 404");
        }
        assertThat(ask("GET", "/console?tenant={}", own())).startsWith("HTTP/1.1 400");
        assertThat(asked).isEmpty();
    }

    @Test
    void an_api_that_cannot_be_reached_is_told_as_a_problem() throws IOException {
        api.close();
        apiIsUp = false;

        assertThat(ask("GET", "/console/state?tenant=acme", own()))
                .startsWith("HTTP/1.1 502")
                .contains("application/problem+json")
                .contains("The API cannot be reached");
    }

    @Test
    void it_listens_on_loopback_only() {
        assertThat(URI.create(proxy.url().toString()).getHost()).isEqualTo("127.0.0.1");
    }
}
