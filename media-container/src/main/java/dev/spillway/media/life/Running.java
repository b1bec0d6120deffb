package dev.spillway.media.life;

import dev.spillway.adapters.twilio.Callbacks;
import dev.spillway.adapters.twilio.StreamTarget;
import dev.spillway.adapters.twilio.Twiml;
import dev.spillway.core.Timing;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Report;
import dev.spillway.core.tenant.Persona.Bot;
import dev.spillway.media.ContainerSettings;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.admission.MemoryFloor;
import dev.spillway.media.agent.Agents;
import dev.spillway.media.call.DirectCalls;
import dev.spillway.media.call.Door;
import dev.spillway.media.call.Patience;
import dev.spillway.media.call.Personas;
import dev.spillway.media.call.Seating;
import dev.spillway.media.call.Self;
import dev.spillway.media.call.Setbacks;
import dev.spillway.media.call.SetupBudget;
import dev.spillway.media.host.HeapHeadroom;
import dev.spillway.media.host.Host;
import dev.spillway.media.host.Protection;
import dev.spillway.media.wire.BotWatch;
import dev.spillway.media.wire.Liveness;
import dev.spillway.media.wire.MediaServer;
import dev.spillway.media.wire.StreamLimits;
import dev.spillway.media.wire.Streams;
import dev.spillway.media.wire.TargetCheck;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The parts of a container whose port is open. */
record Running(
        Self self,
        Ports ports,
        Admission admission,
        HeapHeadroom headroom,
        Streams streams,
        TargetCheck targetCheck,
        Heart heart,
        Pulse pulse,
        @Nullable BotWatch botWatch) {

    /** What there is before the container knows who it is. */
    record Frame(
            ContainerSettings settings,
            Agents agents,
            Journal journal,
            InstantSource clock,
            Patience patience,
            Instant startedAt) {}

    /**
     * Puts the parts together and opens the port. Nothing is admitted yet.
     *
     * @param over told when the container is to exit by itself
     */
    static Running assemble(
            Frame frame,
            Ports ports,
            Host.Identity identity,
            PoolView pool,
            Personas personas,
            Protection protection,
            MediaServer server,
            Consumer<String> over) {
        ContainerSettings settings = frame.settings();
        Journal journal = frame.journal();
        InstantSource clock = frame.clock();
        Patience patience = frame.patience();
        Timing timing = settings.shared().timing();
        // The port is not known before it is open, and only the table and the heart need the address.
        Self draft = new Self(
                settings.pool(),
                identity.id(),
                UUID.randomUUID().toString(),
                "",
                identity.revision(),
                frame.startedAt());
        long floor = settings.memoryFloorBytes();
        HeapHeadroom headroom = new HeapHeadroom(floor, patience::later);
        MemoryFloor memory = new MemoryFloor(headroom, floor);
        Admission admission = new Admission(pool.pool().policy().limit(), memory, frame.startedAt());
        Seating seating = new Seating(
                draft, admission, ports.containers(), ports.calls(), ports.announcements(), journal, clock, patience);
        Streams streams = new Streams(
                admission,
                seating,
                frame.agents(),
                settings.bots(),
                ports.conversations(),
                patience,
                journal,
                clock,
                StreamLimits.standard(timing.turnBoundary()));
        Door door = new Door(
                draft,
                settings.streamKey(),
                admission,
                seating,
                ports.containers(),
                personas,
                ports.generations(),
                patience,
                SetupBudget.STANDARD,
                clock);
        Bot bot = settings.bots().own();
        BotWatch botWatch = bot == null
                ? null
                : new BotWatch(
                        server, bot.url(), settings.bots().limits(), admission, patience, journal, BotWatch.PAUSE);
        if (botWatch != null) {
            streams.watch(botWatch);
        }
        TargetCheck targetCheck = new TargetCheck(admission);
        server.listen(
                settings.port(),
                door,
                streams,
                targetCheck,
                new Liveness(draft, admission, ports.containers(), patience),
                new Setbacks(draft, ports.pools(), ports.calls(), patience, journal, clock),
                directCalls(frame, ports, draft, pool, personas, admission, seating));
        Self self = new Self(
                draft.pool(),
                draft.id(),
                draft.bootId(),
                identity.address() + ":" + server.port(),
                draft.revision(),
                draft.startedAt());
        Heart heart = new Heart(
                self,
                admission,
                seating,
                new Debts(seating, patience, journal, Debts.PATIENCE),
                streams,
                ports.containers(),
                ports.announcements(),
                protection,
                journal,
                clock,
                timing,
                settings.deregistration());
        Pulse pulse = new Pulse(
                heart,
                protection,
                journal,
                clock,
                over,
                () -> measure(journal, ports, admission, memory, streams, heart, server));
        if (botWatch != null) {
            botWatch.whenChanged(pulse::wake); // whoever routes calls is told at once
        }
        // The first stream makes the beats of the gateway more frequent: an offer is to be seen within that interval.
        streams.whenOpened(pulse::hurry);
        streams.whenQuieter(() -> {
            if (!admission.isAccepting()) {
                pulse.wake();
            }
        });
        return new Running(self, ports, admission, headroom, streams, targetCheck, heart, pulse, botWatch);
    }

    private static @Nullable DirectCalls directCalls(
            Frame frame,
            Ports ports,
            Self self,
            PoolView pool,
            Personas personas,
            Admission admission,
            Seating seating) {
        ContainerSettings settings = frame.settings();
        StreamTarget target = new StreamTarget(pool.pool().streamUrl(), settings.streamKey());
        return settings.pool()
                .tenant()
                .map(tenant -> new DirectCalls(
                        self,
                        tenant,
                        settings.streamKey(),
                        settings.voiceUrl().orElseThrow(),
                        settings.shared().timing().tokenLife(),
                        SetupBudget.STANDARD,
                        personas,
                        ports.tokens(),
                        admission,
                        seating,
                        ports.generations(),
                        new Twiml(new Callbacks(settings.shared().publicUrl()), id -> target),
                        frame.patience(),
                        frame.journal(),
                        frame.clock()))
                .orElse(null);
    }

    private static void measure(
            Journal journal,
            Ports ports,
            Admission admission,
            MemoryFloor memory,
            Streams streams,
            Heart heart,
            MediaServer server) {
        Report report = admission.report(0);
        Entry entry = Entry.of("metrics")
                .with("setups", report.setups())
                .with("live", report.live())
                .with("relays", report.relays())
                .with("cleanup", report.cleanup())
                .with("headroomBytes", memory.headroomBytes().getAsLong())
                .with("streams", streams.count())
                .with("heartbeatsFailed", heart.failed())
                .with("connections.clients", server.connections());
        for (Map.Entry<String, Integer> open : ports.openConnections().get().entrySet()) {
            entry = entry.with("connections." + open.getKey(), open.getValue());
        }
        journal.write(entry);
    }
}
