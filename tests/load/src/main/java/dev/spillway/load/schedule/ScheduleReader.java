package dev.spillway.load.schedule;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.spillway.load.schedule.InvalidScheduleException.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the format that {@code schedule.schema.json} describes, strictly: what it does not know, it refuses. */
public final class ScheduleReader {
    private static final Set<String> TOP = Set.of(
            "schedule",
            "name",
            "question",
            "unit",
            "seed",
            "rule",
            "clockRule",
            "start",
            "classes",
            "waves",
            "quiet_after",
            "arrivals");
    private static final Set<String> ARRIVAL = Set.of("at", "duration", "class", "direction", "retryOf");
    private static final Set<String> START = Set.of("pool", "functions", "caches");

    private final Reading reading = new Reading();

    private ScheduleReader() {}

    /** @throws InvalidScheduleException with every fault and its line */
    public static Schedule read(Path file) throws IOException, InvalidScheduleException {
        return read(file.toString(), Files.readAllBytes(file));
    }

    /** @param source names the document in what is said of its faults */
    public static Schedule read(String source, byte[] json) throws InvalidScheduleException {
        Located document;
        try {
            document = Located.read(json);
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            throw new InvalidScheduleException(source, List.of(new Fault(line, e.getOriginalMessage())));
        } catch (IOException e) {
            throw new InvalidScheduleException(source, List.of(new Fault(1, String.valueOf(e.getMessage()))));
        }
        ScheduleReader reader = new ScheduleReader();
        Schedule schedule = reader.schedule(document);
        List<Fault> faults = reader.reading.faults();
        if (schedule == null || !faults.isEmpty()) {
            throw new InvalidScheduleException(source, faults);
        }
        return schedule;
    }

    private @Nullable Schedule schedule(Located document) {
        Located.Members top = reading.members(document, "the schedule", TOP);
        if (top == null) {
            return null;
        }
        Integer version = reading.whole(top, "schedule", "the schedule", 1, 1);
        if (version == null && !top.values().containsKey("schedule")) {
            reading.fault(top, "the schedule has no key 'schedule'; want \"schedule\": 1");
        }
        String name = reading.text(top, "name", "the schedule");
        if (name == null) {
            reading.fault(top, "the schedule has no name");
        }
        String unit = reading.text(top, "unit", "the schedule");
        if (!"seconds".equals(unit)) {
            reading.fault(top.values().getOrDefault("unit", top), "the schedule's unit is seconds; say so");
        }
        Map<String, CallClass> classes = classes(top);
        Double quiet = reading.number(top, "quiet_after", "the schedule", 0);
        String question = reading.text(top, "question", "the schedule");
        return new Schedule(
                name == null ? "" : name,
                question == null ? "" : question,
                seed(top),
                reading.text(top, "rule", "the schedule"),
                reading.text(top, "clockRule", "the schedule"),
                start(top),
                classes,
                waves(top),
                quiet == null ? 0 : quiet,
                arrivals(top, classes));
    }

    private @Nullable Long seed(Located.Members top) {
        Located value = top.values().get("seed");
        if (value == null || value instanceof Located.Nothing) {
            return null;
        }
        if (value instanceof Located.Numeral number && number.whole()) {
            try {
                return Long.valueOf(number.text()); // a double would change it
            } catch (NumberFormatException e) {
                reading.fault(value, "the schedule.seed does not fit into 64 bits");
                return null;
            }
        }
        reading.fault(value, "the schedule.seed is not a whole number");
        return null;
    }

    private StartConditions start(Located.Members top) {
        Located value = top.values().get("start");
        if (value == null || value instanceof Located.Nothing) {
            return StartConditions.NONE;
        }
        Located.Members start = reading.members(value, "start", START);
        if (start == null) {
            return StartConditions.NONE;
        }
        return new StartConditions(
                oneOf(start, "pool", Set.of("zero", "warm")),
                oneOf(start, "functions", Set.of("cold", "warm")),
                oneOf(start, "caches", Set.of("cold", "warm")));
    }

    private @Nullable String oneOf(Located.Members in, String key, Set<String> allowed) {
        String text = reading.text(in, key, "start");
        if (text != null && !allowed.contains(text)) {
            reading.fault(in.values().getOrDefault(key, in), "start." + key + " is one of " + allowed);
            return null;
        }
        return text;
    }

    private Map<String, CallClass> classes(Located.Members top) {
        Map<String, CallClass> classes = new LinkedHashMap<>();
        Located value = top.values().get("classes");
        if (!(value instanceof Located.Members members) || members.values().isEmpty()) {
            reading.fault(value == null ? top : value, "classes is not an object with at least one class");
            return classes;
        }
        members.values().forEach((name, one) -> {
            CallClass read = new ClassReader(reading, "class '" + name + "'").read(name, one);
            if (read != null) {
                classes.put(name, read);
            }
        });
        return classes;
    }

    private List<Double> waves(Located.Members top) {
        List<Double> waves = new ArrayList<>();
        Located value = top.values().get("waves");
        if (value == null) {
            return waves;
        }
        if (!(value instanceof Located.Items items)) {
            reading.fault(value, "waves is not a list of offsets");
            return waves;
        }
        double last = 0;
        for (Located item : items.values()) {
            if (!(item instanceof Located.Numeral number)
                    || !(number.value() >= last)
                    || !Double.isFinite(number.value())) {
                reading.fault(item, "waves are finite offsets, none before the one before it");
            } else {
                last = number.value();
                waves.add(last);
            }
        }
        return waves;
    }

    private List<Arrival> arrivals(Located.Members top, Map<String, CallClass> classes) {
        List<Arrival> arrivals = new ArrayList<>();
        Located value = top.values().get("arrivals");
        if (!(value instanceof Located.Items items)) {
            reading.fault(value == null ? top : value, "arrivals is not a list");
            return arrivals;
        }
        double last = 0;
        for (Located item : items.values()) {
            String where = "arrivals[" + arrivals.size() + "]";
            Located.Members members = reading.members(item, where, ARRIVAL);
            Arrival arrival = members == null
                    ? Arrival.at(arrivals.size(), last, null, "")
                    : arrival(members, arrivals.size(), where, last, classes);
            last = Math.max(last, arrival.at());
            arrivals.add(arrival);
        }
        return arrivals;
    }

    private Arrival arrival(Located.Members in, int id, String where, double last, Map<String, CallClass> classes) {
        Double at = reading.number(in, "at", where, 0);
        if (at == null && !in.values().containsKey("at")) {
            reading.fault(in, where + " has no time 'at'");
        } else if (at != null && at < last) {
            reading.fault(
                    in,
                    where + ".at is " + Reading.plain(at) + ", before the arrival before it at " + Reading.plain(last)
                            + "; want arrivals sorted by time");
        }
        Double duration = reading.number(in, "duration", where, 0);
        String className = reading.text(in, "class", where);
        if (className == null || className.isEmpty()) {
            reading.fault(in, where + ".class is empty");
        } else if (!classes.isEmpty() && !classes.containsKey(className)) {
            reading.fault(in, where + ".class is '" + className + "'; the classes are " + classes.keySet());
        }
        String direction = reading.text(in, "direction", where);
        if (direction != null && !direction.equals("inbound") && !direction.equals("outbound")) {
            reading.fault(in, where + ".direction is inbound or outbound");
        }
        Integer retryOf = reading.whole(in, "retryOf", where, 0, Integer.MAX_VALUE);
        if (retryOf != null && retryOf >= id) {
            reading.fault(in, where + ".retryOf is " + retryOf + "; want the place of an earlier arrival");
        }
        return new Arrival(
                id,
                at == null ? last : at,
                duration,
                className == null ? "" : className,
                direction == null ? null : direction.equals("inbound") ? Direction.INBOUND : Direction.OUTBOUND,
                retryOf);
    }
}
