package dev.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApiGatewayTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ApiGateway gateway = new ApiGateway(0, Duration.ofMillis(300));
    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicReference<JsonNode> received = new AtomicReference<>(JSON.nullNode());

    @AfterEach
    void close() {
        client.close();
        gateway.close();
    }

    @Test
    void a_form_reaches_the_function_in_base64_with_its_path_parameters_and_query() throws Exception {
        gateway.route(
                "POST",
                "/twilio/fallback/{tenant}",
                answering("{\"statusCode\":200,\"headers\":{\"Content-Type\":\"text/xml\"},\"body\":\"<Response/>\"}"));

        var answer = post("/twilio/fallback/acme?hop=2&x=%20y", "application/x-www-form-urlencoded", "To=%2B1500&A=b");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-type")).hasValue("text/xml");
        assertThat(text(answer)).isEqualTo("<Response/>");
        JsonNode event = event();
        assertThat(event.path("version").asText()).isEqualTo("2.0");
        assertThat(event.path("routeKey").asText()).isEqualTo("POST /twilio/fallback/{tenant}");
        assertThat(event.path("rawPath").asText()).isEqualTo("/twilio/fallback/acme");
        assertThat(event.path("rawQueryString").asText()).isEqualTo("hop=2&x=%20y");
        assertThat(event.at("/queryStringParameters/x").asText()).isEqualTo(" y");
        assertThat(event.at("/pathParameters/tenant").asText()).isEqualTo("acme");
        assertThat(event.at("/requestContext/http/method").asText()).isEqualTo("POST");
        assertThat(event.at("/requestContext/domainName").asText()).startsWith("127.0.0.1");
        assertThat(event.at("/headers/x-many").asText()).isEqualTo("one,two");
        assertThat(event.path("isBase64Encoded").asBoolean()).isTrue();
        assertThat(new String(Base64.getDecoder().decode(event.path("body").asText()), StandardCharsets.UTF_8))
                .isEqualTo("To=%2B1500&A=b");
    }

    @Test
    void json_reaches_the_function_as_text() throws Exception {
        gateway.route("ANY", "/{proxy+}", answering("\"plain\""));

        var answer = post("/a/b", "application/json; charset=utf-8", "{\"a\":1}");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(text(answer)).isEqualTo("plain");
        assertThat(event().path("body").asText()).isEqualTo("{\"a\":1}");
        assertThat(event().path("isBase64Encoded").asBoolean()).isFalse();
        assertThat(event().at("/pathParameters/proxy").asText()).isEqualTo("a/b");
    }

    @Test
    void a_base64_answer_is_decoded() throws Exception {
        gateway.route("POST", "/x", answering("{\"statusCode\":202,\"isBase64Encoded\":true,\"body\":\"AAH/\"}"));

        var answer = post("/x", "text/plain", "");

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).containsExactly(0, 1, -1);
    }

    @Test
    void what_cannot_be_answered_gets_the_messages_of_the_real_service() throws Exception {
        var never = new CountDownLatch(1);
        gateway.route("POST", "/fails", payload -> {
            throw new IllegalStateException("a secret detail");
        });
        gateway.route("POST", "/malformed", answering("{\"statusCode\":99}"));
        gateway.route("POST", "/hangs", payload -> {
            never.await();
            return payload;
        });

        assertThat(text(post("/none", "text/plain", ""))).isEqualTo("{\"message\":\"Not Found\"}");
        assertThat(post("/fails", "text/plain", "").statusCode()).isEqualTo(500);
        assertThat(text(post("/fails", "text/plain", ""))).isEqualTo("{\"message\":\"Internal Server Error\"}");
        assertThat(post("/malformed", "text/plain", "").statusCode()).isEqualTo(500);
        assertThat(post("/hangs", "text/plain", "").statusCode()).isEqualTo(503);
    }

    @Test
    void a_body_above_ten_megabytes_is_refused() throws Exception {
        gateway.route("POST", "/x", answering("\"\""));

        assertThat(post("/x", "text/plain", "a".repeat(10 * 1024 * 1024)).statusCode())
                .isEqualTo(200);
        assertThat(post("/x", "text/plain", "a".repeat(10 * 1024 * 1024 + 1)).statusCode())
                .isEqualTo(413);
    }

    @Test
    void the_most_specific_route_wins() throws Exception {
        gateway.route("POST", "/pools/{tenant}", answering("\"one\""));
        gateway.route("POST", "/pools/all", answering("\"all\""));

        assertThat(text(post("/pools/all", "text/plain", ""))).isEqualTo("all");
        assertThat(text(post("/pools/acme", "text/plain", ""))).isEqualTo("one");
        assertThat(post("/pools/acme/more", "text/plain", "").statusCode()).isEqualTo(404);
    }

    private Function answering(String json) {
        return payload -> {
            received.set(JSON.readTree(payload));
            return json.getBytes(StandardCharsets.UTF_8);
        };
    }

    private JsonNode event() {
        return Objects.requireNonNull(received.get());
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private HttpResponse<byte[]> post(String target, String contentType, String body) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(gateway.url() + target))
                        .header("Content-Type", contentType)
                        .header("X-Many", "one")
                        .header("X-Many", "two")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
    }
}
