package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;

import dev.spillway.core.Timing;
import dev.spillway.core.background.Lease;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.memory.MemoryDials;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.scaling.Growth;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** acme with a pool that makes calls, Twilio in memory, and the dialer between them. */
final class OutboundWorld {
    final MemoryTable table = new MemoryTable();
    final MemoryDials twilio = new MemoryDials();
    final Timing timing = Timing.STANDARD;
    final Growth growth = new Growth(
            table.pools(),
            table.containers(),
            table.fleet(),
            table.announcements(),
            table.journal(),
            timing,
            new DueJobs(table.jobs(), timing));
    final DialProgress progress = new DialProgress(table.jobs(), table.calls(), table.journal());
    final OutboundEnding ending = new OutboundEnding(
            progress,
            table.calls(),
            new CallEnding(
                    table.calls(), table.containers(), table.announcements(), table.conversations(), table.journal()),
            table.containers(),
            table.lines(),
            table.announcements());
    final DialAnswering answering =
            new DialAnswering(progress, table.calls(), table.containers(), table.journal(), timing);
    final DialUpkeep upkeep = new DialUpkeep(
            table.pools(),
            table.containers(),
            table.calls(),
            table.jobs(),
            table.lines(),
            progress,
            ending,
            table.journal());
    final DialInquiry inquiry = new DialInquiry(
            table.pools(), table.calls(), table.jobs(), twilio, table.tenants(), ending, table.journal(), timing);
    final Dialer dialer = new Dialer(
            table.pools(),
            table.containers(),
            table.jobs(),
            table.lines(),
            twilio,
            table.tenants(),
            growth,
            progress,
            ending,
            new DialPermit((tenant, number) -> "hash of " + number),
            table.generations(),
            () -> 0.5,
            table.journal(),
            timing);
    final JobCanceling canceling = new JobCanceling(table.jobs(), twilio, progress);
    private int holders;

    OutboundWorld(OutboundPolicy policy) {
        table.put(Sample.acme(ScaleOutRule.PLUS_ONE, 0).withOutbound(Outbound.of(policy)));
        table.put(Sample.gateway());
        table.put(Sample.tenant(ACME));
    }

    /** At any hour, to +1 numbers, 1 dial per second. */
    static OutboundPolicy policy(int limit, int reserve) {
        return new OutboundPolicy(
                limit,
                reserve,
                100,
                1,
                1000,
                Map.of(),
                List.of(Country.always("+1")),
                Set.of(),
                OutboundPolicy.Warmth.USUAL);
    }

    /** A waiting job of batch {@code a}, due now, for an hour, to a number of its own. */
    static Job job(int n) {
        return job(n, new Job.Batch("a", 1));
    }

    static Job job(int n, Job.Batch batch) {
        return Job.accepted(
                Sample.job(n),
                "+1500555%04d".formatted(1000 + n),
                "+15005550006",
                "scripted",
                batch,
                NOW,
                NOW.plus(Duration.ofHours(1)),
                Duration.ofMinutes(15),
                NOW);
    }

    Lease lead(Instant now) {
        return dialer.lead(ACME, "holder-" + ++holders, now).orElseThrow();
    }

    /** The minute's run, but without waiting: steps until there is nothing more to do at that moment, then questions. */
    void run(Instant now) {
        Lease lease = lead(now);
        upkeep.visit(ACME, now);
        Dialer.Next next = new Dialer.Next.StepAt(now);
        for (int i = 0;
                i < 100 && next instanceof Dialer.Next.StepAt at && !at.when().isAfter(now);
                i++) {
            next = dialer.step(ACME, lease, now);
        }
        dialer.giveUp(ACME, lease);
        inquiry.ask(ACME, () -> now, now.plusSeconds(1));
    }

    Outbound outbound() {
        return table.look(ACME_POOL).pool().outbound();
    }

    Job job(JobId id) {
        return table.look(id);
    }

    List<Claim> claims() {
        return table.look(ACME_POOL).containers().stream()
                .flatMap(container -> container.claims().values().stream())
                .toList();
    }

    /** READY containers of acme. */
    void ready(String... names) {
        for (String name : names) {
            table.put(Sample.ready(ACME_POOL, name));
        }
    }

    /** The n-th call that Twilio made, from 0. */
    CallSid made(int n) {
        return twilio.made().get(n).call();
    }

    Generation dialOf(JobId id) {
        return job(id).state().lastDial().orElseThrow().generation();
    }

    /** Container {@code a1} is heard in that second. */
    void keepAlive(int second) {
        table.containers()
                .heartbeat(
                        ACME_POOL,
                        Sample.container("a1"),
                        "boot-a1",
                        table.look(ACME_POOL, Sample.container("a1")).report(),
                        NOW.plusSeconds(second + 30),
                        NOW.plusSeconds(second + 3600));
    }
}
