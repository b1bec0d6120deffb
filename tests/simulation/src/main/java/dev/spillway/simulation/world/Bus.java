package dev.spillway.simulation.world;

import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.ContainerDrained;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.event.Announcement.JobsWaiting;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcement.SlotsTaken;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.event.Announcements;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The event bus: what it takes arrives late, twice, after what was sent later, or never; and some things it does not take. */
final class Bus implements Announcements {
    private static final long SECOND = 1_000_000;
    /** Share of what is lost of which its sender hears. */
    private static final double REFUSED = 0.3;

    private final Scheduler scheduler;
    private final Faults faults;
    private final Trace trace;
    private final Weather weather;
    private final long seed;
    private final Delivery delivery;
    private final Mutation mutation;
    private final Map<String, Integer> names = new HashMap<>();
    private @Nullable Subscribers subscribers;

    /** How well it delivers: shares of the events. */
    record Delivery(double lost, double late, double doubled) {}

    /** Whoever is told. */
    interface Subscribers {
        /** @param event names this delivery */
        void deliver(String event, Announcement announcement, long delayMicros);

        void taskStopped(String event, Cluster.Running task, long delayMicros);
    }

    Bus(
            Scheduler scheduler,
            Faults faults,
            Trace trace,
            Weather weather,
            long seed,
            Delivery delivery,
            Mutation mutation) {
        this.scheduler = scheduler;
        this.faults = faults;
        this.trace = trace;
        this.weather = weather;
        this.seed = seed;
        this.delivery = delivery;
        this.mutation = mutation;
    }

    /** Nothing can be published before. */
    void subscribe(Subscribers all) {
        subscribers = all;
    }

    private Subscribers subscribers() {
        return Objects.requireNonNull(subscribers, "nobody has subscribed");
    }

    @Override
    public boolean publish(Announcement announcement) {
        String about = about(announcement);
        int before = names.merge(about, 1, Integer::sum);
        String name = before == 1 ? about : about + " no. " + before;
        trace.write("bus", () -> announcement.toString());
        if (weather.at(Weather.Where.BUS, scheduler.now()) == Weather.State.DOWN) {
            return false;
        }
        if (!mutation.mayTell(announcement)) {
            return true;
        }
        if (faults.happens("lost " + name, delivery.lost)) {
            return !Chance.of(seed, "refused " + name).hits(REFUSED);
        }
        Chance chance = Chance.of(seed, name);
        subscribers().deliver(name, announcement, delay(name, chance));
        if (faults.happens("doubled " + name, delivery.doubled)) {
            subscribers().deliver(name + " again", announcement, delay("again " + name, chance));
        }
        return true;
    }

    private static String about(Announcement announcement) {
        return "event "
                + switch (announcement) {
                    case CallOverflowed overflow ->
                        "overflowed " + Functions.tail(overflow.call()) + " at hop " + overflow.hop();
                    case SlotsTaken taken -> "taken " + taken.container();
                    case ContainerReady ready -> "ready " + ready.container();
                    case SlotFreed freed -> "freed " + freed.container();
                    case ContainerDrained drained -> "drained " + drained.container();
                    case StreamSilent silent -> "silent " + Functions.tail(silent.call()) + " at hop " + silent.hop();
                    case JobsWaiting waiting -> "jobs of " + waiting.tenant();
                };
    }

    private long delay(String name, Chance chance) {
        return faults.happens("late " + name, delivery.late)
                ? chance.between(2 * SECOND, 90 * SECOND)
                : chance.between(SECOND / 10, SECOND);
    }

    /** ECS says that a task stopped. */
    void taskStopped(Cluster.Running task) {
        String name = "task event " + task.id();
        if (!faults.happens("lost " + name, delivery.lost)) {
            subscribers().taskStopped(name, task, delay(name, Chance.of(seed, name)));
        }
    }
}
