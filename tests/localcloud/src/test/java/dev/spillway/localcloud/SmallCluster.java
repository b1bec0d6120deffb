package dev.spillway.localcloud;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import software.amazon.awssdk.services.ecs.EcsClient;
import software.amazon.awssdk.services.ecs.model.Service;
import software.amazon.awssdk.services.ecs.model.UpdateTaskProtectionResponse;

/** A cluster whose tasks are cheap processes and start within a tenth of a second, with the real client in front of it. */
final class SmallCluster implements AutoCloseable {
    static final String CLUSTER = "spillway";
    static final String SERVICE = "acme";

    final List<String> events = new CopyOnWriteArrayList<>();
    final List<TaskStart> starts = new CopyOnWriteArrayList<>();
    final EcsStandIn ecs;
    final EcsClient client;

    SmallCluster() {
        this("exec sleep 300", options -> options);
    }

    /** @param script what each task runs, by {@code sh} */
    SmallCluster(String script, UnaryOperator<EcsOptions> adjust) {
        TaskLauncher launcher = start -> {
            starts.add(start);
            return new ProcessBuilder("sh", "-c", script);
        };
        EcsOptions options = EcsOptions.atSpeed(10, logDirectory(), launcher)
                .withLaunch(Duration.ofMillis(100), Duration.ofMillis(20))
                .withRestartDelay(Duration.ofMillis(200), Duration.ofSeconds(2), Duration.ofSeconds(10))
                .withEvents(events::add);
        ecs = new EcsStandIn(adjust.apply(options), 0);
        client = AwsClients.ecs(ecs.url());
    }

    private static Path logDirectory() {
        try {
            return Files.createTempDirectory("spillway-tasks");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    SmallCluster withService(int desired) {
        return withService(desired, null, ServiceSpec.LONGEST_GRACE_PERIOD);
    }

    SmallCluster withService(int desired, @org.jspecify.annotations.Nullable String targetGroup, Duration gracePeriod) {
        ecs.createService(new ServiceSpec(SERVICE, desired, "media", targetGroup, gracePeriod, Duration.ofMillis(300)));
        await().until(() -> running().size() == desired);
        return this;
    }

    static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(15)).pollInterval(Duration.ofMillis(20));
    }

    List<TaskSnapshot> running() {
        return ecs.liveTasks(SERVICE).stream().filter(TaskSnapshot::running).toList();
    }

    TaskSnapshot task(String id) {
        return ecs.tasks().stream()
                .filter(task -> task.taskId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    void desire(int count) {
        client.updateService(update -> update.cluster(CLUSTER).service(SERVICE).desiredCount(count));
    }

    UpdateTaskProtectionResponse protect(TaskSnapshot task) {
        return client.updateTaskProtection(update -> update.cluster(CLUSTER)
                .tasks(task.taskArn())
                .protectionEnabled(true)
                .expiresInMinutes(60));
    }

    UpdateTaskProtectionResponse unprotect(TaskSnapshot task) {
        return client.updateTaskProtection(
                update -> update.cluster(CLUSTER).tasks(task.taskArn()).protectionEnabled(false));
    }

    Service describe() {
        return client.describeServices(describe -> describe.cluster(CLUSTER).services(SERVICE))
                .services()
                .getFirst();
    }

    static boolean alive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    @Override
    public void close() {
        client.close();
        ecs.close();
    }
}
