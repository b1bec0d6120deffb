package dev.spillway.load.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Evidence;
import dev.spillway.load.ledger.Journal;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.ledger.RowJson;
import dev.spillway.load.report.Run;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.InvalidScheduleException;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.ScheduleReader;
import dev.spillway.load.schedule.ScheduleWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The ledgers of several hosts as one. Each host's times stay on its own monotonic clock; the clocks are laid over each other
 * by the wall-clock times at which the runs started, so that times of different hosts may be off against each other by the
 * uncertainty that is stated. Durations are never taken across hosts.
 */
public final class Merge {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Told of a whole run. */
    private static final Set<String> WHOLE = Set.of("end", "probe", "recovery");

    private record Part(
            Bundle bundle,
            JsonNode manifest,
            Schedule schedule,
            Bundle.Contents contents,
            boolean allowed,
            long offset) {}

    private record Placed(Arrival arrival, double at, Part part) {}

    private Merge() {}

    /** @param uncertaintyMillis how far the hosts' wall clocks may be apart */
    public static void merge(List<Bundle> bundles, Bundle into, long uncertaintyMillis)
            throws IOException, InvalidScheduleException {
        List<Part> parts = parts(bundles);
        List<Placed> placed = new ArrayList<>();
        for (Part part : parts) {
            for (Arrival arrival : part.schedule().arrivals()) {
                double speed = part.manifest().path("speed").asDouble(1);
                placed.add(new Placed(arrival, arrival.at() / speed + part.offset() / 1e9, part));
            }
        }
        placed.sort(Comparator.comparingDouble(Placed::at));
        Files.createDirectories(into.folder());
        byte[] schedule = schedule(parts, placed).getBytes(StandardCharsets.UTF_8);
        Files.write(into.schedule(), schedule);
        if (Files.exists(parts.getFirst().bundle().criteria())) {
            Files.copy(parts.getFirst().bundle().criteria(), into.criteria());
        }
        Files.writeString(into.run(), manifest(parts, schedule, placed.size(), uncertaintyMillis));
        try (Journal journal = new Journal(into.journal())) {
            write(journal, parts, placed);
        }
    }

    private static List<Part> parts(List<Bundle> bundles) throws IOException, InvalidScheduleException {
        List<JsonNode> manifests = new ArrayList<>();
        List<Bundle.Contents> contents = new ArrayList<>();
        List<Instant> starts = new ArrayList<>();
        for (Bundle bundle : bundles) {
            JsonNode manifest = JSON.readTree(bundle.run().toFile());
            manifests.add(manifest);
            contents.add(bundle.read());
            starts.add(started(manifest, contents.getLast()));
            JsonNode endpoint = manifests.getFirst().path("adapter").path("endpoint");
            if (!manifest.path("adapter").path("endpoint").equals(endpoint)) {
                throw new IOException(bundle.folder() + " measures at another endpoint than "
                        + bundles.getFirst().folder());
            }
            for (String key : List.of("definitionsSha256", "criteriaSha256")) {
                if (!manifest.path(key).equals(manifests.getFirst().path(key))) {
                    throw new IOException(bundle.folder() + " and "
                            + bundles.getFirst().folder() + " differ in " + key
                            + ": their outcomes, or what they are judged by, are not the same");
                }
            }
        }
        Instant first = starts.stream().min(Comparator.naturalOrder()).orElseThrow();
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < bundles.size(); i++) {
            parts.add(new Part(
                    bundles.get(i),
                    manifests.get(i),
                    ScheduleReader.read(bundles.get(i).schedule()),
                    contents.get(i),
                    Run.read(bundles.get(i)).targetAllowed(),
                    Duration.between(first, starts.get(i)).toNanos()));
        }
        return parts;
    }

    /** The wall clock's time of the origin of the run's own clock: after whatever was set up before. */
    private static Instant started(JsonNode manifest, Bundle.Contents contents) {
        return Instant.parse(contents.notes().stream()
                .filter(note -> event(note).equals("origin"))
                .map(note -> note.path("at").asText())
                .findFirst()
                .orElseGet(() -> manifest.path("startedAt").asText()));
    }

    private static String schedule(List<Part> parts, List<Placed> placed) {
        Schedule first = parts.getFirst().schedule();
        var classes = new java.util.LinkedHashMap<>(first.classes());
        parts.forEach(part -> part.schedule().classes().forEach(classes::putIfAbsent));
        List<Arrival> arrivals = new ArrayList<>();
        IdentityHashMap<Part, Map<Integer, Integer>> identities = identities(placed);
        for (Placed one : placed) {
            arrivals.add(new Arrival(
                    arrivals.size(),
                    one.at(),
                    one.arrival().duration(),
                    one.arrival().className(),
                    one.arrival().direction(),
                    identity(identities, one.part(), one.arrival().retryOf())));
        }
        return ScheduleWriter.write(new Schedule(
                first.name() + " of " + parts.size() + " hosts",
                first.question(),
                first.seed(),
                "merged: "
                        + String.join(
                                " + ",
                                parts.stream()
                                        .map(part -> part.schedule().name())
                                        .toList()),
                first.clockRule(),
                first.start(),
                classes,
                List.of(),
                first.quietAfter(),
                arrivals));
    }

    /** Where each part's arrivals are in the whole. */
    private static IdentityHashMap<Part, Map<Integer, Integer>> identities(List<Placed> placed) {
        IdentityHashMap<Part, Map<Integer, Integer>> identities = new IdentityHashMap<>();
        for (int id = 0; id < placed.size(); id++) {
            Placed one = placed.get(id);
            identities
                    .computeIfAbsent(one.part(), any -> new HashMap<>())
                    .put(one.arrival().id(), id);
        }
        return identities;
    }

    private static @Nullable Integer identity(
            IdentityHashMap<Part, Map<Integer, Integer>> identities, Part part, @Nullable Integer id) {
        return id == null ? null : identities.getOrDefault(part, Map.of()).get(id);
    }

    private static String manifest(List<Part> parts, byte[] schedule, int scheduled, long uncertaintyMillis) {
        ObjectNode node = parts.getFirst().manifest().deepCopy();
        node.put("scheduleSha256", Bundle.sha256(schedule))
                .put("scheduled", scheduled)
                .put("speed", 1);
        node.put("clockUncertaintyMs", uncertaintyMillis);
        node.put("targetAllowed", parts.stream().allMatch(Part::allowed));
        node.putNull("authorisationSha256");
        node.put(
                "maxInFlight",
                parts.stream()
                        .mapToInt(part -> part.manifest().path("maxInFlight").asInt())
                        .sum());
        var reached = node.putArray("hosts");
        TreeSet<String> names = new TreeSet<>();
        parts.forEach(part -> part.manifest().path("hosts").forEach(host -> names.add(host.asText())));
        names.forEach(reached::add);
        node.put(
                "clock",
                "the hosts' monotonic clocks, laid over each other by the wall-clock time of their starts; times of different"
                        + " hosts may be off by " + uncertaintyMillis + " ms");
        ArrayNode hosts = node.putArray("mergedFrom");
        parts.forEach(part -> hosts.addObject()
                .put("host", part.manifest().path("generatorHost").asText())
                .put("scheduleSha256", part.manifest().path("scheduleSha256").asText())
                .put("startedAt", part.manifest().path("startedAt").asText())
                .put("offsetMs", part.offset() / 1_000_000));
        return node.toPrettyString() + "\n";
    }

    private static void write(Journal journal, List<Part> parts, List<Placed> placed) {
        IdentityHashMap<Part, Map<Integer, Integer>> identities = identities(placed);
        for (int id = 0; id < placed.size(); id++) {
            Placed one = placed.get(id);
            Part part = one.part();
            Long started = part.contents().started().get(one.arrival().id());
            if (started != null) {
                journal.started(id, started + part.offset());
            }
            Row row = part.contents().rows().get(one.arrival().id());
            if (row != null) {
                journal.settled(moved(row, id, identity(identities, part, row.retryOf()), part.offset()));
            }
        }
        for (Part part : parts) {
            part.contents().notes().stream()
                    .filter(note -> event(note).equals("probe"))
                    .forEach(note -> journal.probed(moved(RowJson.read(note), -1, null, part.offset())));
        }
        notes(parts).forEach(note -> journal.note(note.toString()));
        boolean ended = parts.stream()
                .allMatch(part -> part.contents().notes().stream()
                        .anyMatch(note -> event(note).equals("end")));
        recovery(parts).ifPresent(note -> journal.note(note.toString()));
        if (ended) {
            journal.note("{\"e\":\"end\",\"t\":" + lastNote(parts) + ",\"leftOver\":" + leftOver(parts) + "}");
        }
    }

    private static String event(JsonNode note) {
        return note.path("e").asText();
    }

    /** All that was noted, in the order of the joint time; what is told of a whole run is told once, afterwards. */
    private static List<ObjectNode> notes(List<Part> parts) {
        List<ObjectNode> notes = new ArrayList<>();
        for (Part part : parts) {
            for (JsonNode note : part.contents().notes()) {
                if (note instanceof ObjectNode object && !WHOLE.contains(event(note))) {
                    notes.add(object.deepCopy().put("t", note.path("t").doubleValue() + part.offset() / 1e6));
                }
            }
        }
        notes.sort(Comparator.comparingDouble(note -> note.path("t").doubleValue()));
        return notes;
    }

    /** The baseline is reached once every host saw that it was. */
    private static Optional<ObjectNode> recovery(List<Part> parts) {
        boolean reached = true;
        double seconds = 0;
        double last = 0;
        int seen = 0;
        List<String> left = new ArrayList<>();
        double lastDue = parts.stream()
                .mapToDouble(part -> due(part) + part.offset() / 1e9)
                .max()
                .orElse(0);
        for (Part part : parts) {
            for (JsonNode note : part.contents().notes()) {
                if (event(note).equals("recovery")) {
                    seen++;
                    reached &= note.path("reached").asBoolean();
                    double at = due(part)
                            + part.offset() / 1e9
                            + note.path("seconds").doubleValue();
                    seconds = Math.max(seconds, at - lastDue);
                    last = Math.max(last, note.path("t").doubleValue() + part.offset() / 1e6);
                    if (!note.path("left").asText().isEmpty()) {
                        left.add(note.path("left").asText());
                    }
                }
            }
        }
        return seen == 0
                ? Optional.empty()
                : Optional.of(JSON.createObjectNode()
                        .put("e", "recovery")
                        .put("t", last)
                        .put("reached", reached)
                        .put("seconds", Math.round(seconds * 1_000) / 1e3)
                        .put("left", String.join(" | ", left)));
    }

    /** When the last arrival of a part was due, on its own clock. */
    private static double due(Part part) {
        return part.schedule().lastAt() / part.manifest().path("speed").asDouble(1);
    }

    private static double lastNote(List<Part> parts) {
        return parts.stream()
                .flatMapToDouble(part -> part.contents().notes().stream()
                        .mapToDouble(note -> note.path("t").doubleValue() + part.offset() / 1e6))
                .max()
                .orElse(0);
    }

    private static @Nullable Integer leftOver(List<Part> parts) {
        int sum = 0;
        for (Part part : parts) {
            JsonNode left = part.contents().notes().stream()
                    .filter(note -> event(note).equals("end"))
                    .map(note -> note.path("leftOver"))
                    .findFirst()
                    .orElse(JSON.missingNode());
            if (!left.isNumber()) {
                return null;
            }
            sum += left.asInt();
        }
        return sum;
    }

    private static Row moved(Row row, int id, @Nullable Integer retryOf, long by) {
        Evidence evidence = row.evidence();
        return new Row(
                id,
                row.className(),
                row.direction(),
                row.scheduled() + by,
                later(row.started(), by),
                later(row.firstAudio(), by),
                later(row.finished(), by),
                row.outcome(),
                row.detail(),
                retryOf,
                evidence == null ? null : moved(evidence, by));
    }

    private static Evidence moved(Evidence evidence, long by) {
        return new Evidence(
                evidence.turns().stream()
                        .map(turn -> new Evidence.TurnSeen(
                                turn.number(),
                                later(turn.spoken(), by),
                                later(turn.answered(), by),
                                turn.manner(),
                                turn.repeats(),
                                turn.staleFrames()))
                        .toList(),
                evidence.gaps().stream()
                        .map(gap -> new Evidence.Gap(gap.from() + by, gap.nanos()))
                        .toList(),
                evidence.requests().stream()
                        .map(one ->
                                new Evidence.Request(one.name(), one.at() + by, one.nanos(), one.status(), one.error()))
                        .toList(),
                evidence.handOffs().stream()
                        .map(handOff -> new Evidence.HandOff(handOff.from() + by, handOff.nanos()))
                        .toList(),
                evidence.call());
    }

    private static @Nullable Long later(@Nullable Long nanos, long by) {
        return nanos == null ? null : Long.valueOf(nanos + by);
    }
}
