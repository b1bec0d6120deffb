package dev.spillway.media.life;

import dev.spillway.adapters.twilio.Callbacks;
import dev.spillway.adapters.twilio.StreamTarget;
import dev.spillway.adapters.twilio.Twiml;
import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Report;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.media.ContainerSettings;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.agent.Agents;
import dev.spillway.media.call.DirectCalls;
import dev.spillway.media.call.Door;
import dev.spillway.media.call.Patience;
import dev.spillway.media.call.Personas;
import dev.spillway.media.call.Seating;
import dev.spillway.media.call.Self;
import dev.spillway.media.host.Host;
import dev.spillway.media.host.Protection;
import dev.spillway.media.wire.Liveness;
import dev.spillway.media.wire.MediaServer;
import dev.spillway.media.wire.StreamLimits;
import dev.spillway.media.wire.Streams;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One media container, from its start to its end. */
public final class MediaContainer {
    /**
     * How long a caller waits for one answer of the table: recording the call and asking for its place stay within 3 s
     * together.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** How often the end of the last call is looked for while stopping. */
    private static final Duration LOOK = Duration.ofMillis(50);

    private final ContainerSettings settings;
    private final Supplier<Ports> makePorts;
    private final Host host;
    private final Agents agents;
    private final Journal journal;
    private final InstantSource clock;
    private final Timing timing;
    private final Patience patience = new Patience(PATIENCE);
    private final CompletableFuture<String> over = new CompletableFuture<>();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final Instant startedAt;
    private volatile @Nullable Running running;
    private volatile @Nullable Ports ports;
    private volatile @Nullable MediaServer server;

    /** What there is once the container has begun to run. */
    private record Running(Self self, Admission admission, Streams streams, Heart heart, Pulse pulse) {}

    /** @param makePorts may block; run beside the server's own start */
    public MediaContainer(
            ContainerSettings settings,
            Supplier<Ports> makePorts,
            Host host,
            Agents agents,
            Journal journal,
            InstantSource clock) {
        this.settings = settings;
        this.makePorts = makePorts;
        this.host = host;
        this.agents = agents;
        this.journal = journal;
        this.clock = clock;
        this.timing = settings.shared().timing();
        this.startedAt = clock.instant();
    }

    /**
     * Starts and becomes READY.
     *
     * @throws LaunchException if it cannot within the launch deadline
     */
    public void start() throws LaunchException {
        Executor worker = patience::later;
        Protection protection = new Protection(host, journal);
        var identity = CompletableFuture.supplyAsync(
                () -> retried("the task's own metadata", () -> Optional.of(host.identity())), worker);
        var made = CompletableFuture.supplyAsync(makePorts, worker);
        var view = made.thenApplyAsync(
                all -> retried("the pool " + settings.pool(), () -> all.pools().read(settings.pool())), worker);
        var known = made.thenApply(all -> new Personas(all.tenants(), patience));
        var tenant = known.thenApplyAsync(personas -> ownTenant(personas), worker);
        known.thenAcceptAsync(this::learn, worker);
        var granted = CompletableFuture.supplyAsync(
                () -> retried(
                        "the scale-in protection",
                        () -> protection.renewIfDue(clock.instant()) ? Optional.of(true) : Optional.empty()),
                worker);
        MediaServer opening = new MediaServer();
        server = opening;
        Ports all = join(made);
        ports = all;
        Running run = assemble(all, join(identity), join(view), join(known), protection, opening);
        join(tenant);
        register(all, run);
        running = run;
        run.pulse().start();
        join(granted);
        becomeReady(all, run);
        join(tenant).ifPresent(own -> patience.later(() -> warm(all, own)));
    }

    /** Waits until the container is to exit by itself; gives the reason. */
    public String awaitEnd() {
        return over.join();
    }

    /** The port that is open. */
    public int port() {
        MediaServer open = server;
        if (open == null) {
            throw new IllegalStateException("not started");
        }
        return open.port();
    }

    /** What the first call needs and READY does not: fetched before it comes. */
    private void warm(Ports all, Tenant tenant) {
        try {
            all.tokens().of(tenant);
        } catch (DependencyException e) {
            journal.write(Entry.of("tokens-unread").with("reason", "the first webhook asks again"));
        }
    }

    /** The gateway takes any tenant's calls, also when the table cannot tell whose they are. */
    private void learn(Personas personas) {
        if (settings.pool().isGateway()) {
            personas.learnAll();
        }
    }

    private Optional<Tenant> ownTenant(Personas personas) {
        return settings.pool()
                .tenant()
                .map(id -> retried("the tenant " + id, () -> {
                    return personas.find(id);
                }));
    }

    private Running assemble(
            Ports all,
            Host.Identity identity,
            PoolView view,
            Personas personas,
            Protection protection,
            MediaServer opening) {
        // The port is open before the address is known to anyone: only /live is served until READY.
        int limit = view.pool().policy().limit();
        Admission admission = new Admission(limit, startedAt);
        String boot = UUID.randomUUID().toString();
        Self draft = new Self(settings.pool(), identity.id(), boot, "", identity.revision(), startedAt);
        Seating seating = new Seating(
                draft, admission, all.containers(), all.calls(), all.announcements(), journal, clock, patience);
        Streams streams = new Streams(
                admission, seating, agents, patience, journal, clock, StreamLimits.standard(timing.turnBoundary()));
        Door door = new Door(
                draft,
                settings.streamKey(),
                admission,
                seating,
                all.containers(),
                personas,
                all.generations(),
                patience,
                clock);
        Twiml twiml = new Twiml(
                new Callbacks(settings.shared().publicUrl()),
                pool -> new StreamTarget(view.pool().streamUrl(), settings.streamKey()));
        @Nullable
        DirectCalls direct = settings.pool()
                .tenant()
                .map(id -> new DirectCalls(
                        draft,
                        id,
                        settings.voiceUrl().orElseThrow(),
                        timing.tokenLife(),
                        personas,
                        all.tokens(),
                        admission,
                        seating,
                        all.generations(),
                        twiml,
                        patience,
                        journal,
                        clock))
                .orElse(null);
        opening.listen(
                settings.port(), door, streams, new Liveness(draft, admission, all.containers(), patience), direct);
        Self self = new Self(
                settings.pool(),
                identity.id(),
                boot,
                identity.address() + ":" + opening.port(),
                identity.revision(),
                startedAt);
        Heart heart = new Heart(
                self,
                admission,
                seating,
                streams,
                all.containers(),
                all.announcements(),
                protection,
                journal,
                clock,
                timing);
        Pulse pulse = new Pulse(heart, protection, journal, clock, over::complete, () -> {
            measure(all, streams);
            patience.later(() -> learn(personas));
        });
        streams.whenQuieter(() -> {
            if (!admission.isAccepting()) {
                pulse.wake();
            }
        });
        return new Running(self, admission, streams, heart, pulse);
    }

    private void register(Ports all, Running run) throws LaunchException {
        Self self = run.self();
        Instant now = clock.instant();
        Container item = new Container(
                self.pool(),
                self.id(),
                self.bootId(),
                ContainerState.STARTING,
                "registered",
                now,
                self.address(),
                self.revision(),
                run.admission().limit(),
                Map.of(),
                Report.empty(startedAt),
                now.plus(timing.expiry()),
                Instant.EPOCH,
                startedAt,
                false);
        boolean registered = join(CompletableFuture.supplyAsync(
                () -> retried(
                        "registering in the table",
                        () -> Optional.of(all.containers().register(item)
                                // The reply to an earlier try may have been lost.
                                || all.containers()
                                        .find(self.pool(), self.id())
                                        .filter(there -> there.bootId().equals(self.bootId()))
                                        .isPresent())),
                patience::later));
        if (!registered) {
            throw new LaunchException(
                    "container " + self.id() + " is in the table already: another process of this task"
                            + " registered it, and a restarted process needs a new task");
        }
    }

    private void becomeReady(Ports all, Running run) throws LaunchException {
        Self self = run.self();
        boolean ready = join(CompletableFuture.supplyAsync(
                () -> retried(
                        "writing READY",
                        () -> Optional.of(all.containers()
                                        .become(
                                                self.pool(),
                                                self.id(),
                                                ContainerState.STARTING,
                                                ContainerState.READY,
                                                false,
                                                "serving",
                                                clock.instant())
                                || all.containers()
                                        .find(self.pool(), self.id())
                                        .filter(there -> there.bootId().equals(self.bootId())
                                                && there.state() == ContainerState.READY)
                                        .isPresent())),
                patience::later));
        if (!ready) {
            throw new LaunchException("container " + self.id() + " is not STARTING any more and may not become READY");
        }
        run.admission().open();
        long millis = Duration.between(startedAt, clock.instant()).toMillis();
        long process = ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, clock.instant()).toMillis())
                .orElse(millis);
        journal.write(Entry.of("ready")
                .with("address", self.address())
                .with("startMillis", millis)
                .with("processMillis", process)
                .with("reason", "configuration read, protection answered, port open"));
        patience.later(() -> all.announcements().publish(new ContainerReady(self.pool(), self.id(), clock.instant())));
    }

    /**
     * The way out on SIGTERM: no new calls; calls finish, or are given back to Twilio when three quarters of the stop timeout
     * are over; nothing is left in the table but the state. Does nothing the second time.
     */
    public void stop() {
        if (!stopping.compareAndSet(false, true)) {
            return;
        }
        Running run = running;
        Ports all = ports;
        if (run != null && all != null) {
            long begun = System.nanoTime();
            run.admission().closeForGood("stopping");
            become(all, run, ContainerState.READY, ContainerState.DRAINING);
            Duration patient = settings.stopTimeout().multipliedBy(3).dividedBy(4);
            if (!awaitQuiet(run, begun, patient)) {
                journal.write(Entry.of("giving-back")
                        .with("calls", run.streams().count())
                        .with("reason", "the stop timeout is near: their calls go on elsewhere"));
                run.streams().closeAll("the container stops");
                awaitQuiet(run, begun, settings.stopTimeout().multipliedBy(9).dividedBy(10));
            }
            run.pulse().stop();
            become(all, run, ContainerState.DRAINING, ContainerState.DRAINED);
            become(all, run, ContainerState.DRAINED, ContainerState.STOPPING);
        }
        close();
        over.complete("stopped");
    }

    /** Closes every connection. */
    public void close() {
        Running run = running;
        MediaServer open = server;
        Ports all = ports;
        if (run != null) {
            run.pulse().stop();
        }
        if (open != null) {
            open.close();
        }
        if (all != null) {
            all.close().run();
        }
        patience.close();
    }

    private void become(Ports all, Running run, ContainerState from, ContainerState to) {
        try {
            all.containers()
                    .become(
                            run.self().pool(),
                            run.self().id(),
                            from,
                            to,
                            to != ContainerState.DRAINING,
                            "the task was asked to stop",
                            clock.instant());
        } catch (DependencyException e) {
            journal.write(Entry.of("state-not-written")
                    .with("state", to)
                    .with("reason", "the table cannot be reached; its reader finds the task stopped"));
        }
    }

    private static boolean awaitQuiet(Running run, long begunNanos, Duration limit) {
        while (!run.admission().report(0).isQuiet()) {
            if (System.nanoTime() - begunNanos >= limit.toNanos() || !pause(LOOK)) {
                return false;
            }
        }
        return true;
    }

    private void measure(Ports all, Streams streams) {
        Running run = running;
        if (run == null) {
            return;
        }
        Report report = run.admission().report(0);
        Entry entry = Entry.of("metrics")
                .with("setups", report.setups())
                .with("live", report.live())
                .with("relays", report.relays())
                .with("cleanup", report.cleanup())
                .with("streams", streams.count())
                .with("heartbeatsFailed", run.heart().failed());
        MediaServer open = server;
        if (open != null) {
            entry = entry.with("connections.clients", open.connections());
        }
        for (Map.Entry<String, Integer> connections :
                all.openConnections().get().entrySet()) {
            entry = entry.with("connections." + connections.getKey(), connections.getValue());
        }
        journal.write(entry);
    }

    /** Asks until there is an answer, or the launch deadline is over. */
    private <T> T retried(String what, Callable<Optional<T>> question) {
        Instant deadline = startedAt.plus(timing.launchDeadline());
        Duration pause = FIRST_PAUSE;
        while (true) {
            String problem;
            try {
                Optional<T> answer = question.call();
                if (answer.isPresent()) {
                    return answer.get();
                }
                problem = "there is none";
            } catch (Exception e) {
                problem = e.toString();
            }
            if (stopping.get() || !clock.instant().plus(pause).isBefore(deadline) || !pause(pause)) {
                throw new CompletionException(
                        new LaunchException(what + " could not be read or done in time: " + problem));
            }
            journal.write(Entry.of("start-waits").with("for", what).with("reason", problem));
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    private static boolean pause(Duration duration) {
        try {
            Thread.sleep(duration);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static <T> T join(CompletableFuture<T> future) throws LaunchException {
        try {
            return future.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof LaunchException launch) {
                throw launch;
            }
            throw new LaunchException("the start failed: " + cause, e);
        }
    }
}
