package dev.spillway.system;

import static dev.spillway.system.Stage.GLOBEX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.background.Lease;
import dev.spillway.core.background.Leases;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Pools;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Two controllers want the same pool: the running rounds, and one that takes the lease and falls asleep. */
class LeaseIT {
    @Test
    void the_rounds_wait_for_a_lease_take_it_when_it_has_run_out_and_its_sleeping_holder_writes_nothing_more()
            throws Exception {
        try (Stage stage = new Stage(20, TwilioSwitches.likely(14))) {
            Leases leases = stage.system().leases();
            Pools pools = stage.system().pools();
            // given another controller that got hold of the pool between two rounds, for eight seconds
            AtomicReference<Lease> taken = new AtomicReference<>();
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> {
                        Instant now = Instant.now();
                        if (leases.take(GLOBEX, "idle-sweeper of-another-controller", now, now.plusSeconds(8))
                                instanceof Leases.Taking.Taken mine) {
                            taken.set(mine.lease());
                        }
                        return taken.get() != null;
                    });
            Lease mine = taken.get();
            // when it sleeps past its end, the rounds let it be until then and go on afterwards
            await().atMost(Duration.ofSeconds(40)).until(() -> {
                Lease now = stage.view(GLOBEX).pool().background().lease();
                assertThat(now.generation() == mine.generation()
                                || !Instant.now().isBefore(mine.until()))
                        .as("nobody takes a lease before its end")
                        .isTrue();
                return now.generation() > mine.generation();
            });
            // then what it writes when it wakes up changes nothing
            Pool before = stage.view(GLOBEX).pool();
            assertThat(pools.under(GLOBEX, mine)
                            .desire(GLOBEX, 5, 2, null, new Pool.Decision("scale", "late", Instant.now())))
                    .isFalse();
            assertThat(leases.complete(
                            GLOBEX, mine, Instant.now(), Instant.now().plusSeconds(60)))
                    .isFalse();
            Pool after = stage.view(GLOBEX).pool();
            assertThat(after.desired()).isEqualTo(before.desired()).isEqualTo(2);
            assertThat(stage.system().liveTasks(LocalTenant.GLOBEX)).isEqualTo(2);
        }
    }
}
