package dev.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.localcloud.EventBridgeStandIn.Delivery;
import dev.spillway.localcloud.EventBridgeStandIn.Fault;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.eventbridge.EventBridgeClient;
import software.amazon.awssdk.services.eventbridge.model.EventBridgeException;
import software.amazon.awssdk.services.eventbridge.model.PutEventsRequestEntry;

class EventBridgeStandInTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LATE_BY = Duration.ofMillis(200);

    private final List<JsonNode> received = new CopyOnWriteArrayList<>();

    @Test
    void the_real_client_puts_events_that_reach_the_functions_of_matching_rules() {
        try (var bridge = new EventBridgeStandIn(0, Delivery.exact());
                var client = client(bridge)) {
            bridge.rule("scaler", "spillway", "Overflow", collecting());
            bridge.rule("other", "spillway", "Other", collecting());

            var answer = client.putEvents(request -> request.entries(
                    entry("{\"tenant\":\"acme\"}"),
                    entry("not json"),
                    entry("{}").toBuilder().source(null).build()));

            assertThat(answer.failedEntryCount()).isEqualTo(2);
            assertThat(answer.entries().get(1).errorCode()).isEqualTo("MalformedDetail");
            await().atMost(Duration.ofSeconds(10)).until(() -> received.size() == 1);
            JsonNode event = received.getFirst();
            assertThat(event.path("id").asText())
                    .isEqualTo(answer.entries().getFirst().eventId());
            assertThat(event.path("detail-type").asText()).isEqualTo("Overflow");
            assertThat(event.at("/detail/tenant").asText()).isEqualTo("acme");
            assertThat(event.properties().stream().map(field -> field.getKey()))
                    .containsExactlyInAnyOrder(
                            "version",
                            "id",
                            "detail-type",
                            "source",
                            "account",
                            "time",
                            "region",
                            "resources",
                            "detail");
            assertThat(bridge.history()).hasSize(1);
        }
    }

    @Test
    void more_than_ten_entries_or_256_kilobytes_are_refused() {
        try (var bridge = new EventBridgeStandIn(0, Delivery.exact());
                var client = client(bridge)) {
            var eleven = IntStream.range(0, 11)
                    .mapToObj(i -> entry("{\"i\":" + i + "}"))
                    .toList();
            String large = "{\"a\":\"" + "x".repeat(256 * 1024) + "\"}";

            assertThatThrownBy(() -> client.putEvents(request -> request.entries(eleven)))
                    .isInstanceOf(EventBridgeException.class)
                    .hasMessageContaining("1 to 10");
            assertThatThrownBy(() -> client.putEvents(request -> request.entries(entry(large))))
                    .isInstanceOf(EventBridgeException.class)
                    .hasMessageContaining("over the limit");
        }
    }

    @Test
    void every_event_arrives_at_least_once_some_twice_and_some_overtaken() {
        try (var bridge = new EventBridgeStandIn(0, new Delivery(0.2, 0.3, LATE_BY, Duration.ofMillis(10), 4711))) {
            bridge.rule("tasks", "aws.ecs", "ECS Task State Change", collecting());

            for (int i = 0; i < 100; i++) {
                bridge.publish(task(i));
            }

            await().atMost(Duration.ofSeconds(10))
                    .until(() ->
                            received.stream().map(this::number).distinct().count() == 100 && bridge.delivered() > 100);
            assertThat(received.stream().map(this::number).toList())
                    .isNotEqualTo(received.stream().map(this::number).sorted().toList());
        }
    }

    @Test
    void a_function_that_throws_is_tried_three_times_and_then_the_event_is_lost() {
        var attempts = new AtomicInteger();
        try (var bridge = new EventBridgeStandIn(0, Delivery.exact())) {
            bridge.rule("tasks", "aws.ecs", "ECS Task State Change", payload -> {
                attempts.incrementAndGet();
                throw new IllegalStateException("broken");
            });

            bridge.publish(task(1));

            await().atMost(Duration.ofSeconds(10)).until(() -> bridge.lost() == 1);
            assertThat(attempts).hasValue(3);
            assertThat(bridge.delivered()).isZero();
        }
    }

    @Test
    void while_down_requests_fail_and_while_dropping_they_succeed_and_go_nowhere() {
        try (var bridge = new EventBridgeStandIn(0, Delivery.exact());
                var client = client(bridge)) {
            bridge.rule("scaler", "spillway", "Overflow", collecting());

            bridge.fault(Fault.DOWN);
            assertThatThrownBy(() -> client.putEvents(request -> request.entries(entry("{}"))))
                    .isInstanceOf(EventBridgeException.class);
            bridge.fault(Fault.DROP);
            client.putEvents(request -> request.entries(entry("{\"n\":1}")));
            bridge.fault(Fault.NONE);
            client.putEvents(request -> request.entries(entry("{\"n\":2}")));

            await().atMost(Duration.ofSeconds(10)).until(() -> received.size() == 1);
            assertThat(received.getFirst().at("/detail/n").asInt()).isEqualTo(2);
        }
    }

    @Test
    void a_schedule_fires_again_and_again_and_never_twice_at_once() {
        var inside = new AtomicInteger();
        var overlaps = new AtomicInteger();
        var firings = new CopyOnWriteArrayList<JsonNode>();
        try (var schedules = new Schedules(600, 42)) { // a minute is 100 ms
            schedules.every(Duration.ofMinutes(1), "sweeper", payload -> {
                if (inside.incrementAndGet() > 1) {
                    overlaps.incrementAndGet();
                }
                var pause = new java.util.concurrent.CountDownLatch(1);
                boolean released = pause.await(firings.isEmpty() ? 250 : 1, java.util.concurrent.TimeUnit.MILLISECONDS);
                inside.decrementAndGet();
                firings.add(JSON.readTree(payload));
                if (!released && firings.size() == 2) {
                    throw new IllegalStateException("one bad day");
                }
                return payload;
            });

            await().atMost(Duration.ofSeconds(10)).until(() -> firings.size() >= 5);
            assertThat(overlaps).hasValue(0);
            assertThat(schedules.failures()).isEqualTo(1);
            JsonNode event = firings.getFirst();
            assertThat(event.path("detail-type").asText()).isEqualTo("Scheduled Event");
            assertThat(event.path("source").asText()).isEqualTo("aws.scheduler");
            assertThat(event.at("/resources/0").asText()).endsWith("schedule/default/sweeper");
        }
    }

    private Function collecting() {
        return payload -> {
            received.add(JSON.readTree(payload));
            return new byte[0];
        };
    }

    private Integer number(JsonNode event) {
        return event.at("/detail/version").asInt();
    }

    private static String task(int version) {
        return """
                {"version":"0","id":"%d","detail-type":"ECS Task State Change","source":"aws.ecs",\
                "detail":{"version":%d,"lastStatus":"STOPPED"}}""".formatted(version, version);
    }

    private static PutEventsRequestEntry entry(String detail) {
        return PutEventsRequestEntry.builder()
                .source("spillway")
                .detailType("Overflow")
                .detail(detail)
                .build();
    }

    private static EventBridgeClient client(EventBridgeStandIn bridge) {
        return EventBridgeClient.builder()
                .endpointOverride(bridge.url())
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("id", "secret")))
                .overrideConfiguration(configuration -> configuration.retryStrategy(retry -> retry.maxAttempts(1)))
                .build();
    }
}
