package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RegistrationHandlerTest {
    private static String description() throws Exception {
        return new JsonMapper()
                .readTree(Fixtures.text("cloud-formation/pool.json"))
                .at("/ResourceProperties/Description")
                .asText();
    }

    @Test
    void a_description_says_all_that_a_pool_needs() throws Exception {
        PoolDescription described = PoolDescription.parse(description());

        assertThat(described.service()).isEqualTo("spillway-globex");
        assertThat(described.policy().minimum()).isEqualTo(2);
        assertThat(described.outbound().outboundLimit()).isZero();
        assertThat(described.tenant())
                .hasValueSatisfying(
                        tenant -> assertThat(tenant.persona().voice()).isEqualTo("bass"));
    }

    @Test
    @Timeout(20)
    void an_address_of_cloudformation_that_answers_headers_alone_holds_nobody() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write('o');
            exchange.getResponseBody().flush();
        });
        server.start();
        RegistrationHandler handler = new RegistrationHandler(
                Map.of(
                        "AWS_REGION", "us-east-1",
                        "SPILLWAY_TABLE", "spillway",
                        "SPILLWAY_STREAM_SECRET", "spillway/stream"),
                Duration.ofMillis(500));
        Map<String, Object> deletion = Map.of(
                "RequestType",
                "Delete",
                "ResourceType",
                "Custom::SpillwayPool",
                "ResponseURL",
                "http://127.0.0.1:" + server.getAddress().getPort() + "/",
                "ResourceProperties",
                Map.of("Pool", "acme"));

        try {
            assertThatThrownBy(() -> handler.handleRequest(deletion, null))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("CloudFormation cannot be told of pool acme");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void a_mistake_is_named_by_its_field() throws Exception {
        assertThatThrownBy(() -> PoolDescription.parse(description()
                        .replace("\"minimum\":2", "\"minimum\":\"two\"")
                        .replace("\"minimum\": 2", "\"minimum\": \"two\"")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("want a whole number in 'minimum'");
        assertThatThrownBy(() -> PoolDescription.parse("[")).hasMessageContaining("not JSON");
    }
}
