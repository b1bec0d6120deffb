package dev.spillway.load.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The folder of one run: {@code run.json} (the workload contract and the configuration), {@code schedule.json} and, if they
 * were given, {@code criteria.json} and {@code authorisation.json} (copies, byte for byte), {@code journal.jsonl} (everything
 * as it happened), {@code ledger.jsonl} (one row for each arrival, in the schedule's order), and what reports are made of it.
 */
public record Bundle(Path folder) {
    private static final ObjectMapper JSON = new ObjectMapper();

    public Path run() {
        return folder.resolve("run.json");
    }

    public Path schedule() {
        return folder.resolve("schedule.json");
    }

    public Path criteria() {
        return folder.resolve("criteria.json");
    }

    public Path authorisation() {
        return folder.resolve("authorisation.json");
    }

    public Path journal() {
        return folder.resolve("journal.jsonl");
    }

    public Path ledger() {
        return folder.resolve("ledger.jsonl");
    }

    /**
     * What is on disk of a run.
     *
     * @param rows by identity; those that are missing are missing
     * @param started identities whose start was written
     * @param notes everything else in the journal, in order
     * @param torn lines that cannot be read: at most the last one of a process that was killed
     */
    public record Contents(Map<Integer, Row> rows, Map<Integer, Long> started, List<JsonNode> notes, int torn) {}

    /** Reads the journal, which is there even if the run was killed. */
    public Contents read() throws IOException {
        Map<Integer, Row> rows = new TreeMap<>();
        Map<Integer, Long> started = new TreeMap<>();
        List<JsonNode> notes = new ArrayList<>();
        int torn = 0;
        try (var lines = Files.newBufferedReader(journal(), StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    JsonNode node = JSON.readTree(line);
                    switch (node.path("e").asText()) {
                        case "row" -> {
                            Row row = RowJson.read(node);
                            rows.putIfAbsent(row.id(), row);
                        }
                        case "start" ->
                            started.put(
                                    node.path("id").asInt(),
                                    Math.round(node.path("t").doubleValue() * 1e6));
                        default -> notes.add(node);
                    }
                } catch (JsonProcessingException | IllegalArgumentException e) {
                    torn++;
                }
            }
        }
        return new Contents(rows, started, notes, torn);
    }

    /** Writes the rows in the schedule's order; what was there, which is what the journal gave before, is replaced. */
    public void writeLedger(Iterable<Row> rows) throws IOException {
        Path next = folder.resolve("ledger.jsonl.new");
        try (BufferedWriter writer = Files.newBufferedWriter(next, StandardCharsets.UTF_8)) {
            StringBuilder text = new StringBuilder();
            for (Row row : rows) {
                text.setLength(0);
                text.append('{');
                RowJson.write(row, text);
                writer.append(text.append("}\n"));
            }
        }
        Files.move(
                next,
                ledger(),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING,
                java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    /** In hexadecimal. */
    public static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
