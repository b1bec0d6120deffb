package dev.spillway.simulation.world;

import dev.spillway.core.contract.DialsContract;
import dev.spillway.core.outbound.Dials;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.simulation.world.Outgoing.End;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The simulated Twilio that makes calls keeps the contract that the real one's adapter does. */
class ExchangeTest extends DialsContract {
    private static final long SECOND = 1_000_000;
    private static final long HOUR = 3_600 * SECOND;
    private final CalmWorld calm = new CalmWorld(0);
    private final Map<Job, Person> expected = new HashMap<>();
    private Exchange exchange = exchange(1, Outgoing.Treatment.CALM);

    private Exchange exchange(long seed, Outgoing.Treatment treatment) {
        World world = calm.world();
        return new Exchange(
                world.scheduler(),
                world.trace(),
                new Faults(seed, Faults.Profile.CALM, Set.of()),
                Exchange.Watch.NONE,
                world.functions(),
                world.carrier(),
                CalmWorld.scenario(0, seed, new Outgoing(Map.of(), List.of(), treatment)));
    }

    @Override
    protected Dials dials() {
        return exchange;
    }

    @Override
    protected Tenant tenant(TenantId id) {
        return CalmWorld.tenant(id);
    }

    @Override
    protected Instant now() {
        return calm.scheduler().instant();
    }

    @Override
    protected void expect(Job job, Person person) {
        expected.put(job, person);
        End end = switch (person) {
            case LETS_IT_RING, IS_AWAY -> End.NO_ANSWER;
            case IS_BUSY -> End.BUSY;
            case CANNOT_BE_REACHED -> End.FAILED;
            case PICKS_UP -> End.ANSWERED;
        };
        exchange.expect(
                job.id(),
                new Outgoing.Wish(
                        expected.size(),
                        job.to(),
                        0,
                        HOUR,
                        HOUR,
                        -1,
                        new Outgoing.Callee(end, person == Person.LETS_IT_RING ? HOUR : SECOND, HOUR, HOUR, true)));
    }

    /** One call a second is slow for whoever looks more often. */
    @Override
    protected void dialSlowly() {}

    @Override
    protected void refuse() {
        exchange = exchange(1, new Outgoing.Treatment(1, 0));
    }

    /** Under the first seed whose first dial does not lose the request itself. */
    @Override
    protected void loseReply() {
        long seed = 1;
        while (Chance.of(seed, "unheard dial 100001 no. 1").hits(0.5)) {
            seed++;
        }
        exchange = exchange(seed, new Outgoing.Treatment(0, 1));
    }

    @Override
    protected void await(BooleanSupplier so) {
        calm.await(so);
    }
}
