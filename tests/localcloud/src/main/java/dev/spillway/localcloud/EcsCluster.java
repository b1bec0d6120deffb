package dev.spillway.localcloud;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All services and tasks, behind one lock, and the loop that makes tasks follow the desired counts. */
final class EcsCluster implements EcsTask.Host, AutoCloseable {

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(2);

    final EcsOptions options;
    final EcsNames names;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition somethingHappened = lock.newCondition();
    private final Map<String, EcsService> services = new LinkedHashMap<>();
    private final LoopbackPorts ports = new LoopbackPorts();
    private final OrphanGuard guard = new OrphanGuard();
    private final ExecutorService eventThread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("ecs-events").daemon().factory());
    private final Supplier<URI> endpoints;
    private final EcsJson json;
    private final Thread loop;
    private Duration launchDelay;
    private boolean closed;

    /** @param endpoints the root of the task agent and metadata endpoints */
    EcsCluster(EcsOptions options, Supplier<URI> endpoints) {
        this.options = options;
        this.names = new EcsNames(options.cluster());
        this.endpoints = endpoints;
        this.launchDelay = options.launchDelay();
        this.json = new EcsJson(names);
        this.loop = Thread.ofPlatform().name("ecs-scheduler").daemon().unstarted(this::run);
    }

    void start() {
        loop.start();
    }

    /** Runs {@code work} with the state held still, and lets the loop look at what changed. */
    <T> T change(Supplier<T> work) {
        lock.lock();
        try {
            T result = work.get();
            somethingHappened.signalAll();
            return result;
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        lock.lock();
        try {
            while (!closed) {
                Instant now = Instant.now();
                services.values().forEach(service -> reconcile(service, now));
                Instant latest = now.plus(LONGEST_PAUSE);
                Instant next = services.values().stream()
                        .map(service -> service.nextLook(latest))
                        .min(Comparator.naturalOrder())
                        .orElse(latest);
                // Spurious and early wake-ups are harmless: reconciling is idempotent.
                somethingHappened.awaitNanos(Math.max(
                        1_000_000, Duration.between(Instant.now(), next).toNanos()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** A service that cannot be reconciled does not stop the others. */
    private static void reconcile(EcsService service, Instant now) {
        try {
            service.reconcile(now);
        } catch (RuntimeException e) {
            System.err.println("ecs: service " + service.name() + ": " + e);
        }
    }

    /** Holds for tasks created from now on. */
    void launchDelay(Duration delay) {
        change(() -> launchDelay = delay);
    }

    void createService(ServiceSpec spec) {
        String group = spec.targetGroup();
        if (group != null) {
            // Asked for its exception alone: better now than in the loop.
            options.targets().drained(group, 0);
        }
        change(() -> {
            if (services.containsKey(spec.name())) {
                throw new IllegalArgumentException("service " + spec.name() + " exists already");
            }
            services.put(spec.name(), new EcsService(spec, options, this::create, Instant.now()));
            return true;
        });
    }

    private EcsTask create(EcsService service, EcsDeployment deployment, Instant now) {
        String id = EcsNames.newTaskId();
        TaskStart start = new TaskStart(
                names.taskArn(id),
                id,
                service.name(),
                deployment.family,
                deployment.revision,
                emptiestZone(service),
                endpoints.get().resolve("/agent/" + id),
                endpoints.get().resolve("/metadata/" + id),
                ports.take());
        Duration untilSpawn = launchDelay.minus(options.startAllowance());
        EcsTask task = new EcsTask(
                start,
                service.spec,
                deployment.id,
                now,
                untilSpawn.isNegative() ? Duration.ZERO : untilSpawn,
                options.logDirectory().resolve(service.name() + "-" + id + ".log"),
                service.takeLaunchFault(),
                this);
        changed(task);
        return task;
    }

    private String emptiestZone(EcsService service) {
        return options.availabilityZones().stream()
                .min(Comparator.comparingLong(zone -> service.tasks().stream()
                        .filter(task ->
                                task.active() && task.start.availabilityZone().equals(zone))
                        .count()))
                .orElseThrow();
    }

    @Override
    public TaskProcess spawn(EcsTask task) throws IOException {
        if (closed) {
            throw new IOException("the cluster is closed");
        }
        ProcessBuilder command = options.launcher().command(task.start);
        if (task.fault instanceof LaunchFault.Crashes(int exitCode)) {
            command = new ProcessBuilder("sh", "-c", "exit " + exitCode);
        }
        return TaskProcess.start(command, task.log, guard, () -> change(() -> true));
    }

    @Override
    public TargetRegistry targets() {
        return options.targets();
    }

    @Override
    public void changed(EcsTask task) {
        if (task.stopped()) {
            ports.giveBack(task.port());
        }
        var consumer = options.events();
        if (consumer != null && !closed) {
            // Never under the lock: the consumer may well ask the API about the task.
            String event = json.stateChange(task, Instant.now());
            eventThread.execute(() -> consumer.accept(event));
        }
    }

    /** @throws EcsException ServiceNotFoundException */
    EcsService service(String nameOrArn) {
        EcsService service = services.get(EcsNames.shortName(nameOrArn));
        if (service == null) {
            throw EcsException.noService();
        }
        return service;
    }

    Optional<EcsService> maybeService(String nameOrArn) {
        return Optional.ofNullable(services.get(EcsNames.shortName(nameOrArn)));
    }

    Optional<EcsTask> task(String idOrArn) {
        String id = EcsNames.shortName(idOrArn);
        return services.values().stream()
                .flatMap(service -> service.tasks().stream())
                .filter(task -> task.id().equals(id))
                .findFirst();
    }

    List<EcsTask> tasks() {
        return services.values().stream()
                .flatMap(service -> service.tasks().stream())
                .toList();
    }

    /**
     * Sets or drops a task's protection.
     *
     * @return the reason of a refusal, or null
     */
    @Nullable
    String protect(EcsTask task, boolean enabled, int minutes, Instant now) {
        if (!task.active()) {
            return "TASK_NOT_VALID";
        }
        if (!enabled) {
            task.protect(null);
            return null;
        }
        if (service(task.start.service()).blocksProtection(task, now)) {
            return "DEPLOYMENT_BLOCKED";
        }
        task.protect(now.plus(options.protectionMinute().multipliedBy(minutes)));
        return null;
    }

    /** Stops every process: SIGTERM, two seconds, SIGKILL. Nothing is launched afterwards. */
    @Override
    public void close() {
        List<TaskProcess> running = new ArrayList<>();
        change(() -> {
            closed = true;
            tasks().forEach(task -> {
                TaskProcess process = task.maybeProcess();
                if (process != null && process.alive()) {
                    process.terminate(Instant.now(), CLOSE_GRACE);
                    running.add(process);
                }
            });
            return true;
        });
        Instant deadline = Instant.now().plus(CLOSE_GRACE);
        for (TaskProcess process : running) {
            Duration left = Duration.between(Instant.now(), deadline);
            if (!process.awaitExit(left.isNegative() ? Duration.ZERO : left)) {
                process.kill();
            }
        }
        running.forEach(process -> process.awaitExit(CLOSE_GRACE));
        guard.close();
        eventThread.shutdown();
        try {
            eventThread.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        eventThread.shutdownNow();
    }
}
