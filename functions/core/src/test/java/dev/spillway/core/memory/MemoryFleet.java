package dev.spillway.core.memory;

import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Fleet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** ECS as records: counts are kept, tasks are what the test says they are. */
public final class MemoryFleet implements Fleet {
    private final Operations operations;
    private final Map<String, Service> services = new HashMap<>();
    private final Map<String, Map<ContainerId, Task>> tasks = new HashMap<>();
    private final List<Integer> told = new ArrayList<>();

    MemoryFleet(Operations operations) {
        this.operations = operations;
    }

    @Override
    public Service describe(String service) {
        return operations.perform(Operation.FLEET_DESCRIBE, () -> of(service));
    }

    @Override
    public List<Task> tasks(String service) {
        return operations.perform(
                Operation.FLEET_TASKS,
                () -> List.copyOf(tasks.getOrDefault(service, Map.of()).values()));
    }

    @Override
    public void setDesired(String service, int desired) {
        operations.perform(Operation.FLEET_SET_DESIRED, () -> {
            Service before = of(service);
            services.put(
                    service,
                    new Service(
                            desired,
                            before.running(),
                            before.pending(),
                            before.deploying(),
                            before.revision(),
                            before.since()));
            return told.add(desired);
        });
    }

    public void put(String service, Service state) {
        operations.quietly(() -> services.put(service, state));
    }

    public void put(String service, Task task) {
        operations.quietly(() ->
                tasks.computeIfAbsent(service, key -> new LinkedHashMap<>()).put(task.id(), task));
    }

    /** A task of revision {@code r1} that runs since then. */
    public void run(String service, ContainerId id, Instant createdAt) {
        put(service, new Task(id, TaskPhase.RUNNING, "r1", "", createdAt));
    }

    public void stop(String service, ContainerId id, String reason, Instant createdAt) {
        put(service, new Task(id, TaskPhase.STOPPED, "r1", reason, createdAt));
    }

    public void stopping(String service, ContainerId id, String reason, Instant createdAt) {
        put(service, new Task(id, TaskPhase.STOPPING, "7", reason, createdAt));
    }

    public void forget(String service, ContainerId id) {
        operations.quietly(() -> Optional.ofNullable(tasks.get(service)).map(of -> of.remove(id)));
    }

    /** The desired count that ECS believes in. */
    public int desired(String service) {
        return operations.quietly(() -> of(service).desired());
    }

    /** Every desired count that was told, in order. */
    public List<Integer> told() {
        return operations.quietly(() -> List.copyOf(told));
    }

    private Service of(String service) {
        return services.getOrDefault(service, new Service(0, 0, 0, false, "r1"));
    }
}
