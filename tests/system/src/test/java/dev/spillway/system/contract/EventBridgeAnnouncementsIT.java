package dev.spillway.system.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.eventbridge.EventBridgeAnnouncements;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.EventBridgeStandIn.Delivery;
import dev.spillway.localcloud.EventBridgeStandIn.Fault;
import dev.spillway.localcloud.FaultyProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Announcements to a bus that takes them, refuses them, hangs or is gone. */
@Timeout(60)
class EventBridgeAnnouncementsIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Announcement OVERFLOW = Samples.ONE_ANNOUNCEMENT_OF_EACH_KIND.getFirst();

    /** Each announcement has half a second. Ten times that tells it from a client that waits, on a busy machine too. */
    private static final Duration BOUND = Duration.ofSeconds(5);

    private static EventBridgeStandIn bus;
    private static FaultyProxy proxy;
    private static AwsClients clients;

    private final List<Entry> journal = new CopyOnWriteArrayList<>();
    private EventBridgeAnnouncements announcements;

    private EventBridgeAnnouncements announcements() {
        return new EventBridgeAnnouncements(clients.eventBridge(), "spillway", journal::add);
    }

    @BeforeAll
    static void start() {
        bus = new EventBridgeStandIn(0, Delivery.exact());
        proxy = new FaultyProxy("eventbridge", bus.url().getPort());
        clients = Wire.asDeployedTo(proxy.url(), "EVENTBRIDGE");
    }

    @AfterAll
    static void stop() {
        clients.close();
        proxy.close();
        bus.close();
    }

    @BeforeEach
    void heal() {
        bus.fault(Fault.NONE);
        proxy.become(FaultyProxy.PASS);
        announcements = announcements();
        // The first request also loads classes and opens a connection, which may well take its half second.
        await().atMost(Duration.ofSeconds(30)).until(() -> announcements.publish(OVERFLOW));
        journal.clear();
        announcements = announcements();
    }

    private boolean taken(Announcement announcement) {
        long start = System.nanoTime();
        boolean taken = announcements.publish(announcement);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BOUND);
        return taken;
    }

    @Test
    void what_the_bus_takes_reaches_the_functions_with_its_fields() throws Exception {
        List<JsonNode> received = new CopyOnWriteArrayList<>();
        for (Announcement announcement : Samples.ONE_ANNOUNCEMENT_OF_EACH_KIND) {
            bus.rule("it-" + announcement.detailType(), "spillway", announcement.detailType(), payload -> {
                received.add(JSON.readTree(payload));
                return new byte[0];
            });
            await().atMost(Duration.ofSeconds(30)).until(() -> announcements.publish(announcement));
        }

        await().atMost(Duration.ofSeconds(10))
                .until(() -> received.stream()
                        .map(event -> event.path("detail-type").textValue())
                        .toList()
                        .containsAll(List.of("CallOverflowed", "ContainerReady", "SlotFreed", "ContainerDrained")));
        assertThat(detail(received, "CallOverflowed")).isEqualTo(JSON.readTree("""
                {"version":1,"tenant":"acme","call":"CA00000000000000000000000000000001","hop":1,\
                "placed":"gateway","at":"2026-11-29T09:00:00Z"}"""));
        assertThat(detail(received, "ContainerReady"))
                .isEqualTo(JSON.readTree(
                        "{\"version\":1,\"pool\":\"acme\",\"container\":\"a1\",\"at\":\"2026-11-29T09:00:00Z\"}"));
        assertThat(detail(received, "SlotFreed").path("pool").textValue()).isEqualTo("gateway");
        assertThat(received)
                .allSatisfy(
                        event -> assertThat(event.path("source").textValue()).isEqualTo("spillway"));
    }

    private static JsonNode detail(List<JsonNode> events, String detailType) {
        return events.stream()
                .filter(event -> event.path("detail-type").textValue().equals(detailType))
                .findFirst()
                .orElseThrow()
                .path("detail");
    }

    @Test
    void a_bus_with_trouble_of_its_own_takes_nothing_and_comes_back() {
        bus.fault(Fault.DOWN);
        assertThat(taken(OVERFLOW)).isFalse();

        bus.fault(Fault.NONE);
        await().atMost(Duration.ofSeconds(30)).until(() -> announcements.publish(OVERFLOW));
    }

    @Test
    void a_bus_that_refuses_connections_takes_nothing_and_comes_back() {
        proxy.become(FaultyProxy.DOWN);
        assertThat(taken(OVERFLOW)).isFalse();

        proxy.become(FaultyProxy.PASS);
        await().atMost(Duration.ofSeconds(30)).until(() -> announcements.publish(OVERFLOW));
    }

    @Test
    void a_bus_that_never_answers_holds_nobody_up() {
        proxy.become(FaultyProxy.STALL);

        assertThat(taken(OVERFLOW)).isFalse();
        assertThat(journal.getFirst().fields().get("reason")).startsWith("TIMED_OUT");
    }

    @Test
    void what_got_lost_is_noted_once_and_counted_on() {
        bus.fault(Fault.DOWN);

        for (Announcement announcement : Samples.ONE_ANNOUNCEMENT_OF_EACH_KIND) {
            assertThat(taken(announcement)).isFalse();
        }

        assertThat(journal).first().satisfies(entry -> {
            assertThat(entry.event()).isEqualTo("announcement-lost");
            assertThat(entry.fields()).containsEntry("announcement", "CallOverflowed");
            assertThat(entry.fields()).containsEntry("lostSoFar", "1");
        });
        assertThat(journal).hasSizeLessThan(Samples.ONE_ANNOUNCEMENT_OF_EACH_KIND.size());
    }

    @Test
    void after_the_clients_are_closed_nothing_is_taken_and_nothing_thrown() {
        AwsClients own = Wire.asDeployedTo(proxy.url(), "EVENTBRIDGE");
        announcements = new EventBridgeAnnouncements(own.eventBridge(), "spillway", journal::add);
        own.close();

        assertThat(taken(OVERFLOW)).isFalse();
    }
}
