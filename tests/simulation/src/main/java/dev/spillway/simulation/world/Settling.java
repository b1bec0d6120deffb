package dev.spillway.simulation.world;

import dev.spillway.core.call.Call;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The end of a run: no question fails any more, everybody hangs up, and everything has to come to rest. */
final class Settling {
    private static final long SECOND = 1_000_000;
    /** After the last fault and the last call: the oldest call that Twilio is asked for is 12 minutes old then. */
    static final long LONGEST = 75 * 60 * SECOND;

    private static final long LOOK = 20 * SECOND;

    private final Scenario scenario;
    private final Scheduler scheduler;
    private final Trace trace;
    private final Laws laws;
    private final Faults faults;
    private final Cluster cluster;
    private final Carrier carrier;
    private final MemoryTable table;
    private final OutboundLaws outboundLaws;
    private boolean over;

    Settling(
            Scenario scenario,
            Scheduler scheduler,
            Trace trace,
            Laws laws,
            Faults faults,
            Cluster cluster,
            Carrier carrier,
            MemoryTable table,
            OutboundLaws outboundLaws) {
        this.scenario = scenario;
        this.scheduler = scheduler;
        this.trace = trace;
        this.laws = laws;
        this.faults = faults;
        this.cluster = cluster;
        this.carrier = carrier;
        this.table = table;
        this.outboundLaws = outboundLaws;
    }

    /** Whether everything has come to rest. */
    boolean isOver() {
        return over;
    }

    /** @throws Violation if it does not */
    void settle() {
        recover();
        scheduler.run(scenario.quietMicros() + 120 * SECOND);
        carrier.closeTime();
        long end = scenario.quietMicros() + LONGEST;
        String unsettled = "";
        for (long at = scheduler.now() + LOOK; at <= end; at += LOOK) {
            scheduler.run(at);
            unsettled = unsettled();
            if (unsettled.isEmpty()) {
                over = true;
                return;
            }
        }
        throw laws.broken(Invariant.SETTLES, "an hour after the last call: " + unsettled);
    }

    private void recover() {
        trace.write("world", () -> "no question fails from here on");
        faults.heal();
        cluster.heal();
    }

    private String unsettled() {
        List<String> left = new ArrayList<>();
        for (PoolId pool : World.POOLS) {
            PoolView view = table.look(pool);
            view.containers().stream()
                    .filter(container -> !container.claims().isEmpty())
                    .forEach(container -> left.add(container.id() + " " + container.state() + " has claims "
                            + container.claims().keySet()));
            int minimum = view.pool().policy().minimum();
            long running = cluster.running().stream()
                    .filter(task -> task.pool().equals(pool))
                    .count();
            int wanted = cluster.desired(World.service(pool));
            if (view.pool().desired() != minimum || wanted != minimum || running != minimum) {
                left.add("pool " + pool + " wants " + view.pool().desired() + ", ECS wants " + wanted + " and runs "
                        + running + ", the minimum is " + minimum);
            }
        }
        left.addAll(outboundLaws.unsettled());
        for (PhoneCall call : carrier.calls()) {
            Optional<Call> record = table.peek(call.tenant(), call.sid());
            if (record.isPresent() && record.get().outcome() == null) {
                left.add(call + " has no outcome");
            }
            if (record.map(Call::outcome).isPresent()
                    && table.conversations().find(call.tenant(), call.sid()).isPresent()) {
                left.add("what was kept of " + call + " is there still");
            }
            if (record.isEmpty() && call.isAnswered() && scenario.isCalm()) {
                left.add(call + " was answered and has no record");
            }
            // Its end writes a call down that nobody had written, as lost: when nothing fails, there is none.
            if (scenario.isCalm()
                    && record.map(Call::outcome).filter(Outcome.LOST::equals).isPresent()) {
                left.add(call + " was lost though nothing failed");
            }
        }
        return String.join("; ", left);
    }
}
