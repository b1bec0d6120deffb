package dev.spillway.simulation.world;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.PoolId;
import dev.spillway.media.host.Host;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * ECS: keeps as many tasks as a service wants, and chooses by itself which of the unprotected ones to stop. Launches are late,
 * fail, hang, or are two at once.
 */
final class Cluster implements Fleet {
    private static final long SECOND = 1_000_000;
    /** Between SIGTERM and SIGKILL: the most that Fargate allows. */
    private static final long STOP_TIMEOUT = 120 * SECOND;

    /**
     * How long a load balancer lets the streams of a task be that ECS stops; SIGTERM comes when none is left. Deployed it is
     * longer than most calls; here many are still up when it ends.
     */
    static final Duration DEREGISTRATION = Duration.ofMinutes(2);

    /** How long a launch hangs before ECS gives it up: longer than anybody waits for one. A guess. */
    private static final long ENDLESS = 900 * SECOND;

    private final Scheduler scheduler;
    private final Faults faults;
    private final long seed;
    private final Trace trace;
    private final Weather weather;
    private final Laws laws;
    private final Map<String, Deployed> services = new LinkedHashMap<>();
    private final Function<Running, @Nullable MediaTask> starter;
    private final Consumer<Running> changed;
    private final Mutation mutation;
    private double failingLaunches;

    /**
     * @param starter makes the container of a task that runs; null if nothing runs in it
     * @param changed told of each task that is being stopped, and that stopped
     */
    Cluster(
            Scheduler scheduler,
            Faults faults,
            long seed,
            Trace trace,
            Weather weather,
            Laws laws,
            double failingLaunches,
            Mutation mutation,
            Function<Running, @Nullable MediaTask> starter,
            Consumer<Running> changed) {
        this.scheduler = scheduler;
        this.faults = faults;
        this.seed = seed;
        this.trace = trace;
        this.weather = weather;
        this.laws = laws;
        this.failingLaunches = failingLaunches;
        this.mutation = mutation;
        this.starter = starter;
        this.changed = changed;
    }

    private static final class Deployed {
        private final String name;
        private final PoolId pool;
        private final Chance chance;
        private final List<Running> tasks = new ArrayList<>();
        private int made;
        private int desired;
        private int revision = 1;
        private boolean looking;

        private Deployed(String name, PoolId pool, Chance chance) {
            this.name = name;
            this.pool = pool;
            this.chance = chance;
        }

        private List<Running> counted() {
            return tasks.stream()
                    .filter(task -> task.phase == TaskPhase.STARTING || task.phase == TaskPhase.RUNNING)
                    .toList();
        }

        /** While it deploys, ECS protects no more tasks than the service wants. */
        private boolean isFullyProtectedBut(Running asking) {
            long others = counted().stream()
                    .filter(task -> task != asking && task.isProtected())
                    .count();
            return others + 1 > desired;
        }

        private boolean isDeploying() {
            return counted().stream().anyMatch(task -> task.revision != revision);
        }
    }

    /** One task, as ECS knows it. */
    final class Running implements Host {
        private final ContainerId id;
        private final Deployed service;
        private final int revision;
        private final Instant createdAt;
        private TaskPhase phase = TaskPhase.STARTING;
        private String stoppedReason = "";
        private long stoppedAt;
        private long protectedUntil;
        private int asked;
        private boolean blocked;
        private boolean wasProtected;
        private @Nullable MediaTask container;

        private Running(ContainerId id, Deployed service) {
            this.id = id;
            this.service = service;
            this.revision = service.revision;
            this.createdAt = scheduler.instant();
        }

        ContainerId id() {
            return id;
        }

        PoolId pool() {
            return service.pool;
        }

        String revisionName() {
            return "r" + revision;
        }

        @Nullable
        MediaTask container() {
            return container;
        }

        boolean isRunning() {
            return phase == TaskPhase.RUNNING;
        }

        @Override
        public Identity identity() {
            return new Identity(id, "10.0.0.1", revisionName());
        }

        @Override
        public Granted protect(int minutes) {
            asked++;
            reachable();
            if (service.isDeploying()
                    && (service.isFullyProtectedBut(this) || faults.happens("blocked " + id + " #" + asked, 0.3))) {
                blocked = true;
                return new Granted.Refused("DEPLOYMENT_BLOCKED");
            }
            wasProtected = true;
            if (mutation == Mutation.PROTECTION_IS_NOT_ASKED_FOR) {
                return new Granted.Until(Scheduler.START.plusSeconds(scheduler.now() / SECOND + minutes * 60L));
            }
            protectedUntil = scheduler.now() + minutes * 60L * SECOND;
            return new Granted.Until(Scheduler.START.plusSeconds(protectedUntil / SECOND));
        }

        @Override
        public void unprotect() {
            asked++;
            reachable();
            protectedUntil = 0;
            look(service, SECOND);
        }

        private boolean isProtected() {
            return protectedUntil > scheduler.now();
        }

        /** Whether it is of a former revision, and its protection was refused as long as it ran. */
        boolean isLeftUnprotected() {
            return blocked && !wasProtected && revision != service.revision;
        }

        private void reachable() {
            if (weather.at(Weather.Where.ECS, scheduler.now()) == Weather.State.DOWN
                    || faults.happens("agent " + id + " #" + asked, failingLaunches / 2)) {
                throw new DependencyException("ECS agent", "no answer", new IOException());
            }
        }

        /** The process ended by itself, or was killed. */
        void exited(String reason) {
            if (phase == TaskPhase.STOPPED) {
                return;
            }
            phase = TaskPhase.STOPPED;
            stoppedReason = reason;
            stoppedAt = scheduler.now();
            trace.write("ecs", () -> id + " stopped: " + reason);
            changed.accept(this);
            look(service, service.chance.between(SECOND / 2, 3 * SECOND));
        }
    }

    void create(String name, PoolId pool, int desired) {
        Deployed service = new Deployed(name, pool, Chance.of(seed, "ecs of " + name));
        service.desired = desired;
        services.put(name, service);
        for (int i = 0; i < desired; i++) {
            launch(service, service.chance.between(SECOND, 6 * SECOND), true);
        }
    }

    /** A new task definition. */
    void deploy(String name) {
        Deployed service = services.get(name);
        if (service != null && !service.isDeploying()) {
            service.revision++;
            trace.write("ecs", () -> "deployment of " + name);
            look(service, SECOND);
        }
    }

    void heal() {
        failingLaunches = 0;
    }

    /** Every task that is not stopped, in the order of launch. */
    List<Running> running() {
        return services.values().stream()
                .flatMap(service -> service.tasks.stream())
                .filter(task -> task.phase != TaskPhase.STOPPED)
                .toList();
    }

    int desired(String name) {
        return of(name).desired;
    }

    @Override
    public Service describe(String name) {
        Deployed service = of(name);
        int running = 0;
        int pending = 0;
        for (Running task : service.tasks) {
            running += task.phase == TaskPhase.RUNNING ? 1 : 0;
            pending += task.phase == TaskPhase.STARTING ? 1 : 0;
        }
        return new Service(service.desired, running, pending, service.isDeploying(), "r" + service.revision);
    }

    @Override
    public List<Task> tasks(String name) {
        Deployed service = of(name);
        service.tasks.removeIf(
                task -> task.phase == TaskPhase.STOPPED && task.stoppedAt < scheduler.now() - 3_600 * SECOND);
        return service.tasks.stream()
                .map(task -> new Task(task.id, task.phase, task.revisionName(), task.stoppedReason, task.createdAt))
                .toList();
    }

    @Override
    public void setDesired(String name, int desired) {
        Deployed service = of(name);
        service.desired = desired;
        look(service, service.chance.between(SECOND / 10, 2 * SECOND));
    }

    private Deployed of(String name) {
        Deployed service = services.get(name);
        if (service == null) {
            throw new DependencyException("ECS", "no service " + name, new IllegalStateException("MISSING"));
        }
        return service;
    }

    private void look(Deployed service, long delay) {
        if (service.looking) {
            return;
        }
        service.looking = true;
        scheduler.at(scheduler.now() + delay, null, () -> {
            service.looking = false;
            keep(service);
        });
    }

    private void keep(Deployed service) {
        List<Running> counted = service.counted();
        List<Running> current = counted.stream()
                .filter(task -> task.revision == service.revision)
                .toList();
        int missing = service.desired - current.size();
        if (missing > 0) {
            int launches = missing
                    + (faults.happens("double launch of " + service.pool + " " + service.made, failingLaunches / 2)
                            ? 1
                            : 0);
            for (int i = 0; i < launches; i++) {
                launch(service, coldStart(service.chance), false);
            }
        } else if (missing < 0) {
            stopSome(service, current, -missing);
        }
        long serving = current.stream().filter(Running::isRunning).count();
        List<Running> old = counted.stream()
                .filter(task -> task.revision != service.revision)
                .toList();
        if (!old.isEmpty() && serving >= service.desired) {
            stopSome(service, old, old.size());
        }
        if (service.counted().size() != service.desired) {
            look(service, 10 * SECOND);
        }
    }

    /** Whichever of the unprotected ones. */
    private void stopSome(Deployed service, List<Running> candidates, int many) {
        List<Running> unprotected = new ArrayList<>(
                candidates.stream().filter(task -> !task.isProtected()).toList());
        for (int i = 0; i < many && !unprotected.isEmpty(); i++) {
            Running victim = unprotected.remove(service.chance.below(unprotected.size()));
            laws.stopping(victim);
            stop(victim, "Scaling activity initiated by service " + service.name);
        }
    }

    /** Fargate wants the host back: whatever the task does, and however it is protected. */
    void retire(Running task) {
        if (task.phase == TaskPhase.RUNNING) {
            stop(task, "Fargate retires the task");
            look(task.service, task.service.chance.between(SECOND, 5 * SECOND));
        }
    }

    private void stop(Running task, String reason) {
        trace.write("ecs", () -> "stops " + task.id);
        MediaTask container = task.container;
        if (container == null) {
            task.exited(reason);
            return;
        }
        task.phase = TaskPhase.STOPPING;
        task.stoppedReason = reason;
        changed.accept(task);
        container.deregister();
        awaitDeregistration(task, container, scheduler.now() + Scheduler.micros(DEREGISTRATION), reason);
    }

    private void awaitDeregistration(Running task, MediaTask container, long cutAt, String reason) {
        if (task.phase != TaskPhase.STOPPING) {
            return;
        }
        if (container.isCarrying() && scheduler.now() < cutAt) {
            scheduler.at(scheduler.now() + SECOND, null, () -> awaitDeregistration(task, container, cutAt, reason));
            return;
        }
        container.cut();
        container.terminate();
        scheduler.at(scheduler.now() + STOP_TIMEOUT, null, () -> {
            if (task.phase == TaskPhase.STOPPING) {
                container.die(false);
                task.exited(reason);
            }
        });
    }

    private static long coldStart(Chance chance) {
        return chance.hits(0.1) ? chance.between(60 * SECOND, 200 * SECOND) : chance.between(15 * SECOND, 60 * SECOND);
    }

    private void launch(Deployed service, long delay, boolean surely) {
        ContainerId id = new ContainerId("%s-%02d".formatted(service.pool, ++service.made));
        Running task = new Running(id, service);
        service.tasks.add(task);
        trace.write("ecs", () -> "launches " + id + " for " + service.name);
        boolean fails = !surely && faults.happens("launch of " + id, failingLaunches);
        boolean hangs = !surely && !fails && faults.happens("endless launch of " + id, failingLaunches / 4);
        scheduler.at(scheduler.now() + (hangs ? ENDLESS : delay), null, () -> {
            if (task.phase != TaskPhase.STARTING) {
                return;
            }
            if (fails || hangs) {
                task.exited("CannotPullContainerError: as drawn");
                return;
            }
            task.phase = TaskPhase.RUNNING;
            task.container = starter.apply(task);
        });
    }
}
