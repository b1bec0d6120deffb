package dev.spillway.system;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.core.journal.Journal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Keeps what the functions decide: a line of JSON each in a file, and told to whoever listens. */
final class FunctionJournal implements Journal, AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<Consumer<Entry>> listeners = new CopyOnWriteArrayList<>();
    private final PrintWriter lines;

    FunctionJournal(Path file) {
        try {
            lines = new PrintWriter(Files.newBufferedWriter(file), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void listen(Consumer<Entry> listener) {
        listeners.add(listener);
    }

    @Override
    public void write(Entry entry) {
        ObjectNode line = JSON.createObjectNode();
        line.put("at", Instant.now().toString());
        line.put("event", entry.event());
        entry.fields().forEach(line::put);
        entry.metrics().forEach((metric, value) -> line.put(metric.name(), value));
        lines.println(line);
        listeners.forEach(listener -> listener.accept(entry));
    }

    @Override
    public void close() {
        lines.close();
    }
}
