package dev.spillway.core.reconcile;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.PoolId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A round of a minute began at NOW. */
class SilenceWatchTest {
    private final MemoryTable table = new MemoryTable();
    private final List<Duration> waits = new ArrayList<>();
    private final List<String> visits = new ArrayList<>();
    private Instant now = NOW;

    SilenceWatchTest() {
        table.put(Sample.acme());
        table.put(Sample.gateway());
    }

    private static boolean oneByOne(List<PoolId> pools, Predicate<PoolId> look) {
        return pools.stream().filter(look).count() > 0;
    }

    private void watch() {
        new SilenceWatch(table.pools(), Timing.STANDARD, () -> now, wait -> {
                    waits.add(wait);
                    now = now.plus(wait);
                    return true;
                })
                .watch(
                        List.of(PoolId.GATEWAY, ACME_POOL),
                        NOW,
                        SilenceWatchTest::oneByOne,
                        pool -> visits.add(
                                pool + " after " + Duration.between(NOW, now).toSeconds() + " s"));
    }

    @Test
    void a_container_that_falls_silent_with_calls_right_after_the_round_is_visited_within_the_minute() {
        table.put(aliveUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 2), seconds(25)));

        watch();

        assertThat(visits).containsExactly("acme after 40 s");
    }

    @Test
    void it_looks_twice_between_two_rounds_while_calls_are_up() {
        table.put(aliveUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1), seconds(3_600)));

        watch();

        assertThat(waits).containsExactly(Duration.ofSeconds(20), Duration.ofSeconds(20));
        assertThat(visits).isEmpty();
    }

    @Test
    void while_no_call_is_up_nobody_waits() {
        table.put(aliveUntil(ready(ACME_POOL, "a1"), NOW));

        watch();

        assertThat(waits).isEmpty();
        assertThat(visits).isEmpty();
    }

    @Test
    void looks_that_the_round_itself_has_used_up_are_left_out() {
        table.put(aliveUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1), NOW));
        now = seconds(30);

        watch();

        assertThat(visits).containsExactly("acme after 40 s");
    }

    @Test
    void a_pool_that_cannot_be_read_may_have_calls_and_is_looked_at_again() {
        table.put(aliveUntil(withCalls(ready(ACME_POOL, "a1"), ACME, 1, 1), NOW));
        table.operations().fail(Operation.POOLS_READ, 2, Moment.BEFORE); // acme's right after the beginning
        table.operations().fail(Operation.POOLS_READ, 4, Moment.BEFORE); // and after 20 s

        watch();

        assertThat(visits).containsExactly("acme after 40 s");
    }
}
