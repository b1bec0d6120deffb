package dev.spillway.core.attempt;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Links an attempt to the first try of the same caller, or of another job to the same person: the first that came to
 * nothing among those of its kind that arrived within the {@link #WINDOW} before it. So that one caller who tries three
 * times is not taken for three callers.
 */
public final class FirstTries {
    /** A guess: who has given up for longer calls about it anew. */
    public static final Duration WINDOW = Duration.ofMinutes(10);

    private final Map<String, String> firstById;

    private FirstTries(Map<String, String> firstById) {
        this.firstById = firstById;
    }

    /** @param outlines of one tenant; for a complete answer those of {@link #WINDOW} before the attempts asked about, too */
    public static FirstTries among(List<Outline> outlines) {
        record Person(Attempt.Kind kind, CallerHash hash) {}
        Map<Person, List<Outline>> failed = new HashMap<>();
        Map<String, String> links = new HashMap<>();
        List<Outline> inOrder = outlines.stream()
                .sorted(Comparator.comparing(Outline::arrivedAt).thenComparing(Outline::id))
                .toList();
        for (Outline one : inOrder) {
            if (one.caller() == null) {
                continue;
            }
            List<Outline> before =
                    failed.computeIfAbsent(new Person(one.kind(), one.caller()), person -> new ArrayList<>());
            Instant from = one.arrivedAt().minus(WINDOW);
            before.removeIf(earlier -> earlier.arrivedAt().isBefore(from));
            if (!before.isEmpty()) {
                links.put(one.id(), before.getFirst().id());
            }
            if (one.mayComeAgain()) {
                before.add(one);
            }
        }
        return new FirstTries(links);
    }

    /** The first try that this attempt repeats; empty if it is itself a first one. */
    public Optional<String> of(String id) {
        return Optional.ofNullable(firstById.get(id));
    }
}
