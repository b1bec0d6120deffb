package dev.spillway.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.contract.AnnouncementsContract;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The simulated bus keeps the contract that the real one's adapter does. */
class BusTest extends AnnouncementsContract {
    private static final long SECOND = 1_000_000;
    private static final long OUTAGE = 60 * SECOND;
    private final Scheduler scheduler = new Scheduler();
    private final Weather weather = new Weather();
    private final List<String> received = new ArrayList<>();
    private final Bus bus = new Bus(
            scheduler,
            new Faults(1, Faults.Profile.CALM, Set.of()),
            new Trace(false),
            weather,
            1,
            new Bus.Delivery(0, 0, 0),
            Mutation.NONE);

    BusTest() {
        bus.subscribe(new Bus.Subscribers() {
            @Override
            public void deliver(String event, Announcement announcement, long delayMicros) {
                scheduler.at(scheduler.now() + delayMicros, null, () -> received.add(announcement.detailType()));
            }

            @Override
            public void taskStopped(String event, Cluster.Running task, long delayMicros) {}
        });
    }

    @Override
    protected Announcements announcements() {
        return bus;
    }

    @Override
    protected List<String> received() {
        return received;
    }

    @Override
    protected void down(boolean value) {
        if (value) {
            weather.add(Weather.Where.BUS, Weather.State.DOWN, scheduler.now(), scheduler.now() + OUTAGE);
        } else {
            scheduler.run(scheduler.now() + OUTAGE);
        }
    }

    @Override
    protected void await(BooleanSupplier so) {
        for (int seconds = 0; seconds < 600 && !so.getAsBoolean(); seconds++) {
            scheduler.run(scheduler.now() + SECOND);
        }
        assertThat(so.getAsBoolean()).isTrue();
    }
}
