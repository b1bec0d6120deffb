package dev.spillway.load.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.ledger.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the containers that were seen would cost.
 *
 * @param containerHours in the schedule's time, which is the run's times its speed
 * @param total dollars
 * @param perCompleted dollars per completed call; null if none completed
 */
public record Costs(
        double containerHours, double total, @Nullable Double perCompleted) {
    /**
     * Dollars for an hour of a container of one virtual CPU and 2 GB on ARM (us-east-1, September 2026, secondary sources):
     * 0.03238 + 2 * 0.00356.
     */
    public static final double CONTAINER_HOUR = 0.0395;

    /** Null if fewer than two looks saw containers: then nothing is known of the time between. */
    public static @Nullable Costs of(Run run, Figures figures) {
        double seconds = 0;
        int pairs = 0;
        Map<String, List<Run.Look>> byPools = new TreeMap<>(); // several hosts look at the same pools, or at others
        run.looks()
                .forEach(look -> byPools.computeIfAbsent(
                                String.valueOf(look.inventory().receiver()), any -> new ArrayList<>())
                        .add(look));
        for (List<Run.Look> looks : byPools.values()) {
            for (int i = 1; i < looks.size(); i++) {
                Integer before = running(looks.get(i - 1).inventory());
                Integer after = running(looks.get(i).inventory());
                if (before != null && after != null) {
                    seconds += (before + after)
                            / 2.0
                            * (looks.get(i).seconds() - looks.get(i - 1).seconds());
                    pairs++;
                }
            }
        }
        if (pairs == 0) {
            return null;
        }
        JsonNode price = run.manifest().path("containerHourDollars");
        double hours = seconds * run.speed() / 3_600;
        double total = hours * price.asDouble(CONTAINER_HOUR);
        int completed = figures.count(Outcome.COMPLETED);
        return new Costs(hours, total, completed == 0 ? null : total / completed);
    }

    private static @Nullable Integer running(Inventory inventory) {
        Integer containers = inventory.containers();
        Integer starting = inventory.starting();
        return containers == null ? null : containers + (starting == null ? 0 : starting);
    }

    void write(ObjectNode to) {
        to.put("containerHours", Numbers.rounded(containerHours, 4))
                .put("dollars", Numbers.rounded(total, 4))
                .put("dollarsPerCompletedCall", Numbers.rounded(perCompleted, 6));
    }
}
