package dev.spillway.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What went wrong in many runs: how often, by what it happened to. */
final class FaultCounts {
    /** In names: what came first is what happened, and this is what it happened to. */
    private static final Pattern SUBJECT = Pattern.compile(
            "(.*?)\\b(task event|event|status callback|stream callback|webhook|notice|round|dial|launch)\\b.*");

    private final Map<String, Map<String, Long>> counts = new TreeMap<>();

    void add(Outcome outcome) {
        outcome.fired().forEach(this::add);
        outcome.scenario()
                .mishaps()
                .forEach(mishap -> count("mishaps", mishap.trouble().toString()));
    }

    /** @param name as faults are called that happened */
    void add(String name) {
        String first = name.substring(0, Math.max(0, name.indexOf(' ')));
        Matcher subject = SUBJECT.matcher(name);
        if (first.equals(first.toUpperCase(Locale.ROOT))) {
            count("questions to ports", first);
        } else if (first.equals("blocked") || first.equals("agent")) {
            count("ECS agent", first.equals("blocked") ? "refused protection" : "unanswered");
        } else if (subject.matches()) {
            String what = subject.group(1).replace("again", "").strip();
            count(subject.group(2) + (subject.group(2).endsWith("ch") ? "es" : "s"), what.isEmpty() ? "failed" : what);
        } else {
            count("others", first);
        }
    }

    private void count(String subject, String what) {
        counts.computeIfAbsent(subject, first -> new TreeMap<>()).merge(what, 1L, Long::sum);
    }

    /** One line for each thing that something happened to, in the order of their names. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        counts.forEach((subject, whats) -> lines.add(subject + ": " + counted(whats)));
        return lines;
    }

    /** In the order of the names. */
    static String counted(Map<String, ? extends Number> counts) {
        return new TreeMap<>(counts)
                .entrySet().stream()
                        .map(entry -> entry.getValue() + " " + entry.getKey())
                        .collect(Collectors.joining(", "));
    }
}
