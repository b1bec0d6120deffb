package dev.spillway.simulation.world;

import dev.spillway.adapters.eventbridge.EventBridgeAnnouncements;
import dev.spillway.core.contract.AnnouncementsContract;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.EventBridgeStandIn.Delivery;
import dev.spillway.localcloud.EventBridgeStandIn.Fault;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.eventbridge.EventBridgeClient;

/** The adapter that functions and containers use, with the real client, before a stand-in for EventBridge. */
class EventBridgeAnnouncementsContractTest extends AnnouncementsContract {
    private final EventBridgeStandIn bus = new EventBridgeStandIn(0, Delivery.exact());
    private final EventBridgeClient client = EventBridgeClient.builder()
            .endpointOverride(bus.url())
            .region(Region.US_EAST_1)
            .credentialsProvider(AnonymousCredentialsProvider.create())
            .build();
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final Announcements announcements = new EventBridgeAnnouncements(client, "spillway", entry -> {});

    @BeforeEach
    void subscribe() {
        ALL.stream()
                .map(Announcement::detailType)
                .forEach(type -> bus.rule("to-" + type, "spillway", type, payload -> {
                    received.add(type);
                    return new byte[0];
                }));
    }

    @AfterEach
    void close() {
        client.close();
        bus.close();
    }

    @Override
    protected Announcements announcements() {
        return announcements;
    }

    @Override
    protected List<String> received() {
        return received;
    }

    @Override
    protected void down(boolean value) {
        bus.fault(value ? Fault.DOWN : Fault.NONE);
    }

    @Override
    protected void await(BooleanSupplier so) {
        StandInTwilio.await(so);
    }
}
