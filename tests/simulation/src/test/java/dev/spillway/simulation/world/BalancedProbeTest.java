package dev.spillway.simulation.world;

import dev.spillway.core.contract.ProbeContract;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Probe;

/** The simulated probe keeps the contract that the real one does. */
class BalancedProbeTest extends ProbeContract {
    private final CalmWorld calm = new CalmWorld(2);

    @Override
    protected Probe probe() {
        return calm.world().probe();
    }

    @Override
    protected Pool pool() {
        return Sample.acme();
    }

    private MediaTask task(ContainerId id) {
        return calm.world().tasks(Sample.ACME_POOL).stream()
                .filter(task -> task.self().id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Override
    protected ContainerId first() {
        return new ContainerId("acme-01");
    }

    @Override
    protected ContainerId second() {
        return new ContainerId("acme-02");
    }

    @Override
    protected void end(ContainerId id) {
        task(id).die(false);
    }

    @Override
    protected void freeze(ContainerId id) {
        task(id).process().freeze();
    }
}
