package dev.spillway.adapters.ecs;

import dev.spillway.adapters.aws.Failure;
import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.Fleet;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ecs.EcsClient;
import software.amazon.awssdk.services.ecs.model.DescribeServicesResponse;
import software.amazon.awssdk.services.ecs.model.DesiredStatus;
import software.amazon.awssdk.services.ecs.model.ListTasksResponse;

/** Pools' services on one ECS cluster. Throttling, too, is a {@link DependencyException} once the retries are used up. */
public final class EcsFleet implements Fleet {
    static final String DEPENDENCY = "ecs";

    /** DescribeTasks takes no more at once (ECS API reference). */
    private static final int DESCRIBED_AT_ONCE = 100;

    private final Supplier<EcsClient> client;
    private final String cluster;

    public EcsFleet(EcsClient client, String cluster) {
        this(() -> client, cluster);
    }

    /** With a client that is made when it is first needed. */
    public EcsFleet(Supplier<EcsClient> client, String cluster) {
        this.client = client;
        this.cluster = cluster;
    }

    @Override
    public Service describe(String service) {
        String what = "describing service " + service;
        DescribeServicesResponse response = classified(
                what,
                () -> client.get()
                        .describeServices(request -> request.cluster(cluster).services(service)));
        if (response.services().isEmpty()) {
            String reason = response.failures().isEmpty()
                    ? "no answer about it"
                    : String.valueOf(response.failures().getFirst().reason());
            throw new DependencyException(DEPENDENCY, what, new IllegalStateException(reason));
        }
        return EcsCodec.service(response.services().getFirst());
    }

    @Override
    public List<Task> tasks(String service) {
        Set<String> arns = new LinkedHashSet<>();
        list(service, DesiredStatus.RUNNING, arns);
        list(service, DesiredStatus.STOPPED, arns);
        List<String> all = List.copyOf(arns);
        List<Task> tasks = new ArrayList<>();
        for (int from = 0; from < all.size(); from += DESCRIBED_AT_ONCE) {
            List<String> some = all.subList(from, Math.min(from + DESCRIBED_AT_ONCE, all.size()));
            // A task that ECS forgot meanwhile is among the failures, and is simply no longer there.
            classified(
                            "describing tasks of " + service,
                            () -> client.get()
                                    .describeTasks(
                                            request -> request.cluster(cluster).tasks(some)))
                    .tasks()
                    .forEach(task -> tasks.add(EcsCodec.task(task)));
        }
        return tasks;
    }

    private void list(String service, DesiredStatus status, Set<String> arns) {
        String token = null;
        do {
            String from = token;
            ListTasksResponse page = classified(
                    "listing tasks of " + service,
                    () -> client.get()
                            .listTasks(request -> request.cluster(cluster)
                                    .serviceName(service)
                                    .desiredStatus(status)
                                    .nextToken(from)));
            arns.addAll(page.taskArns());
            token = page.nextToken();
        } while (token != null && !token.isEmpty());
    }

    /** Sends the desired count and nothing else: whatever else a service has belongs to its deployment. */
    @Override
    public void setDesired(String service, int desired) {
        classified(
                "setting the desired count of " + service,
                () -> client.get()
                        .updateService(request ->
                                request.cluster(cluster).service(service).desiredCount(desired)));
    }

    private static <T> T classified(String what, Supplier<T> request) {
        try {
            return request.get();
        } catch (SdkException e) {
            throw Failure.of(e).toException(DEPENDENCY, what, e);
        }
    }
}
