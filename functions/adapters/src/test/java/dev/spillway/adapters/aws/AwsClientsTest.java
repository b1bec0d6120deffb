package dev.spillway.adapters.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.spillway.adapters.settings.SettingsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;

class AwsClientsTest {
    private static final Map<String, Integer> NONE = Map.of("dynamodb", 0, "ecs", 0, "eventbridge", 0, "secrets", 0);

    private static Map<String, String> environment(int port) {
        return Map.of(
                "AWS_REGION", "eu-west-1",
                "AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:" + port,
                "AWS_ACCESS_KEY_ID", "test",
                "AWS_SECRET_ACCESS_KEY", "test");
    }

    @Test
    void everything_that_is_missing_is_told_at_once() {
        assertThatThrownBy(() -> AwsClients.from(Map.of("AWS_ENDPOINT_URL_ECS", "localhost")))
                .isInstanceOfSatisfying(
                        SettingsException.class,
                        e -> assertThat(e.problems())
                                .contains(
                                        "AWS_ENDPOINT_URL_ECS: want an absolute URL with scheme http or https",
                                        "AWS_REGION: is missing"));
        assertThatThrownBy(() -> AwsClients.from(
                        Map.of("AWS_REGION", "eu-west-1", "AWS_ENDPOINT_URL_ECS", "http://127.0.0.1:1")))
                .isInstanceOfSatisfying(
                        SettingsException.class,
                        e -> assertThat(e.problems())
                                .containsExactly("AWS_ACCESS_KEY_ID: is missing", "AWS_SECRET_ACCESS_KEY: is missing"));
    }

    @Test
    void open_connections_are_counted_for_each_dependency() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] body = "{\"TableNames\":[]}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        AwsClients clients = AwsClients.from(environment(server.getAddress().getPort()));
        try {
            assertThat(clients.openConnections()).isEqualTo(NONE);

            clients.dynamoDb().listTables();
            clients.dynamoDb().listTables();

            assertThat(clients.openConnections()).containsEntry("dynamodb", 1).containsEntry("ecs", 0);
        } finally {
            clients.close();
            server.stop(0);
        }
        assertThat(clients.openConnections()).isEqualTo(NONE);
    }

    @Test
    void a_request_is_tried_three_times_in_all() throws IOException {
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
        });
        server.start();
        try (AwsClients clients =
                AwsClients.from(environment(server.getAddress().getPort()))) {
            DynamoDbClient dynamoDb = clients.dynamoDb();

            assertThatThrownBy(dynamoDb::listTables)
                    .isInstanceOf(DynamoDbException.class)
                    .satisfies(e -> {
                        Failure failure = Failure.of((SdkException) e);
                        assertThat(failure.kind()).isEqualTo(Failure.Kind.BROKEN);
                        assertThat(failure.tries()).isEqualTo(3);
                    });
        } finally {
            server.stop(0);
        }
        assertThat(requests).hasValue(3);
    }

    @Test
    void a_condition_that_fails_on_the_second_try_tells_that_there_was_a_first() throws IOException {
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            boolean first = requests.getAndIncrement() == 0;
            byte[] body = (first
                            ? "{}"
                            : "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\"}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(first ? 500 : 400, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try (AwsClients clients =
                AwsClients.from(environment(server.getAddress().getPort()))) {
            assertThatThrownBy(() -> clients.dynamoDb()
                            .putItem(request -> request.tableName("spillway").item(Map.of())))
                    .isInstanceOf(ConditionalCheckFailedException.class)
                    .satisfies(e ->
                            assertThat(Failure.of((SdkException) e).tries()).isEqualTo(2));
        } finally {
            server.stop(0);
        }
    }

    @Test
    void a_server_that_says_nothing_is_given_up() throws IOException {
        AwsTimeouts timeouts = new AwsTimeouts(Duration.ofMillis(100), Duration.ofMillis(250), Duration.ofMillis(100));
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                AwsClients clients = AwsClients.from(environment(silent.getLocalPort()), timeouts)) {
            assertThatThrownBy(() -> clients.dynamoDb().listTables())
                    .isInstanceOf(SdkException.class)
                    .satisfies(e -> assertThat(Failure.of((SdkException) e).isUncertain())
                            .isTrue());
        }
    }

    @Test
    void a_pool_that_was_unused_for_longer_than_its_connections_live_has_none() {
        AtomicLong nanos = new AtomicLong();
        ConnectionGauge gauge = new ConnectionGauge(Duration.ofSeconds(90), nanos::get);
        var metrics = software.amazon.awssdk.metrics.MetricCollector.create("call");
        metrics.reportMetric(software.amazon.awssdk.http.HttpMetric.LEASED_CONCURRENCY, 2);
        metrics.reportMetric(software.amazon.awssdk.http.HttpMetric.AVAILABLE_CONCURRENCY, 3);

        gauge.publish(metrics.collect());

        assertThat(gauge.open()).isEqualTo(5);
        nanos.set(Duration.ofSeconds(91).toNanos());
        assertThat(gauge.open()).isZero();
    }
}
