package dev.spillway.simulation.world;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.background.Leases;
import dev.spillway.core.background.Shifts;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.StreamFailure;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.order.OrderFollowing;
import dev.spillway.core.order.OrderGiving;
import dev.spillway.core.order.OrderLog;
import dev.spillway.core.outbound.DialAnswering;
import dev.spillway.core.outbound.DialInquiry;
import dev.spillway.core.outbound.DialPermit;
import dev.spillway.core.outbound.DialProgress;
import dev.spillway.core.outbound.DialUpkeep;
import dev.spillway.core.outbound.Dialer;
import dev.spillway.core.outbound.DialerRuns;
import dev.spillway.core.outbound.Dials;
import dev.spillway.core.outbound.DueJobs;
import dev.spillway.core.outbound.JobCanceling;
import dev.spillway.core.outbound.JobIntake;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.outbound.OutboundEnding;
import dev.spillway.core.outbound.OutboundLines;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.pool.Probe;
import dev.spillway.core.reconcile.FleetMending;
import dev.spillway.core.reconcile.Inquiry;
import dev.spillway.core.reconcile.Launches;
import dev.spillway.core.reconcile.OpenCalls;
import dev.spillway.core.reconcile.Reconciliation;
import dev.spillway.core.reconcile.SilentContainers;
import dev.spillway.core.reconcile.StaleClaims;
import dev.spillway.core.routing.CallAnswering;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.scaling.Retirement;
import dev.spillway.simulation.world.Weather.Where;
import java.time.InstantSource;
import java.util.function.Supplier;

/** The flows as the functions wire them, with the world's ports. */
final class Wiring {
    private final Functions functions;
    private final Desk.Flows desk;
    private int holders;

    /** What the world alone knows. */
    record Surroundings(
            Scenario scenario,
            MemoryTable table,
            Faults faults,
            HeldInVain heldInVain,
            OrderLaws orderLaws,
            OutboundLaws outboundLaws,
            LeaseLaws leaseLaws,
            Fleet fleet,
            Supplier<Telephony> telephony,
            Supplier<Dials> dials,
            Supplier<Probe> probe,
            Mutation mutation) {}

    Wiring(Ports ports, Gate gate, Pools pools, Surroundings world) {
        MemoryTable table = world.table();
        Mutation mutation = world.mutation();
        DialFaults planted = new DialFaults(mutation, table);
        SightFaults unheeded = new SightFaults(mutation);
        Timing timing = ports.timing();
        Scheduler scheduler = ports.scheduler();
        Journal journal = entry -> ports.trace().journal(actor(scheduler)).write(entry);
        Containers containers = ports.containers();
        Announcements announcements = ports.announcements();
        Fleet fleet = gate.port(Where.ECS, Fleet.class, world.fleet(), Gate.Witness.NONE);
        Telephony telephony = gate.latePort(Where.TWILIO, Telephony.class, world.telephony(), Gate.Witness.NONE);
        Probe probe = answered(gate.latePort(Where.BALANCERS, Probe.class, world.probe(), Gate.Witness.NONE));
        Attempts attempts =
                gate.port(Where.TABLE, Attempts.class, mutation.attempts(table.listing()), Gate.Witness.NONE);
        Leases leases = gate.port(Where.TABLE, Leases.class, table.leases(), Gate.Witness.NONE);
        OrderLog orders = gate.port(Where.TABLE, OrderLog.class, table.orders(), Gate.Witness.NONE);
        Jobs jobs = gate.port(
                Where.TABLE,
                Jobs.class,
                planted.jobs(table.jobs()),
                world.outboundLaws().ofJobs());
        OutboundLines lines = gate.port(
                Where.TABLE,
                OutboundLines.class,
                planted.lines(table.lines()),
                world.outboundLaws().ofLines().and(world.leaseLaws().ofLines()));
        Dials dials = Exchange.asked(gate.latePort(Where.TWILIO, Dials.class, world.dials(), Gate.Witness.NONE));
        DueJobs backlog = new DueJobs(jobs, timing);
        Growth growth =
                new Growth(unheeded.poolsOfGrowth(pools), containers, fleet, announcements, journal, timing, backlog);
        Growth ofHandOff =
                mutation.growthOfHandOff(growth, pools, containers, fleet, announcements, journal, timing, backlog);
        HandOff handOff = new HandOff(pools, containers, ports.calls(), ofHandOff, ports.generations(), journal);
        CallEnding ending = new CallEnding(ports.calls(), containers, announcements, ports.conversations(), journal);
        Inquiry inquiry = new Inquiry(ports.tenants(), telephony, ending, journal);
        Retirement retirement = new Retirement(fleet, growth, journal, timing);
        SilentContainers silent =
                new SilentContainers(ports.calls(), ports.tenants(), telephony, probe, inquiry, journal);
        Reconciliation reconciliation = new Reconciliation(
                new StaleClaims(ports.calls(), inquiry, journal, timing),
                new FleetMending(
                        unheeded.fleetOfMending(fleet), growth, silent, new Launches(journal, timing), journal, timing),
                new OpenCalls(attempts, ports.calls(), inquiry, journal, timing),
                retirement,
                handOff);
        OrderFollowing following = new OrderFollowing(
                pools, unheeded.containersOfFollowing(containers), growth, handOff, announcements, journal);
        DialProgress progress = new DialProgress(jobs, ports.calls(), journal);
        OutboundEnding outboundEnding = new OutboundEnding(
                progress,
                ports.calls(),
                ending,
                planted.containersOfEnding(containers),
                planted.linesOfEnding(lines),
                announcements);
        InstantSource clock = scheduler::believed;
        Chance chance = Chance.of(world.scenario().seed(), "retries");
        Pools poolsOfDialer = planted.poolsOfDialer(pools);
        Dialer dialer = new Dialer(
                poolsOfDialer,
                containers,
                jobs,
                lines,
                dials,
                ports.tenants(),
                growth,
                progress,
                outboundEnding,
                new DialPermit((tenant, number) -> tenant + " " + number),
                ports.generations(),
                chance::share,
                journal,
                timing);
        DialerRuns runs = new DialerRuns(
                dialer,
                new DialUpkeep(pools, containers, ports.calls(), jobs, lines, progress, outboundEnding, journal),
                new DialInquiry(pools, ports.calls(), jobs, dials, ports.tenants(), outboundEnding, journal, timing),
                announcements,
                () -> "dialer " + ++holders,
                clock,
                wait -> {
                    scheduler.sleep(Scheduler.micros(wait));
                    return true;
                });
        Visits visits = new Visits(
                scheduler,
                timing,
                new Visits.Flows(
                        pools,
                        new Shifts(
                                leases,
                                unheeded.poolsOfShifts(pools),
                                unheeded.containersOfFollowing(containers),
                                journal,
                                timing),
                        following,
                        retirement,
                        reconciliation,
                        growth),
                world.heldInVain(),
                world.orderLaws());
        this.functions = new Functions(
                scheduler,
                world.faults(),
                ports.trace(),
                ports.laws(),
                world.scenario().delivery(),
                world.scenario().seed(),
                new Functions.Flows(
                        new CallAnswering(
                                unheeded.poolsOfAnswering(pools),
                                containers,
                                ports.calls(),
                                announcements,
                                ports.generations(),
                                journal,
                                timing),
                        growth,
                        handOff,
                        ending,
                        new StreamFailure(ports.calls(), telephony, journal),
                        pools,
                        following,
                        new DialAnswering(progress, ports.calls(), containers, journal, timing),
                        outboundEnding,
                        runs,
                        dials),
                visits,
                world.scenario().outgoing().policies().keySet(),
                mutation);
        this.desk = new Desk.Flows(
                new JobIntake(jobs, announcements, journal),
                new JobCanceling(jobs, dials, progress),
                new OrderGiving(pools, orders, journal),
                following);
    }

    Functions functions() {
        return functions;
    }

    Desk.Flows desk() {
        return desk;
    }

    /** A probe that gets no answer says so, and never fails. */
    private static Probe answered(Probe asked) {
        return (pool, id) -> {
            try {
                return asked.answers(pool, id);
            } catch (DependencyException e) {
                return false;
            }
        };
    }

    private static String actor(Scheduler scheduler) {
        Scheduler.Actor actor = scheduler.running();
        return actor == null ? "world" : actor.name();
    }
}
