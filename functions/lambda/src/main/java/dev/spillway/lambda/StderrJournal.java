package dev.spillway.lambda;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.journal.Journal;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** One JSON line for each decision, metrics among its fields; for functions that run inside another process. */
public final class StderrJournal implements Journal {
    private final PrintStream out;
    private final ObjectMapper json = new ObjectMapper();

    public StderrJournal(PrintStream out) {
        this.out = out;
    }

    @Override
    public void write(Entry entry) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", entry.event());
        new TreeMap<>(entry.fields()).forEach((name, value) -> line.put(name, PhoneNumbers.masked(value)));
        entry.metrics().forEach((metric, value) -> line.put(metric.name().toLowerCase(Locale.ROOT), value));
        try {
            out.println(json.writeValueAsString(line));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("strings and numbers can always be written", e);
        }
    }
}
