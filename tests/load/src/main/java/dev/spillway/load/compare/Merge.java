package dev.spillway.load.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Evidence;
import dev.spillway.load.ledger.Journal;
import dev.spillway.load.ledger.Row;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ledgers of several hosts as one. Each host's times stay on its own monotonic clock; the clocks are laid over each other
 * by the wall-clock times at which the runs started, so that times of different hosts may be off against each other by the
 * uncertainty that is stated. Durations are never taken across hosts.
 */
public final class Merge {
    private static final ObjectMapper JSON = new ObjectMapper();

    private record Part(Bundle bundle, JsonNode manifest, Schedule schedule, Bundle.Contents contents, long offset) {}

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
        Instant first = Instant.MAX;
        for (Bundle bundle : bundles) {
            JsonNode manifest = JSON.readTree(bundle.run().toFile());
            manifests.add(manifest);
            Instant started = Instant.parse(manifest.path("startedAt").asText());
            first = started.isBefore(first) ? started : first;
            JsonNode endpoint = manifests.getFirst().path("adapter").path("endpoint");
            if (!manifest.path("adapter").path("endpoint").equals(endpoint)) {
                throw new IOException(bundle.folder() + " measures at another endpoint than "
                        + bundles.getFirst().folder());
            }
        }
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < bundles.size(); i++) {
            Instant started = Instant.parse(manifests.get(i).path("startedAt").asText());
            parts.add(new Part(
                    bundles.get(i),
                    manifests.get(i),
                    ScheduleReader.read(bundles.get(i).schedule()),
                    bundles.get(i).read(),
                    Duration.between(first, started).toNanos()));
        }
        return parts;
    }

    private static String schedule(List<Part> parts, List<Placed> placed) {
        Schedule first = parts.getFirst().schedule();
        var classes = new java.util.LinkedHashMap<>(first.classes());
        parts.forEach(part -> part.schedule().classes().forEach(classes::putIfAbsent));
        List<Arrival> arrivals = new ArrayList<>();
        for (Placed one : placed) {
            arrivals.add(new Arrival(
                    arrivals.size(),
                    one.at(),
                    one.arrival().duration(),
                    one.arrival().className(),
                    one.arrival().direction(),
                    null));
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

    private static String manifest(List<Part> parts, byte[] schedule, int scheduled, long uncertaintyMillis) {
        ObjectNode node = parts.getFirst().manifest().deepCopy();
        node.put("scheduleSha256", Bundle.sha256(schedule))
                .put("scheduled", scheduled)
                .put("speed", 1);
        node.put("clockUncertaintyMs", uncertaintyMillis);
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
        for (int id = 0; id < placed.size(); id++) {
            Placed one = placed.get(id);
            Row row = one.part().contents().rows().get(one.arrival().id());
            if (row != null) {
                journal.settled(moved(row, id, one.part().offset()));
            }
        }
        for (Part part : parts) {
            for (JsonNode note : part.contents().notes()) {
                boolean whole = note.path("e").asText().equals("end")
                        || note.path("e").asText().equals("probe");
                if (note instanceof ObjectNode object && !whole) {
                    ObjectNode copy = object.deepCopy();
                    copy.put("t", note.path("t").doubleValue() + part.offset() / 1e6);
                    journal.note(copy.toString());
                }
            }
        }
        boolean ended = parts.stream()
                .allMatch(part -> part.contents().notes().stream()
                        .anyMatch(note -> note.path("e").asText().equals("end")));
        if (ended) {
            journal.note("{\"e\":\"end\",\"t\":0,\"leftOver\":null}");
        }
    }

    private static Row moved(Row row, int id, long by) {
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
                null,
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
                evidence.call());
    }

    private static @Nullable Long later(@Nullable Long nanos, long by) {
        return nanos == null ? null : Long.valueOf(nanos + by);
    }
}
