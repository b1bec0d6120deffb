package dev.spillway.media.life;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.media.ContainerSettings;
import dev.spillway.media.agent.Agents;
import dev.spillway.media.call.Patience;
import dev.spillway.media.call.Personas;
import dev.spillway.media.host.Host;
import dev.spillway.media.host.Protection;
import dev.spillway.media.wire.BotWatch;
import dev.spillway.media.wire.MediaServer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One media container, from its start to its end. */
public final class MediaContainer {
    /** How long a caller waits for one answer of the table: two of them, and what Twilio needs, stay within 3 s. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final ContainerSettings settings;
    private final Supplier<Ports> makePorts;
    private final Host host;
    private final Agents agents;
    private final Journal journal;
    private final InstantSource clock;
    private final Patience patience = new Patience(PATIENCE);
    private final CompletableFuture<String> over = new CompletableFuture<>();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final Instant startedAt;
    /** Every line of the log names the container, once it knows its name. */
    private volatile String name = "";

    private volatile @Nullable Running running;
    private volatile @Nullable Ports ports;
    private volatile @Nullable MediaServer server;

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
        this.journal = entry -> journal.write(name.isEmpty() ? entry : entry.with("container", name));
        this.clock = clock;
        this.startedAt = clock.instant();
    }

    /**
     * Starts and becomes READY: configuration read, protection answered, port open, item registered, the load balancer
     * has found it healthy, and its bot, if it has one of its own, takes streams.
     *
     * @throws LaunchException if it cannot within the launch deadline
     */
    public void start() throws LaunchException {
        Timing timing = settings.shared().timing();
        Launch launch =
                new Launch(startedAt.plus(timing.launchDeadline()), clock, journal, patience::later, stopping::get);
        Protection protection = new Protection(host, journal);
        // Clients, metadata and protection take their time side by side, and the server's loops start meanwhile.
        var identity = launch.step("the task's own metadata", () -> Optional.of(host.identity()));
        var granted = launch.step(
                "the scale-in protection",
                () -> protection.renewIfDue(clock.instant()) ? Optional.of(true) : Optional.empty());
        var made = CompletableFuture.supplyAsync(makePorts, patience::later);
        MediaServer opening = new MediaServer();
        server = opening;
        Ports all = Launch.join(made);
        ports = all;
        Personas personas = new Personas(all.tenants(), patience);
        if (settings.pool().isGateway()) {
            // It takes any tenant's calls, also when the table cannot tell whose they are.
            patience.later(personas::learnAll);
        }
        var view = launch.step("the pool " + settings.pool(), () -> all.pools().read(settings.pool()));
        Optional<TenantId> own = settings.pool().tenant();
        var tenant = own.map(id -> launch.step("the tenant " + id, () -> personas.find(id)));
        name = Launch.join(identity).id().value();
        Running run = Running.assemble(
                new Running.Frame(settings, agents, journal, clock, patience, startedAt),
                all,
                Launch.join(identity),
                Launch.join(view),
                personas,
                protection,
                opening,
                over::complete);
        if (tenant.isPresent()) {
            Launch.join(tenant.get());
        }
        var listening = awaitBot(launch, run.botWatch());
        launch.register(all.containers(), run.self(), run.admission().limit(), timing.expiry());
        running = run;
        run.pulse().start();
        Launch.join(granted);
        awaitLoadBalancer(run, startedAt.plus(timing.launchDeadline()));
        Launch.join(listening);
        launch.becomeReady(all.containers(), run.self());
        run.admission().open();
        run.pulse().wake(); // the first beat reports the protection
        ready(all, run);
        tenant.ifPresent(found -> patience.later(() -> warm(all, found.join())));
    }

    /** A container whose bot does not listen could only move its callers on, three times, to the apology. */
    private static CompletableFuture<Boolean> awaitBot(Launch launch, @Nullable BotWatch watch) {
        return watch == null
                ? CompletableFuture.completedFuture(true)
                : launch.step("a stream to the bot at " + watch.place(), () -> {
                    watch.probe();
                    return Optional.of(true);
                });
    }

    /**
     * Whoever is READY is offered calls, and their streams come through the load balancer. Without one in front, or with one
     * that never asks, a container that waited for ever would serve nobody: after a while it says so and goes on.
     */
    private void awaitLoadBalancer(Running run, Instant deadline) throws LaunchException {
        // Half of what is left of the start is kept for writing READY.
        Duration left = Duration.between(clock.instant(), deadline).dividedBy(2);
        Duration most = settings.targetWait().compareTo(left) < 0 ? settings.targetWait() : left;
        try {
            boolean passed = run.targetCheck().awaitPass(most);
            if (stopping.get()) {
                throw new LaunchException("asked to stop before it was READY");
            }
            if (!passed && settings.targetWait().isPositive()) {
                journal.write(Entry.of("target-unchecked")
                        .with("reason", "no load balancer has asked for /target within " + most.toSeconds() + " s"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LaunchException("interrupted while waiting for the load balancer", e);
        }
    }

    private void ready(Ports all, Running run) {
        Instant now = clock.instant();
        journal.write(Entry.of("ready")
                .with("address", run.self().address())
                .with("startMillis", Duration.between(startedAt, now).toMillis())
                .with(
                        "reason",
                        run.botWatch() == null
                                ? "configuration read, protection answered, port open, target checked"
                                : "configuration read, protection answered, port open, target checked, bot reached"));
        patience.later(run.headroom()::listen);
        patience.later(() -> all.announcements()
                .publish(new ContainerReady(run.self().pool(), run.self().id(), now)));
    }

    /** What the first call needs and READY does not: fetched before it comes. */
    private void warm(Ports all, Tenant tenant) {
        try {
            all.tokens().of(tenant);
        } catch (DependencyException e) {
            journal.write(Entry.of("tokens-unread").with("reason", "the first webhook asks again"));
        }
    }

    /** Waits until the container is to exit; gives the reason. */
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

    /** The way out on SIGTERM: see {@link Departure}. Does nothing the second time. */
    public void stop() {
        if (!stopping.compareAndSet(false, true)) {
            return;
        }
        Running run = running;
        if (run != null) {
            run.targetCheck().giveUp();
            Duration tokenLife = settings.shared().timing().tokenLife();
            new Departure(run, journal, clock, settings.stopTimeout(), tokenLife).leave();
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
}
