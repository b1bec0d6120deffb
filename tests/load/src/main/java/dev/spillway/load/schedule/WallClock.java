package dev.spillway.load.schedule;

import dev.spillway.load.schedule.InvalidScheduleException.Fault;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes offsets of wall-clock times: a CSV file whose first line names its columns ({@code time}, and if wanted
 * {@code class}, {@code duration}, {@code direction}), or a JSON list of objects with those keys.
 */
public final class WallClock {
    /** The arrivals, sorted, with the rule that was followed. */
    public record Converted(List<Arrival> arrivals, Set<String> classes, String rule) {}

    private record Entry(
            Instant time,
            @Nullable Double duration,
            String className,
            @Nullable Direction direction) {}

    private final @Nullable ZoneId zone;
    private final boolean later;
    private final List<Fault> faults = new ArrayList<>();
    private final List<Entry> entries = new ArrayList<>();

    private WallClock(@Nullable ZoneId zone, boolean later) {
        this.zone = zone;
        this.later = later;
    }

    /**
     * @param zone of times without an offset; null if there are none
     * @param later whether a time that occurred twice is its second occurrence rather than its first
     * @throws InvalidScheduleException naming the lines that cannot be read
     */
    public static Converted convert(String source, byte[] bytes, @Nullable ZoneId zone, boolean later)
            throws InvalidScheduleException {
        WallClock clock = new WallClock(zone, later);
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.stripLeading().startsWith("[")) {
            clock.json(text);
        } else {
            clock.csv(text);
        }
        if (!clock.faults.isEmpty()) {
            throw new InvalidScheduleException(source, clock.faults);
        }
        return clock.converted();
    }

    private Converted converted() {
        List<Entry> sorted = new ArrayList<>(entries);
        sorted.sort(Comparator.comparing(Entry::time)); // stable: equal times keep their order, and stay equal
        List<Arrival> arrivals = new ArrayList<>();
        Set<String> classes = new LinkedHashSet<>();
        for (Entry entry : sorted) {
            double at = Duration.between(sorted.getFirst().time(), entry.time()).toNanos() / 1e9;
            arrivals.add(
                    new Arrival(arrivals.size(), at, entry.duration(), entry.className(), entry.direction(), null));
            classes.add(entry.className());
        }
        String from = sorted.isEmpty() ? "nothing" : sorted.getFirst().time().toString();
        return new Converted(arrivals, classes, rule(from));
    }

    private String rule(String from) {
        String local = zone == null
                ? "every time carries its offset"
                : "times without an offset are of " + zone
                        + "; one that the clock skipped is moved on by the length of the gap; one that occurred twice is"
                        + " its " + (later ? "second" : "first") + " occurrence";
        return "seconds since " + from + " on the UTC time line; " + local + "; equal times stay equal";
    }

    private void json(String text) {
        try {
            if (!(Located.read(text.getBytes(StandardCharsets.UTF_8)) instanceof Located.Items items)) {
                faults.add(new Fault(1, "no JSON list"));
                return;
            }
            for (Located item : items.values()) {
                if (item instanceof Located.Members members) {
                    entry(
                            item.line(),
                            text(members, "time"),
                            text(members, "class"),
                            text(members, "duration"),
                            text(members, "direction"));
                } else {
                    faults.add(new Fault(item.line(), "no object with a time"));
                }
            }
        } catch (IOException e) {
            faults.add(new Fault(1, "no JSON list: " + e.getMessage()));
        }
    }

    private static String text(Located.Members in, String key) {
        return switch (in.values().get(key)) {
            case Located.Text value -> value.value();
            case Located.Numeral value -> value.text();
            case Located.Flag value -> Boolean.toString(value.value());
            case Located.Members value -> "an object";
            case Located.Items value -> "a list";
            case Located.Nothing value -> "";
            case null -> "";
        };
    }

    private void csv(String text) {
        List<String> lines = text.lines().toList();
        List<String> columns =
                lines.isEmpty() ? List.of() : List.of(lines.getFirst().strip().split("\\s*,\\s*"));
        if (!columns.contains("time")) {
            faults.add(new Fault(1, "the first line names no column 'time'"));
            return;
        }
        for (int i = 1; i < lines.size(); i++) {
            if (!lines.get(i).isBlank()) {
                String[] cells = lines.get(i).strip().split("\\s*,\\s*", -1);
                entry(
                        i + 1,
                        cell(columns, cells, "time"),
                        cell(columns, cells, "class"),
                        cell(columns, cells, "duration"),
                        cell(columns, cells, "direction"));
            }
        }
    }

    private static String cell(List<String> columns, String[] cells, String name) {
        int index = columns.indexOf(name);
        return index < 0 || index >= cells.length ? "" : cells[index];
    }

    private void entry(int line, String time, String className, String duration, String direction) {
        Instant at = instant(line, time);
        Double seconds = null;
        if (!duration.isEmpty()) {
            try {
                seconds = Double.valueOf(duration);
            } catch (NumberFormatException e) {
                faults.add(new Fault(line, "duration '" + duration + "' is no number"));
            }
            if (seconds != null && !(Double.isFinite(seconds) && seconds >= 0)) {
                faults.add(new Fault(line, "duration '" + duration + "' is not finite, or negative"));
            }
        }
        if (!direction.isEmpty() && !direction.equals("inbound") && !direction.equals("outbound")) {
            faults.add(new Fault(line, "direction '" + direction + "' is neither inbound nor outbound"));
        }
        if (at != null) {
            entries.add(new Entry(
                    at,
                    seconds,
                    className.isEmpty() ? "default" : className,
                    direction.equals("outbound") ? Direction.OUTBOUND : null));
        }
    }

    private @Nullable Instant instant(int line, String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            return local(line, text);
        }
    }

    private @Nullable Instant local(int line, String text) {
        LocalDateTime local;
        try {
            local = LocalDateTime.parse(text.replace(' ', 'T'));
        } catch (DateTimeException e) {
            faults.add(new Fault(line, "'" + text + "' is no time; want 2026-03-29T01:30:00Z, or without an offset"));
            return null;
        }
        if (zone == null) {
            faults.add(new Fault(line, "'" + text + "' has no offset; say of which zone it is (--zone)"));
            return null;
        }
        ZoneOffsetTransition change = zone.getRules().getTransition(local);
        if (change == null) {
            return local.atZone(zone).toInstant();
        }
        // a gap: the offset before it makes 02:30 of a clock that went from 02:00 to 03:00 the instant of 03:30
        boolean first = change.isGap() || !later;
        return local.toInstant(first ? change.getOffsetBefore() : change.getOffsetAfter());
    }
}
