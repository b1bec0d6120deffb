package dev.spillway.simulation.world;

import dev.spillway.core.Timing;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Generations;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.pool.Probe;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import dev.spillway.simulation.world.Weather.Where;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The whole system under one seed: the real flows and the real containers' parts, wired to a world that does its worst. */
final class World implements Ports {
    private static final long SECOND = 1_000_000;
    private static final List<TenantId> TENANTS = List.of(Sample.ACME, Sample.BLOOM);
    static final List<PoolId> POOLS = List.of(PoolId.GATEWAY, PoolId.of(Sample.ACME), PoolId.of(Sample.BLOOM));
    /** The design's figures, but for the idle window: one minute instead of ten, so that a run is shorter. */
    static final Timing TIMING = new Timing(
            Timing.STANDARD.heartbeat(),
            Timing.STANDARD.heldHeartbeat(),
            Timing.STANDARD.expiry(),
            Timing.STANDARD.lostAfter(),
            Timing.STANDARD.outageQuiet(),
            Timing.STANDARD.coldStart(),
            Timing.STANDARD.launchDeadline(),
            Duration.ofMinutes(1),
            Timing.STANDARD.scaleInLock(),
            Timing.STANDARD.protection(),
            Timing.STANDARD.turnBoundary(),
            Timing.STANDARD.tokenLife(),
            Timing.STANDARD.round());

    private final Scenario scenario;
    private final MemoryTable table = new MemoryTable();
    private final Trace trace;
    private final Laws laws;
    private final Scheduler scheduler;
    private final Faults faults;
    private final Weather weather = new Weather();
    private final Cluster cluster;
    private final Functions functions;
    private final Bus bus;
    private final Carrier carrier;
    private final Probe probe;
    private final Exchange exchange;
    private final Desk desk;
    private final OrderLaws orderLaws;
    private final OutboundLaws outboundLaws;
    private final HeldInVain heldInVain;
    private final Settling settling;
    private final Mishaps mishaps;
    private final Containers containers;
    private final Calls calls;
    private final Tenants tenants;
    private final Conversations conversations;
    private final Map<PoolId, List<MediaTask>> tasks = new LinkedHashMap<>();
    private final Map<PoolId, StreamKey> keys = new HashMap<>();
    private long generations;
    private int started;

    World(Scenario scenario, Set<String> without, Mutation mutation, boolean traced) {
        this.scenario = scenario.without(without);
        this.trace = new Trace(traced);
        this.scheduler = new Scheduler();
        trace.timedBy(scheduler);
        this.laws = new Laws(table, trace, scheduler, Expectation.of(scenario));
        this.faults = new Faults(scenario.seed(), scenario.profile(), without);
        this.bus = new Bus(scheduler, faults, trace, weather, scenario.seed(), scenario.delivery(), mutation);
        this.heldInVain = new HeldInVain(
                table,
                scheduler,
                laws,
                scenario.isCalm() && this.scenario.commands().isEmpty());
        LeaseLaws leaseLaws = new LeaseLaws(table, scheduler, laws);
        this.orderLaws = new OrderLaws(table, scheduler, laws, scenario.isCalm());
        this.outboundLaws =
                new OutboundLaws(table, scheduler, laws, orderLaws, this.scenario.outgoing(), scenario.isCalm());
        seedTable();
        Gate gate = new Gate(scheduler, faults, trace, weather, table);
        this.containers = gate.port(
                Where.TABLE,
                Containers.class,
                mutation.containers(table.containers(), table),
                laws.ofContainers()
                        .and(new ShareLaw(table, scheduler, laws).ofContainers())
                        .and(leaseLaws.ofContainers())
                        .and(orderLaws.ofContainers())
                        .and(outboundLaws.ofContainers()));
        this.calls = gate.port(
                Where.TABLE, Calls.class, mutation.calls(table.calls(), table), new CallLaws(table, laws).ofCalls());
        this.conversations = gate.port(Where.TABLE, Conversations.class, table.conversations(), Gate.Witness.NONE);
        this.tenants = gate.port(Where.TABLE, Tenants.class, table.tenants(), Gate.Witness.NONE);
        Pools pools = gate.port(
                Where.TABLE,
                Pools.class,
                mutation.pools(table.pools(), table),
                laws.ofPools().and(leaseLaws.ofPools()).and(orderLaws.ofPools()));
        this.cluster = new Cluster(
                scheduler,
                faults,
                scenario.seed(),
                trace,
                weather,
                laws,
                scenario.failingLaunches(),
                mutation,
                this::begin,
                bus::taskStopped);
        Wiring wiring = new Wiring(
                this,
                gate,
                pools,
                new Wiring.Surroundings(
                        this.scenario,
                        table,
                        faults,
                        heldInVain,
                        orderLaws,
                        outboundLaws,
                        leaseLaws,
                        cluster,
                        this::carrier,
                        this::exchange,
                        this::probe,
                        mutation));
        this.functions = wiring.functions();
        bus.subscribe(functions);
        Balancers balancers = new Balancers(this);
        this.probe = new BalancedProbe(this, balancers, table, scenario.seed());
        this.carrier = new Carrier(this, balancers, functions, faults, scenario.seed(), scenario.manners());
        this.exchange = new Exchange(scheduler, trace, faults, outboundLaws, functions, carrier, this.scenario);
        this.desk = new Desk(scheduler, functions, exchange, wiring.desk());
        POOLS.forEach(pool -> tasks.put(pool, new ArrayList<>()));
        this.settling = new Settling(scenario, scheduler, trace, laws, faults, cluster, carrier, table, outboundLaws);
        this.mishaps = new Mishaps(scheduler, trace, weather, cluster, tasks);
    }

    private void seedTable() {
        for (TenantId tenant : TENANTS) {
            table.put(Sample.tenant(tenant));
            table.put(Pool.fresh(
                            PoolId.of(tenant),
                            new Policy(scenario.minimum(), 6, scenario.limit(), 0, scenario.rule(), scenario.scaleIn()),
                            service(PoolId.of(tenant)),
                            "wss://" + tenant + ".example.com",
                            Scheduler.START)
                    .withOutbound(
                            scenario.outgoing().policies().containsKey(tenant)
                                    ? Outbound.of(scenario.outgoing().policies().get(tenant))
                                    : Outbound.NONE));
        }
        table.put(Pool.fresh(
                PoolId.GATEWAY,
                new Policy(3, 8, scenario.limit(), scenario.limit(), ScaleOutRule.DEMAND, ScaleInRule.IDLE),
                service(PoolId.GATEWAY),
                "wss://gateway.example.com",
                Scheduler.START));
    }

    static String service(PoolId pool) {
        return "spillway-" + pool;
    }

    // The flows are wired before these are there.

    Carrier carrier() {
        return carrier;
    }

    Functions functions() {
        return functions;
    }

    Exchange exchange() {
        return exchange;
    }

    Probe probe() {
        return probe;
    }

    /** Runs it to its end. */
    Outcome run() {
        Optional<Violation> violation = Optional.empty();
        try {
            begin();
            scheduler.run(scenario.quietMicros());
            settling.settle();
        } catch (Violation broken) {
            violation = Optional.of(broken);
        }
        long steps = scheduler.steps();
        long seconds = scheduler.now() / SECOND;
        try {
            scheduler.close();
        } catch (Violation late) {
            // found already
        }
        return new Outcome(
                scenario,
                violation,
                faults.fired(),
                steps,
                laws.writes(),
                seconds,
                trace.lines(),
                trace.hash(),
                tally(),
                laws.callers().longestSilence() / SECOND);
    }

    /** Lets everything begin that the scenario has. */
    void begin() {
        for (PoolId pool : POOLS) {
            cluster.create(service(pool), pool, pool.isGateway() ? 3 : scenario.minimum());
        }
        functions.schedule(scenario.quietMicros() + Settling.LONGEST);
        for (Scenario.Arrival arrival : scenario.arrivals()) {
            PhoneCall call = new PhoneCall(
                    Sample.call(arrival.number()),
                    arrival.tenant(),
                    arrival.number(),
                    arrival.patienceMicros(),
                    arrival.talkMicros(),
                    arrival.agentEndsIt());
            carrier.expect(call, arrival.atMicros());
        }
        desk.expect(scenario.outgoing(), scenario.commands());
        scenario.mishaps().forEach(mishaps::plan);
        listen();
    }

    private void listen() {
        scheduler.at(scheduler.now() + SECOND / 2, null, () -> {
            laws.callers().look(carrier.listen());
            heldInVain.look(TENANTS);
            outboundLaws.look();
            orderLaws.look(POOLS);
            if (!settling.isOver()) {
                listen();
            }
        });
    }

    private Map<String, Integer> tally() {
        Map<String, Integer> tally = new LinkedHashMap<>();
        for (PhoneCall call : carrier.calls()) {
            table.peek(call.tenant(), call.sid())
                    .ifPresent(record -> tally.merge(
                            record.outcome() == null ? "open" : record.outcome().text(), 1, Integer::sum));
            if (call.isDropped()) {
                tally.merge("(every URL failed)", 1, Integer::sum);
            }
            if (call.hasGivenUp()) {
                tally.merge("(gave up)", 1, Integer::sum);
            }
        }
        outboundLaws.ends().forEach((what, many) -> tally.merge(what, many, Integer::sum));
        return tally;
    }

    private MediaTask begin(Cluster.Running host) {
        int number = ++started;
        long error = Clocks.error(Chance.of(scenario.seed(), "clock of " + host.id()));
        MediaTask task = new MediaTask(this, host, number, error, Chance.of(scenario.seed(), "start of " + host.id()));
        tasks.computeIfAbsent(host.pool(), pool -> new ArrayList<>()).add(task);
        return task;
    }

    @Override
    public Scheduler scheduler() {
        return scheduler;
    }

    @Override
    public Trace trace() {
        return trace;
    }

    @Override
    public Laws laws() {
        return laws;
    }

    @Override
    public Timing timing() {
        return TIMING;
    }

    @Override
    public int limit() {
        return scenario.limit();
    }

    @Override
    public Containers containers() {
        return containers;
    }

    @Override
    public Calls calls() {
        return calls;
    }

    @Override
    public Tenants tenants() {
        return tenants;
    }

    @Override
    public Conversations conversations() {
        return conversations;
    }

    @Override
    public Announcements announcements() {
        return bus;
    }

    @Override
    public Generations generations() {
        return hop -> new Generation(hop, "%016d".formatted(++generations));
    }

    @Override
    public InstantSource clock(Machine process) {
        return () -> scheduler.instant().plusNanos(process.clockErrorMicros() * 1_000);
    }

    @Override
    public StreamKey key(PoolId pool) {
        return keys.computeIfAbsent(pool, id -> StreamKey.derive(new byte[32], id));
    }

    @Override
    public List<MediaTask> tasks(PoolId pool) {
        List<MediaTask> all = tasks.getOrDefault(pool, List.of());
        if (all.stream().anyMatch(task -> task.process().isDead())) {
            all.removeIf(task -> task.process().isDead() && task.conversations().isEmpty());
        }
        return List.copyOf(all);
    }
}
