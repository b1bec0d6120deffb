package dev.spillway.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** A world in which nothing goes wrong and nobody calls, for what a test does in it. Its containers are READY. */
final class CalmWorld {
    private static final long SECOND = 1_000_000;
    private final World world;

    /** @param minimum containers of each tenant's pool */
    CalmWorld(int minimum) {
        world = new World(scenario(minimum, 1, Outgoing.NONE), Set.of(), Mutation.NONE, true);
        world.begin();
        world.scheduler().run(60 * SECOND);
    }

    static Scenario scenario(int minimum, long seed, Outgoing outgoing) {
        return new Scenario(
                seed,
                List.of(),
                List.of(),
                Faults.Profile.CALM,
                new Carrier.Manners(true, true, 0, 0, 0),
                new Bus.Delivery(0, 0, 0),
                0,
                ScaleOutRule.DEMAND,
                6,
                minimum,
                outgoing,
                List.of(),
                3_600 * SECOND);
    }

    World world() {
        return world;
    }

    Scheduler scheduler() {
        return world.scheduler();
    }

    /** The world knows tenants by their names: each has an account of its own. */
    static Tenant tenant(TenantId id) {
        return Sample.tenant(id);
    }

    /** Ten minutes at most, in small steps. */
    void await(BooleanSupplier so) {
        for (int i = 0; i < 12_000 && !so.getAsBoolean(); i++) {
            scheduler().run(scheduler().now() + SECOND / 20);
        }
        assertThat(so.getAsBoolean()).isTrue();
    }
}
