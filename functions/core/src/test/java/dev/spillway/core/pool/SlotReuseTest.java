package dev.spillway.core.pool;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.job;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.call.Call;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.Containers.ClaimResult.Claimed;
import dev.spillway.core.routing.CallAnswering;
import dev.spillway.core.scaling.Growth;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How long a slot was free is told by whoever takes it; the dialer's and the container's own claims have tests of theirs. */
class SlotReuseTest {
    private final MemoryTable table = new MemoryTable();

    private void freed(PoolId pool, String name, Instant at) {
        table.put(withCalls(ready(pool, name), ACME, 9, 1));
        table.time(at);
        Claim claim = table.look(pool, container(name)).claims().get(call(9));
        assertThat(claim).isNotNull();
        assertThat(table.containers().end(pool, container(name), call(9), claim.generation()))
                .isTrue();
    }

    private CallAnswering answering() {
        return new CallAnswering(
                table.pools(),
                table.containers(),
                table.calls(),
                table.announcements(),
                table.generations(),
                table.journal(),
                Timing.STANDARD);
    }

    private void assertTold(PoolId pool, String name, double freeSeconds) {
        assertThat(table.written("slot-reused")).singleElement().satisfies(entry -> {
            assertThat(entry.fields())
                    .containsEntry("tenant", pool.value())
                    .containsEntry("container", container(name).value())
                    .containsEntry("callSid", call(1).value());
            assertThat(entry.metrics()).isEqualTo(Map.of(Metric.SLOT_REUSE_SECONDS, freeSeconds));
        });
    }

    @Test
    void a_caller_whom_the_fallback_gives_a_slot_of_the_own_pool() {
        table.put(acme());
        table.put(gateway());
        freed(ACME_POOL, "a1", seconds(2));

        answering().answer(ACME, call(1), 0, "503", seconds(9));
        answering().answer(ACME, call(2), 0, "503", seconds(10));

        assertTold(ACME_POOL, "a1", 7);
    }

    @Test
    void a_caller_whom_the_fallback_gives_a_slot_of_the_gateway_counts_for_the_gateways_pool() {
        table.put(acme());
        table.put(gateway());
        freed(PoolId.GATEWAY, "gw1", seconds(2));

        answering().answer(ACME, call(1), 0, "503", seconds(5));

        assertTold(PoolId.GATEWAY, "gw1", 3);
    }

    @Test
    void a_held_call_that_is_offered_a_freed_slot() {
        table.put(acme());
        table.put(gateway());
        Claim held = Claim.connected(generation(1, 1), ACME, NOW, NOW);
        table.put(ready(PoolId.GATEWAY, "gw1").withClaims(Map.of(call(1), held)));
        table.put(new Call(
                ACME, call(1), NOW, 1, Map.of(1, stream(PoolId.GATEWAY, "gw1", 1, 1, NOW)), null, 1, false, null));
        freed(ACME_POOL, "a1", seconds(2));

        Growth growth = new Growth(
                table.pools(),
                table.containers(),
                table.fleet(),
                table.announcements(),
                table.journal(),
                Timing.STANDARD);
        HandOff handOff = new HandOff(
                table.pools(), table.containers(), table.calls(), growth, table.generations(), table.journal());
        assertThat(handOff.run(ACME, seconds(6))).isEqualTo(1);

        assertTold(ACME_POOL, "a1", 4);
    }

    @Test
    void a_slot_that_nobody_had_is_reused_by_nobody_and_a_clock_that_is_behind_makes_no_negative_time() {
        assertThat(SlotReuse.of(ACME_POOL, container("a1"), call(1), new Claimed(null), NOW))
                .isEmpty();
        assertThat(SlotReuse.of(ACME_POOL, container("a1"), call(1), new Claimed(seconds(1)), NOW))
                .contains(new SlotReuse(ACME_POOL, container("a1"), call(1), Duration.ZERO));
    }

    @Test
    void a_jobs_claim_names_the_job() {
        Entry entry = new SlotReuse(ACME_POOL, container("a1"), job(1), Duration.ofMillis(1500)).entry();

        assertThat(entry.fields()).containsEntry("job", job(1).value()).doesNotContainKey("callSid");
        assertThat(entry.metrics()).containsEntry(Metric.SLOT_REUSE_SECONDS, 1.5);
    }
}
