package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.ContainerDrained;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.event.Announcement.JobsWaiting;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcement.SlotsTaken;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What everybody expects of the bus: what it took reaches whoever subscribed; what it did not take harms nobody. */
public abstract class AnnouncementsContract {
    /** One of each kind. */
    protected static final List<Announcement> ALL = List.of(
            new CallOverflowed(ACME, call(1), 1, Placed.GATEWAY, NOW),
            new ContainerReady(ACME_POOL, new ContainerId("a1"), NOW),
            new SlotFreed(PoolId.GATEWAY, new ContainerId("gw1"), NOW),
            new SlotsTaken(ACME_POOL, new ContainerId("a1"), NOW),
            new StreamSilent(ACME, call(1), 1, new ContainerId("a1"), NOW),
            new JobsWaiting(ACME, NOW),
            new ContainerDrained(ACME_POOL, new ContainerId("a1"), NOW));

    /** A bus that is up and delivers everything. */
    protected abstract Announcements announcements();

    /** {@link Announcement#detailType} of what reached whoever subscribed, in the order of arrival. */
    protected abstract List<String> received();

    /** From now on the bus answers nobody, or everybody again. */
    protected abstract void down(boolean value);

    /** Lets time go by until it is so; fails if that takes longer than anything here may. */
    protected abstract void await(BooleanSupplier so);

    @Test
    void what_the_bus_takes_reaches_whoever_subscribed_whatever_its_kind() {
        for (Announcement announcement : ALL) {
            await(() -> announcements().publish(announcement)); // a first request may well take too long
        }

        await(() -> received()
                .containsAll(ALL.stream().map(Announcement::detailType).toList()));
    }

    @Test
    void a_bus_that_is_down_takes_nothing_throws_nothing_and_takes_again_when_it_is_up() {
        down(true);
        assertThat(announcements().publish(ALL.getFirst())).isFalse();
        assertThat(announcements().publish(ALL.getLast())).isFalse();

        down(false);
        await(() -> announcements().publish(ALL.getFirst()));
        await(() -> !received().isEmpty());
        assertThat(received()).containsOnly("CallOverflowed");
    }
}
