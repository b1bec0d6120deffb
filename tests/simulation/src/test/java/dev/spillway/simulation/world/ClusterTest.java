package dev.spillway.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.PoolId;
import dev.spillway.media.host.Host;
import java.time.Instant;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The simulated ECS keeps the contract that the real one's adapter does. */
class ClusterTest extends HostContract {
    private static final long SECOND = 1_000_000;
    private final Scheduler scheduler = new Scheduler();
    private final Trace trace = new Trace(false);
    private final Cluster cluster = new Cluster(
            scheduler,
            new Faults(1, Faults.Profile.CALM, Set.of()),
            1,
            trace,
            new Weather(),
            new Laws(new MemoryTable(), trace, scheduler, Expectation.LITTLE),
            0,
            Mutation.NONE,
            task -> null,
            task -> {});

    ClusterTest() {
        cluster.create(SERVICE, PoolId.of(Sample.ACME), 0);
    }

    @Override
    protected Fleet fleet() {
        return cluster;
    }

    @Override
    protected void await(BooleanSupplier so) {
        for (int seconds = 0; seconds < 600 && !so.getAsBoolean(); seconds++) {
            scheduler.run(scheduler.now() + SECOND);
        }
        assertThat(so.getAsBoolean()).isTrue();
    }

    @Override
    protected void letTimePass() {
        scheduler.run(scheduler.now() + 300 * SECOND);
    }

    private Cluster.Running running(ContainerId task) {
        return cluster.running().stream()
                .filter(running -> running.id().equals(task))
                .findFirst()
                .orElseThrow();
    }

    @Override
    Host host(ContainerId task) {
        return running(task);
    }

    @Override
    Instant now() {
        return scheduler.instant();
    }

    @Override
    protected void end(ContainerId task) {
        running(task).exited("Essential container exited");
    }

    @Override
    protected void deploy() {
        cluster.deploy(SERVICE);
    }
}
