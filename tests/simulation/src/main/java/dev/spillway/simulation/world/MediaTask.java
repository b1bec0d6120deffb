package dev.spillway.simulation.world;

import dev.spillway.adapters.twilio.Callbacks;
import dev.spillway.adapters.twilio.StreamTarget;
import dev.spillway.adapters.twilio.Twiml;
import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.call.Generation;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.admission.Seat;
import dev.spillway.media.call.DirectCalls;
import dev.spillway.media.call.Door;
import dev.spillway.media.call.Patience;
import dev.spillway.media.call.Personas;
import dev.spillway.media.call.Seating;
import dev.spillway.media.call.Self;
import dev.spillway.media.call.SetupBudget;
import dev.spillway.media.host.Protection;
import dev.spillway.media.life.Debts;
import dev.spillway.media.life.Heart;
import dev.spillway.media.wire.OpenStreams;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One media container: the real parts of it, on virtual time, with its port, its start and its way out. */
final class MediaTask implements OpenStreams {
    private static final long SECOND = 1_000_000;
    /** From one check of a load balancer to the next. */
    private static final long CHECK = 10 * SECOND;

    private final Ports ports;
    private final Cluster.Running host;
    private final Machine process;
    private final InstantSource clock;
    private final Chance starting;
    private final Patience patience;
    private final Self self;
    private final Admission admission;
    private final Seating seating;
    private final Door door;
    private final @Nullable DirectCalls direct;
    private final Protection protection;
    private final Heart heart;
    private final Map<Generation, Conversation> open = new LinkedHashMap<>();
    private final CompletableFuture<Boolean> checked = new CompletableFuture<>();
    private CompletableFuture<Boolean> wake = new CompletableFuture<>();
    private boolean awake;
    private boolean leaving;
    private boolean listening;
    private boolean healthy;
    private boolean registered = true;
    private boolean toldDraining;

    MediaTask(Ports ports, Cluster.Running host, int number, long clockErrorMicros, Chance starting) {
        this.starting = starting;
        this.ports = ports;
        this.host = host;
        PoolId pool = host.pool();
        this.process = new Machine(host.id().value(), clockErrorMicros);
        this.clock = ports.clock(process);
        this.patience = new VirtualPatience(ports.scheduler(), process, Duration.ofSeconds(1));
        this.self = new Self(
                pool,
                host.id(),
                "boot-" + host.id(),
                "10.0." + number / 250 + "." + (number % 250 + 1) + ":8080",
                host.revisionName(),
                clock.instant());
        this.admission = new Admission(ports.limit(), clock.instant());
        var journal = ports.trace().journal(process.name());
        Personas personas = new Personas(ports.tenants(), patience);
        this.seating = new Seating(
                self, admission, ports.containers(), ports.calls(), ports.announcements(), journal, clock, patience);
        StreamKey key = ports.key(pool);
        this.door = new Door(
                self,
                key,
                admission,
                seating,
                ports.containers(),
                personas,
                ports.generations(),
                patience,
                SetupBudget.STANDARD,
                clock);
        Twiml twiml = new Twiml(
                new Callbacks(Carrier.API), asked -> new StreamTarget("wss://" + asked + ".example.com", key));
        this.direct = pool.tenant()
                .map(tenant -> new DirectCalls(
                        self,
                        tenant,
                        key,
                        Carrier.VOICE_URL,
                        ports.timing().tokenLife(),
                        SetupBudget.STANDARD,
                        personas,
                        SignedForms.TOKENS,
                        admission,
                        seating,
                        ports.generations(),
                        twiml,
                        patience,
                        journal,
                        clock))
                .orElse(null);
        this.protection = new Protection(host, journal);
        this.heart = new Heart(
                self,
                admission,
                seating,
                new Debts(seating, patience, journal, Debts.PATIENCE),
                this,
                ports.containers(),
                ports.announcements(),
                protection,
                journal,
                clock,
                ports.timing(),
                Cluster.DEREGISTRATION);
        ports.scheduler().spawn(process.name() + " start", process, this::launch);
    }

    Machine process() {
        return process;
    }

    PoolId pool() {
        return self.pool();
    }

    Self self() {
        return self;
    }

    Admission admission() {
        return admission;
    }

    Seating seating() {
        return seating;
    }

    Patience patience() {
        return patience;
    }

    InstantSource clock() {
        return clock;
    }

    Scheduler scheduler() {
        return ports.scheduler();
    }

    Timing timing() {
        return ports.timing();
    }

    Conversations memory() {
        return ports.conversations();
    }

    Trace trace() {
        return ports.trace();
    }

    Laws laws() {
        return ports.laws();
    }

    /** Streams that are open here. */
    List<Conversation> conversations() {
        return List.copyOf(open.values());
    }

    /** Whether a load balancer reaches its port. */
    boolean isListening() {
        return listening && !process.isDead();
    }

    /** Whether a load balancer gives it new connections at all. */
    boolean isRegistered() {
        return registered && !process.isDead();
    }

    /** ECS stops its task: the load balancer gives it no more. */
    void deregister() {
        registered = false;
    }

    /** Whether streams go through the load balancer to this container, whoever serves them. */
    boolean isCarrying() {
        return open.values().stream().anyMatch(conversation -> conversation.via() == null)
                || !relayed().isEmpty();
    }

    /** The load balancer has waited long enough. */
    void cut() {
        laws().callers().cut(this, isCarrying());
        conversations().stream()
                .filter(conversation -> conversation.via() == null)
                .forEach(Conversation::broken);
        breakRelayed();
    }

    /** Whether a load balancer's check passes: it passed once, and the container wants new calls, full or not. */
    boolean isHealthy() {
        return healthy && isListening() && admission.leaving().isEmpty();
    }

    @Override
    public void handOff(Generation generation) {
        Conversation conversation = open.get(generation);
        if (conversation != null) {
            conversation.handOff();
        }
    }

    @Override
    public void close(Generation generation, String reason) {
        Conversation conversation = open.get(generation);
        if (conversation != null) {
            conversation.close(reason);
        }
    }

    @Override
    public void leaveAll(String reason) {
        conversations().forEach(Conversation::handOff);
        relayed().forEach(Conversation::handOff); // as whoever relays asks of the addressee
    }

    @Override
    public int count() {
        return open.size();
    }

    /** {@code POST /voice}; null if there is no such route here. */
    @Nullable
    DirectCalls direct() {
        return direct;
    }

    Door door() {
        return door;
    }

    void opened(Conversation conversation) {
        open.put(conversation.seat().generation(), conversation);
        scheduler().at(scheduler().now(), process, conversation::watch);
        wake.complete(true); // on the gateway the next beat comes sooner
    }

    void closed(Conversation conversation, boolean callEnded) {
        open.remove(conversation.seat().generation());
        if (admission.closing(conversation.seat(), clock.instant())) {
            patience.later(() -> {
                seating.putAway(conversation.seat(), callEnded);
                quieter();
            });
        }
    }

    /** A seat whose stream was never opened. */
    void unused(Seat seat) {
        if (!process.isDead() && admission.closing(seat, clock.instant())) {
            patience.later(() -> {
                seating.putAway(seat, false);
                quieter();
            });
        }
    }

    void relayEnded() {
        admission.relayEnded();
        quieter();
    }

    private void quieter() {
        if (!admission.isAccepting()) {
            awake = true;
            wake.complete(true);
        }
    }

    /** Checks and enters an address, as the port's routes do. */
    Door.Entrance enter(String path) {
        return switch (door.check(path)) {
            case StreamAddress.Parsed.Invalid invalid -> Door.refusal(invalid);
            case StreamAddress.Parsed.Valid valid -> door.enter(valid.address());
        };
    }

    private void launch() {
        scheduler().sleep(starting.between(SECOND, 4 * SECOND)); // a target already, and nobody listens
        listening = true;
        scheduler().at(scheduler().now() + starting.between(0, CHECK), process, () -> {
            healthy = true;
            checked.complete(true);
        });
        long deadline = scheduler().now() + Scheduler.micros(ports.timing().launchDeadline());
        boolean started = retried(deadline, () -> protection.renewIfDue(clock.instant()))
                && retried(deadline, this::register)
                && scheduler().await(checked, deadline - scheduler().now())
                && retried(deadline, this::becomeReady);
        if (!started) {
            exit("the start failed");
            return;
        }
        scheduler().spawn(process.name() + " heart", process, this::pulse);
        admission.open();
        patience.later(() -> ports.announcements().publish(new ContainerReady(pool(), self.id(), clock.instant())));
        if (pool().isGateway()) {
            patience.later(() -> seatingTenants());
        }
    }

    private void seatingTenants() {
        try {
            ports.tenants().all();
        } catch (DependencyException e) {
            // learnt with the first call
        }
    }

    private boolean retried(long deadline, BooleanSupplier step) {
        long pause = SECOND / 5;
        while (true) {
            try {
                if (step.getAsBoolean()) {
                    return true;
                }
            } catch (DependencyException e) {
                // again
            }
            if (leaving || scheduler().now() + pause >= deadline) {
                return false;
            }
            scheduler().sleep(pause);
            pause = Math.min(2 * pause, 5 * SECOND);
        }
    }

    private boolean register() {
        var now = clock.instant();
        Container item = new Container(
                pool(),
                self.id(),
                self.bootId(),
                ContainerState.STARTING,
                "registered",
                now,
                self.address(),
                self.revision(),
                admission.limit(),
                Map.of(),
                Report.empty(self.startedAt()),
                now.plus(ports.timing().expiry()),
                java.time.Instant.EPOCH,
                self.startedAt(),
                false);
        return ports.containers().register(item) || isThere(ContainerState.STARTING);
    }

    private boolean becomeReady() {
        return ports.containers()
                        .become(
                                pool(),
                                self.id(),
                                ContainerState.STARTING,
                                ContainerState.READY,
                                false,
                                "serving",
                                clock.instant())
                || isThere(ContainerState.READY);
    }

    private boolean isThere(ContainerState state) {
        return ports.containers()
                .find(pool(), self.id())
                .filter(there -> there.bootId().equals(self.bootId()) && there.state() == state)
                .isPresent();
    }

    private void pulse() {
        long begun = scheduler().now() - Scheduler.micros(heart.interval()); // the first beat reports the protection
        while (!leaving) {
            long left = begun + Scheduler.micros(heart.interval()) - scheduler().now();
            if (left > 0 && !awake) {
                wake = new CompletableFuture<>();
                scheduler().await(wake, left);
                continue;
            }
            awake = false;
            begun = scheduler().now();
            try {
                if (heart.beat() == Heart.Next.EXIT) {
                    laws().exiting(this);
                    exit("nobody counts on it any more");
                    return;
                }
                protection.renewIfDue(clock.instant());
            } catch (RuntimeException e) {
                laws().surprise(e);
            }
        }
    }

    /** SIGTERM. */
    void terminate() {
        if (!leaving && !process.isDead()) {
            leaving = true;
            scheduler().spawn(process.name() + " leave", process, this::leave);
        }
    }

    private void leave() {
        admission.closeForGood("stopping");
        long begun = scheduler().now();
        if (!awaitQuiet(begun + 90 * SECOND, () -> {})
                && !awaitQuiet(begun + 102 * SECOND, () -> leaveAll("the container stops"))) {
            conversations().forEach(conversation -> conversation.close("the container stops"));
            awaitQuiet(begun + 108 * SECOND, () -> {});
        }
        become(ContainerState.STARTING, ContainerState.STOPPING);
        become(ContainerState.DRAINING, ContainerState.DRAINED);
        become(ContainerState.DRAINED, ContainerState.STOPPING);
        exit("stopped");
    }

    /** Whether the table answered. */
    private boolean become(ContainerState from, ContainerState to) {
        try {
            ports.containers()
                    .become(
                            pool(),
                            self.id(),
                            from,
                            to,
                            to != ContainerState.DRAINING,
                            "the task was asked to stop",
                            clock.instant());
            return true;
        } catch (DependencyException e) {
            return false; // ECS will show the task as stopped
        }
    }

    private boolean awaitQuiet(long end, Runnable meanwhile) {
        while (true) {
            toldDraining = toldDraining || become(ContainerState.READY, ContainerState.DRAINING);
            meanwhile.run();
            if (admission.report(0).isQuiet()) {
                return true;
            }
            if (scheduler().now() >= end) {
                return false;
            }
            scheduler().sleep(SECOND);
        }
    }

    private void exit(String reason) {
        die(false);
        host.exited(reason);
    }

    /**
     * The process is gone at once.
     *
     * @param silently its host vanished: nobody's connection is closed
     */
    void die(boolean silently) {
        if (process.isDead()) {
            return;
        }
        process.die();
        if (!silently) {
            conversations().forEach(Conversation::broken);
            breakRelayed();
        }
    }

    private void breakRelayed() {
        relayed().forEach(Conversation::relayBroken);
    }

    /** Whether somebody talks through it to another container. */
    boolean isRelaying() {
        return relayed().stream().anyMatch(Conversation::isHeard);
    }

    private List<Conversation> relayed() {
        return ports.tasks(pool()).stream()
                .flatMap(task -> task.conversations().stream())
                .filter(conversation -> conversation.via() == this)
                .toList();
    }

    Cluster.Running host() {
        return host;
    }

    @Override
    public String toString() {
        return process.name();
    }
}
