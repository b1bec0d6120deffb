package dev.spillway.localcloud;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Amazon ECS on loopback. It speaks the wire protocol of ECS to the real SDK client, and its tasks are real processes.
 * Services are made by {@link #createService}; everything else goes through the API, as it would in the cloud.
 *
 * <p>Every process ends with this object: by {@link #close}, by the JVM's shutdown hook on Ctrl-C, or, when the JVM is
 * killed, by a shell that waits beside it.
 */
public final class EcsStandIn implements AutoCloseable {

    private static final Duration LONGEST_SILENCE = Duration.ofMinutes(2);

    private final ApiFaults faults = new ApiFaults();
    private final Silence silence = new Silence(LONGEST_SILENCE);
    private final EcsCluster cluster;
    private final LocalHttpServer api;
    private final LocalHttpServer endpoints;
    private final Thread closeOnExit;

    /** Listens for API calls on {@code port}, 0 for any. */
    public EcsStandIn(EcsOptions options, int port) {
        cluster = new EcsCluster(options, this::endpointsUrl);
        endpoints = new LocalHttpServer("ecs-task-endpoints", 0, new TaskEndpoints(cluster, faults, silence)::handle);
        api = new LocalHttpServer("ecs", port, new EcsWire(cluster, faults, silence)::handle);
        closeOnExit = new Thread(cluster::close, "ecs-exit");
        Runtime.getRuntime().addShutdownHook(closeOnExit);
        cluster.start();
    }

    private URI endpointsUrl() {
        return endpoints.url();
    }

    /** The endpoint for the SDK's client. */
    public URI url() {
        return api.url();
    }

    public int port() {
        return api.port();
    }

    /** The servers of this stand-in, for counting their connections. */
    public List<LocalHttpServer> servers() {
        return List.of(api, endpoints);
    }

    /** Remote ports of all open connections. */
    public Set<Integer> connectedPorts() {
        return api.connectedPorts();
    }

    /** Faults and call counts by operation, as in {@code UpdateService}. */
    public ApiFaults faults() {
        return faults;
    }

    /** @throws IllegalArgumentException when a service of that name exists, or its target group does not */
    public void createService(ServiceSpec spec) {
        cluster.createService(spec);
    }

    /** Starts a rolling deployment, as UpdateService with a new task definition would. */
    public void deploy(String service, String family, int revision) {
        cluster.change(() -> {
            cluster.service(service).deploy(family, revision, Instant.now());
            return true;
        });
    }

    /** Changes the launch delay (real time) of tasks created from now on. */
    public void launchDelay(Duration delay) {
        cluster.launchDelay(delay);
    }

    /** The next {@code launches} tasks of the service go wrong this way; replaces an earlier fault. */
    public void failLaunches(String service, LaunchFault fault, int launches) {
        cluster.change(() -> {
            cluster.service(service).launchFault(fault, launches);
            return true;
        });
    }

    /** Launches of the service go well again. */
    public void healLaunches(String service) {
        cluster.change(() -> {
            cluster.service(service).launchFault(null, 0);
            return true;
        });
    }

    /** All tasks, stopped ones included for an hour. */
    public List<TaskSnapshot> tasks() {
        return cluster.change(() -> {
            Instant now = Instant.now();
            return cluster.tasks().stream().map(task -> task.snapshot(now)).toList();
        });
    }

    /** Tasks of one service that are not STOPPED. */
    public List<TaskSnapshot> liveTasks(String service) {
        return tasks().stream()
                .filter(task -> task.service().equals(service) && !task.stopped())
                .toList();
    }

    /** SIGKILL to the task's process, as a host failure or the kernel's memory killer would. */
    public void killHard(String taskId) {
        withProcess(taskId, TaskProcess::kill);
    }

    /** SIGSTOP: the process keeps its connections and answers nothing. */
    public void freeze(String taskId) {
        withProcess(taskId, process -> process.signal("STOP"));
    }

    /** SIGCONT. */
    public void thaw(String taskId) {
        withProcess(taskId, process -> process.signal("CONT"));
    }

    private void withProcess(String taskId, Consumer<TaskProcess> action) {
        cluster.change(() -> {
            @Nullable
            TaskProcess process =
                    cluster.task(taskId).map(EcsTask::maybeProcess).orElse(null);
            if (process == null || !process.alive()) {
                throw new IllegalStateException("task " + taskId + " has no running process");
            }
            action.accept(process);
            return true;
        });
    }

    /** Stops every process within about four seconds: SIGTERM, then SIGKILL. */
    @Override
    public void close() {
        silence.close();
        cluster.close();
        api.close();
        endpoints.close();
        try {
            Runtime.getRuntime().removeShutdownHook(closeOnExit);
        } catch (IllegalStateException e) {
            // The JVM is on its way out, and the hook with it.
        }
    }
}
