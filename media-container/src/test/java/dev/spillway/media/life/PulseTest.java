package dev.spillway.media.life;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.Answer;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.pool.PoolId;
import dev.spillway.media.host.Protection;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PulseTest {
    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);

    @Test
    void a_stream_that_opens_on_the_gateway_shortens_the_interval_that_is_waited_for() {
        try (Rig gateway = Rig.of(table, clock, PoolId.GATEWAY, "g1").start()) {
            Pulse pulse = pulse(gateway);
            gateway.streams().whenOpened(pulse::hurry);
            pulse.start();
            Answer.Stream any = new Answer.Stream(PoolId.GATEWAY, null, generation(1, 1), NOW.plusSeconds(60), NOW);
            TestStream stream = TestStream.open(gateway.ws(gateway.path(ACME, call(1), any)))
                    .start(call(1).value(), "acme");
            // 2 s instead of the 10 s that had begun
            await().atMost(Duration.ofSeconds(8)).until(() -> beats() > 0);
            pulse.stop();
            stream.close();
        }
    }

    @Test
    void a_hurry_without_a_shorter_interval_makes_no_beat() {
        try (Rig rig = Rig.of(table, clock, ACME_POOL, "c1").start()) {
            Pulse pulse = pulse(rig);
            pulse.start();
            for (int n = 0; n < 100; n++) {
                pulse.hurry();
            }
            assertThat(beats()).isZero();
            pulse.wake();
            await().until(() -> beats() == 1);
            pulse.stop();
        }
    }

    private long beats() {
        return table.operations().count(Operation.CONTAINERS_HEARTBEAT);
    }

    private Pulse pulse(Rig rig) {
        return new Pulse(
                rig.heart(),
                new Protection(rig.host().host(), table.journal()),
                table.journal(),
                clock,
                reason -> {},
                () -> {});
    }
}
