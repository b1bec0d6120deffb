package dev.spillway.load.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What happens, on disk as it happens. Whoever notes something only queues it; one thread writes all that is there every
 * 20 ms, so that a killed process has lost less than 100 ms, and asks the disk to keep it every 80 ms, so that a machine
 * without power has lost little more. Nothing that was written is ever changed.
 */
public final class Journal implements AutoCloseable {
    private static final long WRITE_EVERY_NANOS = 20_000_000;
    private static final long FORCE_EVERY_NANOS = 80_000_000;

    private sealed interface Entry {}

    private record Started(int id, long nanos) implements Entry {}

    private record Settled(String event, Row row) implements Entry {}

    private record Line(String json) implements Entry {}

    private final ConcurrentLinkedQueue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final FileChannel file;
    private final Thread writer;
    private final StringBuilder text = new StringBuilder();
    private volatile boolean closing;
    private volatile @Nullable IOException failure;

    /** @throws IOException if the file is there already: a ledger is never written twice */
    public Journal(Path path) throws IOException {
        this.file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        this.writer = Thread.ofPlatform().name("journal").daemon().start(this::write);
    }

    /** An arrival's adapter is about to be called. */
    public void started(int id, long nanos) {
        entries.add(new Started(id, nanos));
    }

    /** An arrival's row is settled, for good. */
    public void settled(Row row) {
        entries.add(new Settled("row", row));
    }

    /** The call that was made after the run, to see whether the service has recovered. */
    public void probed(Row row) {
        entries.add(new Settled("probe", row));
    }

    /** Anything else: a JSON object with the keys {@code e}, what it is, and {@code t}, milliseconds since the start. */
    public void note(String json) {
        entries.add(new Line(json));
    }

    /** Why it cannot be written any more; null while it can. */
    public @Nullable IOException failure() {
        return failure;
    }

    private void write() {
        long forced = System.nanoTime();
        boolean unforced = false;
        while (true) {
            boolean last = closing;
            try {
                boolean wrote = drain();
                unforced |= wrote;
                long now = System.nanoTime();
                if (unforced && (last || now - forced > FORCE_EVERY_NANOS)) {
                    file.force(false);
                    forced = now;
                    unforced = false;
                }
            } catch (IOException e) {
                failure = e;
                return;
            }
            if (last && entries.isEmpty()) {
                return;
            }
            LockSupport.parkNanos(WRITE_EVERY_NANOS);
        }
    }

    private boolean drain() throws IOException {
        text.setLength(0);
        for (Entry entry = entries.poll(); entry != null; entry = entries.poll()) {
            switch (entry) {
                case Started(int id, long nanos) -> {
                    text.append("{\"e\":\"start\",\"id\":").append(id).append(",\"t\":");
                    RowJson.millis(nanos, text);
                    text.append('}');
                }
                case Settled(String event, Row row) -> {
                    text.append("{\"e\":\"").append(event).append("\",");
                    RowJson.write(row, text);
                    text.append('}');
                }
                case Line(String json) -> text.append(json);
            }
            text.append('\n');
        }
        if (text.isEmpty()) {
            return false;
        }
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(java.nio.CharBuffer.wrap(text));
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
        return true;
    }

    /** Writes what is left. */
    @Override
    public void close() throws IOException {
        closing = true;
        LockSupport.unpark(writer);
        try {
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        file.close();
        IOException failed = failure;
        if (failed != null) {
            throw failed;
        }
    }
}
