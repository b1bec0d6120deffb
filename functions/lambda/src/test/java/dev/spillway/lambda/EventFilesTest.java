package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every file in {@code events/} is what its handler takes, parsed as Lambda parses it. */
class EventFilesTest {
    @ParameterizedTest
    @EnumSource
    void each_webhook_is_rightly_signed(WebhookKind kind) {
        World world = new World();
        APIGatewayV2HTTPEvent event =
                Fixtures.read("api-gateway/" + kind.segment() + ".json", APIGatewayV2HTTPEvent.class);
        TwilioWebhook webhooks = new TwilioWebhook(
                World.PUBLIC_URL,
                new TenantLookup(world.table.tenants(), TenantLookup.BOUND, world.tenantSecrets),
                world.tokens);

        assertThat(webhooks.verify(kind, event)).isInstanceOf(Verdict.Accepted.class);
    }

    @Test
    void the_pool_status_request_is_answered() {
        APIGatewayV2HTTPEvent event = Fixtures.read("api-gateway/pool-status.json", APIGatewayV2HTTPEvent.class);

        assertThat(new PoolStatusHandler(new World().functions())
                        .handleRequest(event, null)
                        .getStatusCode())
                .isEqualTo(200);
    }

    @Test
    void the_requests_for_attempts_are_answered() {
        World world = new World().withGateway();
        world.fallback(Request.fallback());
        AttemptsHandler handler = new AttemptsHandler(world.functions());

        for (String file : List.of("attempts.json", "attempt.json")) {
            APIGatewayV2HTTPEvent event = Fixtures.read("api-gateway/" + file, APIGatewayV2HTTPEvent.class);
            assertThat(handler.handleRequest(event, null).getStatusCode())
                    .as(file)
                    .isEqualTo(200);
        }
    }

    @Test
    void the_requests_of_the_console_are_answered() {
        ConsoleHandler handler = new ConsoleHandler(new World().withGateway().functions());

        for (String file : List.of("console.json", "console-state.json")) {
            APIGatewayV2HTTPEvent event = Fixtures.read("api-gateway/" + file, APIGatewayV2HTTPEvent.class);
            assertThat(handler.handleRequest(event, null).getStatusCode())
                    .as(file)
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @MethodSource("busFiles")
    void each_bus_event_is_known(String file) {
        ScheduledEvent event = Fixtures.read("event-bridge/" + file, ScheduledEvent.class);

        assertThat(BusEvent.of(event)).isNotInstanceOf(BusEvent.Unknown.class);
    }

    static List<String> busFiles() throws IOException {
        try (Stream<java.nio.file.Path> files = Files.list(Fixtures.EVENTS.resolve("event-bridge"))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void what_scheduler_sends_without_an_input_cannot_be_parsed() {
        String bare = Fixtures.text("event-bridge/schedule.json").replace("\"detail\": {}", "\"detail\": \"{}\"");

        assertThatThrownBy(() -> Fixtures.parse(bare, ScheduledEvent.class)).hasMessageContaining("LinkedHashMap");
    }

    @Test
    void the_input_that_a_schedule_needs_is_a_schedule() {
        ScheduledEvent event = Fixtures.parse(
                "{\"source\": \"aws.scheduler\", \"detail-type\": \"Scheduled Event\", \"detail\": {}}",
                ScheduledEvent.class);

        assertThat(BusEvent.of(event)).isEqualTo(new BusEvent.Due());
    }
}
