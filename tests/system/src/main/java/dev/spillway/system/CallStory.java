package dev.spillway.system;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** One attempt in readable lines. */
final class CallStory {
    private CallStory() {}

    /** @param attempt as {@code GET /attempts/{id}} answers it */
    static List<String> lines(JsonNode attempt) {
        Instant arrived = Instant.parse(attempt.path("arrivedAt").asText());
        List<String> lines = new ArrayList<>();
        lines.add(attempt.path("id").asText() + ": " + attempt.path("kind").asText() + ", tenant "
                + attempt.path("tenant").asText() + ", arrived " + arrived + ", "
                + (attempt.path("open").asBoolean()
                        ? "still open"
                        : attempt.path("outcome").asText()));
        if (attempt.has("callSid")) {
            lines.add("  dialled as " + attempt.path("callSid").asText());
        }
        if (attempt.has("first")) {
            lines.add("  the first try was " + attempt.path("first").asText());
        }
        if (attempt.path("steps").isEmpty()) {
            lines.add("  nothing is told of it yet");
        }
        for (JsonNode step : attempt.path("steps")) {
            lines.add(line(step, arrived));
        }
        if (attempt.has("droppedSteps")) {
            lines.add("  ... and " + attempt.path("droppedSteps").asInt() + " steps more, which were not kept");
        }
        return lines;
    }

    private static String line(JsonNode step, Instant arrived) {
        double seconds = Duration.between(arrived, Instant.parse(step.path("at").asText()))
                        .toMillis()
                / 1000.0;
        String place = step.path("pool").asText("")
                + (step.has("container")
                        ? "/" + shortened(step.path("container").asText())
                        : "");
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%+9.3f s  hop %d  %-9s  %-17s  %s",
                seconds,
                step.path("hop").asInt(),
                step.path("step").asText(),
                place.isEmpty() ? "-" : place,
                step.path("reason").asText()));
        if (step.has("cause")) {
            JsonNode slots = step.path("slots");
            line.append(String.format(
                    Locale.ROOT,
                    " [%s; %s: live %d, setup %d, reserved %d, cooldown %d of %d]",
                    step.path("cause").asText(),
                    slots.path("pool").asText(),
                    slots.path("live").asInt(),
                    slots.path("setup").asInt(),
                    slots.path("reserved").asInt(),
                    slots.path("cooldown").asInt(),
                    slots.path("limit").asInt()));
        }
        if (step.has("times")) {
            line.append(" (").append(step.path("times").asInt()).append(" times in a row, the last time then)");
        }
        return line.toString();
    }

    private static String shortened(String container) {
        return container.length() > 8 ? container.substring(0, 8) : container;
    }

    /** What functions and containers know the attempt by: its id, and that of the call that was dialled for it. */
    static Set<String> ids(JsonNode attempt) {
        Set<String> ids = new TreeSet<>();
        ids.add(attempt.path("id").asText());
        if (attempt.has("callSid")) {
            ids.add(attempt.path("callSid").asText());
        }
        return ids;
    }

    /**
     * What functions and containers logged about the attempt, in the order of time; the file's name stands before each.
     *
     * @param ids see {@link #ids}
     */
    static List<String> logLines(Path folder, Set<String> ids) throws IOException {
        record Line(String at, String text) {}
        List<Line> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder, 2)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(one -> one.toString().endsWith(".log"))
                    .toList()) {
                try (Stream<String> lines = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines()) {
                    lines.filter(line -> ids.stream().anyMatch(line::contains))
                            .forEach(line -> found.add(new Line(time(line), file.getFileName() + "  " + line)));
                }
            }
        }
        return found.stream()
                .filter(line -> !line.at().isEmpty())
                .sorted(Comparator.comparing(Line::at))
                .map(Line::text)
                .toList();
    }

    private static String time(String line) {
        try {
            JsonNode json = Cli.JSON.readTree(line);
            return json.path("at").asText(json.path("time").asText(""));
        } catch (JsonProcessingException e) {
            return ""; // not a line of a journal
        }
    }
}
