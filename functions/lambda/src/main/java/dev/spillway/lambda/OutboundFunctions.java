package dev.spillway.lambda;

import dev.spillway.adapters.RandomJobIds;
import dev.spillway.adapters.Sha256NumberHash;
import dev.spillway.core.Pause;
import dev.spillway.core.Timing;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.outbound.DialAnswering;
import dev.spillway.core.outbound.DialInquiry;
import dev.spillway.core.outbound.DialPermit;
import dev.spillway.core.outbound.DialProgress;
import dev.spillway.core.outbound.DialUpkeep;
import dev.spillway.core.outbound.Dialer;
import dev.spillway.core.outbound.DialerRuns;
import dev.spillway.core.outbound.JobCanceling;
import dev.spillway.core.outbound.JobCheck;
import dev.spillway.core.outbound.JobIntake;
import dev.spillway.core.outbound.NumberHash;
import dev.spillway.core.outbound.OutboundEnding;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.stream.StreamKey;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/** The flows of calls out, wired: the part of {@link Functions} that is about them. */
final class OutboundFunctions {
    private final DialAnswering dialAnswering;
    private final OutboundEnding ending;
    private final DialerRuns runs;
    private final JobDesk desk;

    OutboundFunctions(
            Ports ports,
            Gate gate,
            Growth growth,
            Function<PoolId, StreamKey> streamKeys,
            Journal journal,
            InstantSource clock,
            Pause pause,
            Timing timing) {
        NumberHash hash = new Sha256NumberHash();
        DialProgress progress = new DialProgress(ports.jobs(), ports.calls(), journal);
        this.dialAnswering = new DialAnswering(progress, ports.calls(), ports.containers(), journal, timing);
        this.ending = new OutboundEnding(
                progress,
                ports.calls(),
                new CallEnding(
                        ports.calls(), ports.containers(), ports.announcements(), ports.conversations(), journal),
                ports.containers(),
                ports.lines(),
                ports.announcements());
        DialUpkeep upkeep = new DialUpkeep(
                ports.pools(),
                ports.containers(),
                ports.calls(),
                ports.jobs(),
                ports.lines(),
                progress,
                ending,
                journal);
        DialInquiry inquiry = new DialInquiry(
                ports.pools(), ports.calls(), ports.jobs(), ports.dials(), ports.tenants(), ending, journal, timing);
        Dialer dialer = new Dialer(
                ports.pools(),
                ports.containers(),
                ports.jobs(),
                ports.lines(),
                ports.dials(),
                ports.tenants(),
                growth,
                progress,
                ending,
                new DialPermit(hash),
                ports.generations(),
                () -> ThreadLocalRandom.current().nextDouble(),
                journal,
                timing);
        this.runs = new DialerRuns(
                dialer,
                upkeep,
                inquiry,
                ports.announcements(),
                () -> UUID.randomUUID().toString(),
                clock,
                pause);
        this.desk = new JobDesk(
                gate,
                ports.tenants(),
                ports.pools(),
                ports.jobs(),
                new JobCheck(hash),
                new JobIntake(ports.jobs(), ports.announcements(), journal),
                new JobCanceling(ports.jobs(), ports.dials(), progress),
                new RandomJobIds(),
                streamKeys,
                clock);
    }

    DialAnswering dialAnswering() {
        return dialAnswering;
    }

    OutboundEnding ending() {
        return ending;
    }

    DialerRuns runs() {
        return runs;
    }

    JobDesk desk() {
        return desk;
    }
}
