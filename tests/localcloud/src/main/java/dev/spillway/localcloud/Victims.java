package dev.spillway.localcloud;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which tasks ECS stops when a service has too many. Only protection steers it: from the zone with most tasks, the
 * newest-started task that is not protected. Zones with protected tasks only are passed over.
 */
final class Victims {
    private Victims() {}

    /** At most {@code count} of {@code active}; fewer when the others are protected. */
    static List<EcsTask> choose(List<EcsTask> active, int count, Instant now) {
        List<EcsTask> remaining = new ArrayList<>(active);
        List<EcsTask> victims = new ArrayList<>();
        while (victims.size() < count) {
            Map<String, Integer> perZone = new HashMap<>();
            remaining.forEach(task -> perZone.merge(task.start.availabilityZone(), 1, Integer::sum));
            var victim = remaining.stream()
                    .filter(task -> !task.protectedAt(now))
                    .max(Comparator.comparingInt(
                                    (EcsTask task) -> perZone.getOrDefault(task.start.availabilityZone(), 0))
                            .thenComparing(Victims::startedOrNever)
                            .thenComparing(task -> task.createdAt));
            if (victim.isEmpty()) {
                return victims;
            }
            remaining.remove(victim.get());
            victims.add(victim.get());
        }
        return victims;
    }

    private static Instant startedOrNever(EcsTask task) {
        Instant startedAt = task.startedAt();
        return startedAt == null ? Instant.MAX : startedAt;
    }
}
