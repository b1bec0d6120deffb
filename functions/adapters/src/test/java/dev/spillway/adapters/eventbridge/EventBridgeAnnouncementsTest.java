package dev.spillway.adapters.eventbridge;

import static dev.spillway.adapters.Samples.A1;
import static dev.spillway.adapters.Samples.ACME;
import static dev.spillway.adapters.Samples.CALL;
import static dev.spillway.adapters.Samples.POOL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.journal.Journal.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.eventbridge.EventBridgeClient;
import software.amazon.awssdk.services.eventbridge.model.PutEventsRequest;
import software.amazon.awssdk.services.eventbridge.model.PutEventsRequestEntry;
import software.amazon.awssdk.services.eventbridge.model.PutEventsResponse;
import software.amazon.awssdk.services.eventbridge.model.PutEventsResultEntry;

class EventBridgeAnnouncementsTest {
    private static final Instant AT = Instant.parse("2026-11-29T09:00:00Z");

    private final Bus bus = new Bus();
    private final List<Entry> journal = new ArrayList<>();
    private final EventBridgeAnnouncements announcements =
            new EventBridgeAnnouncements(bus, "spillway-bus", journal::add);

    private static final class Bus implements EventBridgeClient {
        private final List<PutEventsRequest> requests = new ArrayList<>();
        private PutEventsResponse response =
                PutEventsResponse.builder().failedEntryCount(0).build();
        private @Nullable SdkException failure;

        @Override
        public PutEventsResponse putEvents(PutEventsRequest request) {
            requests.add(request);
            if (failure != null) {
                throw failure;
            }
            return response;
        }

        @Override
        public String serviceName() {
            return "events";
        }

        @Override
        public void close() {}
    }

    private PutEventsRequestEntry sent() {
        return bus.requests.getLast().entries().getFirst();
    }

    @Test
    void an_overflow_is_told_with_its_call() {
        assertThat(announcements.publish(new Announcement.CallOverflowed(ACME, CALL, 2, Placed.UNCLAIMED, AT)))
                .isTrue();

        assertThat(sent().eventBusName()).isEqualTo("spillway-bus");
        assertThat(sent().source()).isEqualTo("spillway");
        assertThat(sent().detailType()).isEqualTo("CallOverflowed");
        assertThat(sent().detail())
                .isEqualTo("{\"version\":1,\"tenant\":\"acme\",\"call\":\"" + CALL
                        + "\",\"hop\":2,\"placed\":\"unclaimed\",\"at\":\"2026-11-29T09:00:00Z\"}");
    }

    @Test
    void what_containers_announce_is_told_with_pool_and_container() {
        String detail = "{\"version\":1,\"pool\":\"acme\",\"container\":\"a1\",\"at\":\"2026-11-29T09:00:00Z\"}";

        announcements.publish(new Announcement.ContainerReady(POOL, A1, AT));
        assertThat(sent().detail()).isEqualTo(detail);
        announcements.publish(new Announcement.SlotFreed(POOL, A1, AT));
        assertThat(sent().detail()).isEqualTo(detail);
        announcements.publish(new Announcement.ContainerDrained(POOL, A1, AT));
        assertThat(sent().detail()).isEqualTo(detail);
        assertThat(sent().detailType()).isEqualTo("ContainerDrained");
    }

    @Test
    void half_a_second_is_all_that_an_announcement_gets() {
        announcements.publish(new Announcement.SlotFreed(POOL, A1, AT));

        assertThat(bus.requests.getLast().overrideConfiguration().orElseThrow().apiCallTimeout())
                .contains(Duration.ofMillis(500));
    }

    @Test
    void a_bus_that_takes_the_request_and_refuses_the_entry_is_noticed() {
        bus.response = PutEventsResponse.builder()
                .failedEntryCount(1)
                .entries(PutEventsResultEntry.builder()
                        .errorCode("InternalFailure")
                        .build())
                .build();

        assertThat(announcements.publish(new Announcement.SlotFreed(POOL, A1, AT)))
                .isFalse();
        assertThat(journal.getFirst().fields())
                .containsEntry("announcement", "SlotFreed")
                .containsEntry("reason", "InternalFailure");
    }

    @Test
    void a_bus_that_is_down_throws_nothing_and_is_noted_once() {
        bus.failure = ApiCallTimeoutException.create(500);

        for (int i = 0; i < 100; i++) {
            assertThat(announcements.publish(new Announcement.SlotFreed(POOL, A1, AT)))
                    .isFalse();
        }

        assertThat(journal).hasSize(1);
    }
}
