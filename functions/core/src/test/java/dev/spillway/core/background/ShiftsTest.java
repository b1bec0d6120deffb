package dev.spillway.core.background;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.BLOOM_POOL;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Shifts.Start;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Fleet.Service;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.scaling.Retirement;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ShiftsTest {
    private final MemoryTable table = new MemoryTable();
    private final Shifts shifts =
            new Shifts(table.leases(), table.pools(), table.containers(), table.journal(), Timing.STANDARD);
    private final Growth growth = new Growth(
            table.pools(), table.containers(), table.fleet(), table.announcements(), table.journal(), Timing.STANDARD);
    private final Retirement retirement = new Retirement(table.fleet(), growth, table.journal(), Timing.STANDARD);

    @BeforeEach
    void twoIdleContainers() {
        table.put(acme(ScaleOutRule.PLUS_ONE, 2));
        table.put(gateway());
        table.fleet().put(ACME_SERVICE, new Service(2, 2, 0, false, "r1"));
        for (String name : new String[] {"a1", "a2"}) {
            table.put(aliveUntil(ready(ACME_POOL, name), minutes(30)));
            table.fleet().run(ACME_SERVICE, container(name), minutes(-61));
        }
    }

    private Shift begin(String holder, Instant now) {
        assertThat(shifts.begin(ACME_POOL, holder, now)).isInstanceOf(Start.Begun.class);
        Lease lease = pool().background().lease();
        return new Shift(
                ACME_POOL,
                lease,
                table.pools().under(ACME_POOL, lease),
                table.containers().under(ACME_POOL, lease));
    }

    private Pool pool() {
        return table.look(ACME_POOL).pool();
    }

    private ContainerState state(String name) {
        return table.look(ACME_POOL, container(name)).state();
    }

    @Test
    void one_at_a_time_has_a_pool_and_a_complete_visit_is_the_heartbeat() {
        Shift first = begin("first", NOW);
        assertThat(shifts.begin(ACME_POOL, "second", seconds(59))).isEqualTo(new Start.Busy(first.lease()));
        assertThat(shifts.begin(PoolId.GATEWAY, "second", seconds(59))).isInstanceOf(Start.Begun.class);
        assertThat(shifts.begin(BLOOM_POOL, "second", NOW)).isInstanceOf(Start.NoPool.class);

        shifts.complete(first, seconds(59));

        assertThat(pool().background().aliveUntil()).isEqualTo(seconds(59 + 180));
        assertThat(shifts.begin(ACME_POOL, "third", seconds(59))).isInstanceOf(Start.Begun.class);
    }

    @Test
    void a_visit_that_was_broken_off_is_no_heartbeat_and_leaves_the_pool_free() {
        shifts.breakOff(begin("first", NOW), seconds(1));

        assertThat(pool().background().aliveUntil()).isEqualTo(Instant.EPOCH);
        begin("second", seconds(1));
    }

    @Test
    void the_controller_is_silent_three_minutes_after_its_last_complete_visit() {
        shifts.complete(begin("first", NOW), NOW);

        assertThat(pool().background().silentSince(Timing.STANDARD.controllerExpiry(), seconds(179)))
                .isEmpty();
        assertThat(pool().background().silentSince(Timing.STANDARD.controllerExpiry(), seconds(180)))
                .contains(NOW);
    }

    @Test
    void a_pool_that_was_never_visited_has_no_silence() {
        assertThat(pool().background().silentSince(Timing.STANDARD.controllerExpiry(), minutes(600)))
                .isEmpty();
        begin("first", minutes(600));
        assertThat(pool().heardAgainAt()).isEqualTo(Instant.EPOCH);
        assertThat(table.written("alert")).isEmpty();
    }

    @Test
    void a_controller_that_never_completed_a_visit_is_silent_three_minutes_after_its_first() {
        shifts.breakOff(begin("first", NOW), seconds(1));
        assertThat(pool().background().silentSince(Timing.STANDARD.controllerExpiry(), seconds(179)))
                .isEmpty();
        assertThat(pool().background().silentSince(Timing.STANDARD.controllerExpiry(), seconds(180)))
                .contains(NOW);

        shifts.breakOff(begin("second", seconds(180)), seconds(181));
        shifts.breakOff(begin("third", seconds(240)), seconds(241));

        assertThat(table.written("alert")).hasSize(1);
        assertThat(pool().heardAgainAt()).isEqualTo(seconds(180));
    }

    @Test
    void a_pool_that_was_described_and_never_visited_is_silent_too() {
        table.put(pool().with(next -> next.background = Background.from(NOW)));

        assertThat(pool().background().silentSince(Timing.STANDARD.controllerExpiry(), seconds(180)))
                .contains(NOW);
    }

    @Test
    void a_visit_that_another_has_followed_is_not_complete() {
        Shift slow = begin("first", NOW);
        begin("second", seconds(60));

        assertThat(shifts.complete(slow, seconds(61))).isFalse();
    }

    @Test
    void the_first_shift_after_a_silence_notes_it_once_with_the_calls_that_it_touched() {
        table.put(aliveUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 3), minutes(30)));
        shifts.complete(begin("first", NOW), NOW);

        shifts.breakOff(begin("second", seconds(400)), seconds(401));
        shifts.breakOff(begin("third", seconds(460)), seconds(461));

        assertThat(pool().heardAgainAt()).isEqualTo(seconds(400));
        assertThat(pool().silentSince()).isEqualTo(Instant.MAX);
        assertThat(table.written("alert")).hasSize(1);
        assertThat(table.written("alert").getFirst().fields())
                .containsEntry("alert", "controller-silent")
                .containsEntry("attempts", "3")
                .containsEntry("pool", "acme");

        shifts.complete(begin("fourth", seconds(520)), seconds(520));
        begin("fifth", seconds(800));
        assertThat(pool().heardAgainAt()).as("of the next silence").isEqualTo(seconds(800));
        assertThat(table.written("alert")).hasSize(2);
    }

    // A sweeper that is paused between its read and its write, at each of its writes, loses to the one that followed it

    /** The paused one wakes up, and finds what another did meanwhile. */
    private void whilePausedBefore(Operation write, Instant now, Runnable meanwhile) {
        Shift old = begin("old", now);
        table.operations().on(write, 1, Moment.BEFORE, () -> {
            Shift fresh = begin("fresh", now.plusSeconds(60));
            meanwhile.run();
            shifts.complete(fresh, now.plusSeconds(61));
        });
        retirement.sweep(old, now);
        shifts.complete(old, now.plusSeconds(62));
    }

    @Test
    void a_sweeper_paused_before_its_lock_drains_nothing() {
        whilePausedBefore(Operation.POOLS_LOCK_SCALE_IN, minutes(10), () -> {});

        assertThat(state("a1")).isEqualTo(ContainerState.READY);
        assertThat(pool().scaleInLockedUntil()).isEqualTo(Instant.EPOCH);
        assertThat(pool().background().aliveUntil())
                .as("the heartbeat of the one that followed")
                .isEqualTo(minutes(10).plusSeconds(61 + 180));
    }

    @Test
    void a_sweeper_paused_before_its_drain_does_not_drain_what_another_drained_and_demand_took_back() {
        whilePausedBefore(Operation.CONTAINERS_BECOME, minutes(10), () -> {
            Lease fresh = pool().background().lease();
            assertThat(table.containers()
                            .under(ACME_POOL, fresh)
                            .become(
                                    ACME_POOL,
                                    container("a1"),
                                    ContainerState.READY,
                                    ContainerState.DRAINING,
                                    true,
                                    "idle",
                                    minutes(11)))
                    .isTrue();
            assertThat(table.containers()
                            .become(
                                    ACME_POOL,
                                    container("a1"),
                                    ContainerState.DRAINING,
                                    ContainerState.READY,
                                    false,
                                    "wanted again",
                                    minutes(11)))
                    .isTrue();
        });

        assertThat(state("a1")).isEqualTo(ContainerState.READY);
        assertThat(pool().idleSince())
                .as("and did not start the idle window again")
                .isEqualTo(minutes(-60));
    }

    @Test
    void a_sweeper_paused_before_it_lowers_the_count_lowers_nothing_and_lets_nobody_exit() {
        table.put(aliveUntil(ready(ACME_POOL, "a1"), minutes(30))
                .heard(Report.empty(NOW), minutes(30), minutes(60))
                .withState(ContainerState.DRAINED, "idle", NOW));
        table.put(aliveUntil(ready(ACME_POOL, "a2"), minutes(30)).heard(Report.empty(NOW), minutes(30), minutes(60)));

        whilePausedBefore(Operation.POOLS_DESIRE, seconds(20), () -> {});

        assertThat(pool().desired()).isEqualTo(2);
        assertThat(pool().lowered()).isEmpty();
        assertThat(table.fleet().told()).isEmpty();
        assertThat(table.look(ACME_POOL, container("a1")).mayExit()).isFalse();
    }

    @Test
    void demand_does_not_wait_for_a_shift_and_a_shift_does_not_undo_it() {
        Shift old = begin("old", NOW);
        table.operations()
                .on(
                        Operation.POOLS_DESIRE,
                        1,
                        Moment.BEFORE,
                        () -> table.pools()
                                .desire(
                                        ACME_POOL,
                                        5,
                                        pool().version(),
                                        null,
                                        new Pool.Decision("scale out", "calls wait", NOW)));
        table.put(aliveUntil(ready(ACME_POOL, "a1"), minutes(30))
                .heard(Report.empty(NOW), minutes(30), minutes(60))
                .withState(ContainerState.DRAINED, "idle", NOW));
        table.put(aliveUntil(ready(ACME_POOL, "a2"), minutes(30)).heard(Report.empty(NOW), minutes(30), minutes(60)));

        retirement.stopDrained(old, seconds(20));

        assertThat(pool().desired()).isEqualTo(5);
        assertThat(pool().lowered()).isEmpty();
    }

    @Test
    void a_claim_that_comes_while_a_sweeper_is_paused_stays() {
        whilePausedBefore(
                Operation.CONTAINERS_BECOME,
                minutes(10),
                () -> table.containers()
                        .claim(
                                ACME_POOL,
                                container("a1"),
                                call(1),
                                Claim.reserved(generation(1, 1), ACME, minutes(11), minutes(11)),
                                LIMIT,
                                minutes(11)));

        assertThat(state("a1")).isEqualTo(ContainerState.READY);
        assertThat(table.look(ACME_POOL, container("a1")).claims()).containsOnlyKeys(call(1));
    }
}
