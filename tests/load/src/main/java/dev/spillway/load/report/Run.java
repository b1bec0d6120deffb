package dev.spillway.load.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.ledger.RowJson;
import dev.spillway.load.replay.Authorisation;
import dev.spillway.load.schedule.InvalidScheduleException;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.ScheduleReader;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A run as it lies on disk: all that a report is made of.
 *
 * @param manifest the workload contract, as it was written before the run
 * @param rows in the order of the schedule; some may be missing
 * @param started when arrivals started, also of those without a row
 * @param targetAllowed whether every host is on loopback or named by the authorisation whose SHA-256 was recorded, and the
 *     run was within it
 * @param scheduleIntact whether schedule and criteria are still those whose SHA-256 was recorded at the start
 */
public record Run(
        JsonNode manifest,
        Schedule schedule,
        String scheduleSha256,
        Criteria criteria,
        boolean targetAllowed,
        boolean scheduleIntact,
        List<Row> rows,
        Map<Integer, Long> started,
        List<JsonNode> notes,
        int torn) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** One look at the system under test. */
    public record Look(double seconds, String when, Inventory inventory) {}

    public static Run read(Bundle bundle) throws IOException {
        JsonNode manifest = JSON.readTree(bundle.run().toFile());
        byte[] scheduleBytes = Files.readAllBytes(bundle.schedule());
        String sha = Bundle.sha256(scheduleBytes);
        boolean intact = sha.equals(manifest.path("scheduleSha256").asText());
        Criteria criteria = Criteria.NONE_GIVEN;
        if (Files.exists(bundle.criteria())) {
            byte[] bytes = Files.readAllBytes(bundle.criteria());
            criteria = Criteria.read(bytes);
            intact &=
                    Bundle.sha256(bytes).equals(manifest.path("criteriaSha256").asText());
        } else {
            intact &= manifest.path("criteriaSha256").isNull();
        }
        Bundle.Contents contents = bundle.read();
        try {
            Schedule schedule = ScheduleReader.read(bundle.schedule().toString(), scheduleBytes);
            return new Run(
                    manifest,
                    schedule,
                    sha,
                    criteria,
                    isAllowed(bundle, manifest, schedule),
                    intact,
                    List.copyOf(contents.rows().values()),
                    contents.started(),
                    contents.notes(),
                    contents.torn());
        } catch (InvalidScheduleException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Judged again, of what lies on disk: a word in the manifest would be the tool's own. */
    private static boolean isAllowed(Bundle bundle, JsonNode manifest, Schedule schedule) throws IOException {
        if (manifest.has("mergedFrom")) {
            return manifest.path("targetAllowed").asBoolean(); // each part was judged when they were merged
        }
        JsonNode recorded = manifest.path("authorisationSha256");
        Authorisation given = null;
        if (Files.exists(bundle.authorisation())) {
            byte[] bytes = Files.readAllBytes(bundle.authorisation());
            if (!Bundle.sha256(bytes).equals(recorded.asText())) {
                return false;
            }
            given = Authorisation.read(bytes);
        } else if (recorded.isTextual()) {
            return false;
        }
        if (!manifest.path("hosts").isArray()) {
            return false;
        }
        Set<String> hosts = new TreeSet<>();
        manifest.path("hosts").forEach(host -> hosts.add(host.asText()));
        try {
            return Authorisation.objections(
                            given,
                            hosts,
                            schedule,
                            manifest.path("speed").asDouble(1),
                            manifest.path("maxInFlight").asInt(Integer.MAX_VALUE),
                            Instant.parse(manifest.path("startedAt").asText()))
                    .isEmpty();
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    double speed() {
        return manifest.path("speed").asDouble(1);
    }

    /** From its start to the last thing that was seen of it, its recovery included. */
    double seconds(Figures figures) {
        double end = figures.end() / 1e9;
        for (JsonNode note : notes) {
            end = Math.max(end, note.path("t").doubleValue() / 1_000);
        }
        return end;
    }

    /** How far times of one host may be off against another's, in words; empty if it is of one host. */
    Optional<String> clocks() {
        JsonNode parts = manifest.path("mergedFrom");
        return parts.isArray()
                ? Optional.of("ledgers of " + parts.size() + " hosts; times of different hosts may be off by "
                        + manifest.path("clockUncertaintyMs").asText() + " ms")
                : Optional.empty();
    }

    /** Why it ended before its schedule; empty if it did not. */
    public Optional<String> stopped() {
        return note("stop").map(note -> note.path("why").asText());
    }

    /** Looks at the inventory that succeeded, in the order of time. */
    public List<Look> looks() {
        return notes.stream()
                .filter(note -> note.path("e").asText().equals("inventory"))
                .filter(note -> note.path("inventory").isObject())
                .map(note -> new Look(
                        note.path("t").doubleValue() / 1_000,
                        note.path("when").asText(),
                        Inventory.read(note.path("inventory"))))
                .sorted(Comparator.comparingDouble(Look::seconds))
                .toList();
    }

    List<JsonNode> notes(String event) {
        return notes.stream()
                .filter(note -> note.path("e").asText().equals(event))
                .toList();
    }

    /** The last note of that event. */
    Optional<JsonNode> note(String event) {
        List<JsonNode> all = notes(event);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
    }

    /** The calls that were made after the run, one for each tenant. */
    List<Row> probes() {
        return notes("probe").stream().map(RowJson::read).toList();
    }

    /** The worst of the calls that were made after the run. */
    Optional<Row> probe() {
        List<Row> all = probes();
        return all.stream()
                .filter(row -> row.outcome() != Outcome.COMPLETED)
                .findFirst()
                .or(() -> all.stream().findFirst());
    }

    /** How the system under test said that it was set up; empty if it did not. */
    public Optional<JsonNode> system(String when) {
        return notes("system").stream()
                .filter(note -> note.path("when").asText().equals(when) && note.has("system"))
                .map(note -> note.path("system"))
                .findFirst();
    }

    /** Every state that the schedule wanted before the first call, and whether it came about. */
    public List<JsonNode> startConditions() {
        return notes("start-condition");
    }
}
