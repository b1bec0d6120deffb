package dev.spillway.load.schedule;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When calls arrive and how they behave. Immutable; it has been checked.
 *
 * @param question what the run is to answer
 * @param seed and {@code rule}: how somebody else can make the same arrivals; null if they were written by hand
 * @param waves offsets, in seconds, before which the inventory is taken; empty for the start only
 * @param quietAfter seconds after the last arrival within which the system is to come to its baseline
 * @param clockRule how wall-clock times were made offsets; null if they were not
 */
public record Schedule(
        String name,
        String question,
        @Nullable Long seed,
        @Nullable String rule,
        @Nullable String clockRule,
        StartConditions start,
        Map<String, CallClass> classes,
        List<Double> waves,
        double quietAfter,
        List<Arrival> arrivals) {

    public Schedule {
        classes = Collections.unmodifiableMap(new LinkedHashMap<>(classes));
        waves = List.copyOf(waves);
        arrivals = List.copyOf(arrivals);
    }

    /** The class of an arrival. */
    public CallClass classOf(Arrival arrival) {
        CallClass found = classes.get(arrival.className());
        if (found == null) {
            throw new IllegalStateException("checked when the schedule was read: class " + arrival.className());
        }
        return found;
    }

    /** Which way an arrival goes. */
    public Direction directionOf(Arrival arrival) {
        return arrival.direction() != null
                ? arrival.direction()
                : classOf(arrival).direction();
    }

    /** Those whose calls are offered; an empty text for the first that the adapter knows. */
    public Set<String> tenants() {
        Set<String> tenants = new LinkedHashSet<>();
        arrivals.forEach(arrival ->
                tenants.add(Objects.requireNonNullElse(classOf(arrival).tenant(), "")));
        return tenants;
    }

    /**
     * What classes say of their agent and nothing comes of, by the names of a schedule, in order.
     *
     * @param taken what the target's agent lets a class say of it
     */
    public List<String> notApplied(Set<String> taken) {
        return classes.values().stream()
                .flatMap(one -> one.declared().stream())
                .filter(name -> !taken.contains(name))
                .distinct()
                .sorted()
                .toList();
    }

    /** Seconds from the start to the last arrival. */
    public double lastAt() {
        return arrivals.isEmpty() ? 0 : arrivals.getLast().at();
    }
}
