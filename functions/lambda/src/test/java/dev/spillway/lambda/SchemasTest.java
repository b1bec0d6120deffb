package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.adapters.eventbridge.EventBridgeAnnouncements;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.ContainerDrained;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.event.Announcement.JobsWaiting;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcement.SlotsTaken;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.eventbridge.EventBridgeClient;
import software.amazon.awssdk.services.eventbridge.model.PutEventsRequest;
import software.amazon.awssdk.services.eventbridge.model.PutEventsRequestEntry;
import software.amazon.awssdk.services.eventbridge.model.PutEventsResponse;
import software.amazon.awssdk.services.eventbridge.model.PutEventsResultEntry;

/** What the bus adapter sends is what the schemas say, and what the handlers read. */
class SchemasTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant AT = Instant.parse("2026-11-29T09:00:00.123Z");

    static Stream<Announcement> announcements() {
        ContainerId container = new ContainerId("0123456789abcdef0123456789abcdef");
        return Stream.of(
                new CallOverflowed(Sample.ACME, World.call(), 1, Placed.GATEWAY, AT),
                new CallOverflowed(Sample.ACME, World.call(), 2, Placed.UNCLAIMED, AT),
                new CallOverflowed(Sample.ACME, World.call(), 3, Placed.BUSY, AT),
                new ContainerReady(Sample.ACME_POOL, container, AT),
                new ContainerReady(PoolId.GATEWAY, container, AT),
                new SlotFreed(Sample.ACME_POOL, container, AT),
                new SlotsTaken(Sample.ACME_POOL, container, AT),
                new StreamSilent(Sample.ACME, World.call(), 2, container, AT),
                new JobsWaiting(Sample.ACME, AT),
                new ContainerDrained(Sample.ACME_POOL, container, AT));
    }

    @ParameterizedTest
    @MethodSource("announcements")
    void each_event_that_is_emitted_is_valid_and_understood(Announcement announcement) throws IOException {
        RecordingBus bus = new RecordingBus();

        new EventBridgeAnnouncements(bus, "spillway", entry -> {}).publish(announcement);

        PutEventsRequestEntry sent = bus.sent.getFirst();
        assertThat(sent.source()).isEqualTo("spillway");
        assertThat(sent.detailType()).isEqualTo(announcement.detailType());
        assertThat(problems(sent.detailType(), JSON.readTree(sent.detail()))).isEmpty();
        assertThat(BusEvent.of(Fixtures.parse(
                        "{\"source\":\"spillway\",\"detail-type\":\"" + sent.detailType() + "\",\"detail\":"
                                + sent.detail() + "}",
                        com.amazonaws.services.lambda.runtime.events.ScheduledEvent.class)))
                .isEqualTo(new BusEvent.Announced(announcement));
    }

    @ParameterizedTest
    @MethodSource("ownFiles")
    void each_file_of_an_event_of_ours_is_valid(String file) throws IOException {
        JsonNode event = JSON.readTree(Fixtures.text("event-bridge/" + file + ".json"));

        assertThat(problems(event.get("detail-type").asText(), event.get("detail")))
                .isEmpty();
    }

    static List<String> ownFiles() {
        return List.of(
                "call-overflowed",
                "container-ready",
                "slot-freed",
                "slots-taken",
                "stream-silent",
                "container-drained",
                "jobs-waiting");
    }

    @Test
    void a_schema_finds_what_is_wrong() throws IOException {
        JsonNode wrong =
                JSON.readTree("{\"version\":2,\"tenant\":\"gateway\",\"call\":\"CA1\",\"hop\":0,\"placed\":\"moon\"}");

        assertThat(problems("CallOverflowed", wrong)).hasSize(6);
    }

    /** The few words of JSON Schema that ours use; an unknown word is a problem of its own. */
    private static List<String> problems(String type, JsonNode value) throws IOException {
        JsonNode schema = JSON.readTree(Fixtures.text("schemas/" + type + ".json"));
        List<String> problems = new ArrayList<>();
        for (JsonNode name : schema.get("required")) {
            if (!value.has(name.asText())) {
                problems.add(name.asText() + " is missing");
            }
        }
        schema.get("properties").properties().forEach(property -> {
            if (value.has(property.getKey())) {
                property.getValue()
                        .properties()
                        .forEach(word -> check(property.getKey(), word.getKey(), word.getValue(), value, problems));
            }
        });
        return problems;
    }

    private static void check(String name, String word, JsonNode wanted, JsonNode object, List<String> problems) {
        JsonNode actual = object.get(name);
        boolean right = switch (word) {
            case "description" -> true;
            case "type" -> wanted.asText().equals("integer") ? actual.isInt() : actual.isTextual();
            case "const" -> actual.equals(wanted);
            case "minimum" -> actual.asInt() >= wanted.asInt();
            case "pattern" -> actual.asText().matches(wanted.asText());
            case "enum" ->
                Stream.iterate(0, i -> i < wanted.size(), i -> i + 1)
                        .anyMatch(i -> wanted.get(i).equals(actual));
            default -> false;
        };
        if (!right) {
            problems.add(name + " breaks " + word);
        }
    }

    /** Keeps what is put on it. */
    private static final class RecordingBus implements EventBridgeClient {
        private final List<PutEventsRequestEntry> sent = new ArrayList<>();

        @Override
        public PutEventsResponse putEvents(PutEventsRequest request) {
            sent.addAll(request.entries());
            return PutEventsResponse.builder()
                    .failedEntryCount(0)
                    .entries(PutEventsResultEntry.builder().eventId("1").build())
                    .build();
        }

        @Override
        public String serviceName() {
            return "events";
        }

        @Override
        public void close() {}
    }
}
