package dev.spillway.load.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.adapter.InventorySource;
import dev.spillway.load.ledger.Journal;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Looks at the generator and at the system under test while a run goes on, and writes down what it sees. */
public final class Watch implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long GENERATOR_EVERY_MILLIS = 500;
    private static final long INVENTORY_EVERY_MILLIS = 1_000;
    /** A state that has been seen that often in a row, a second apart, is no coincidence. */
    private static final int STEADY_LOOKS = 3;

    private final Replay replay;
    private final Journal journal;
    private final StopRules rules;
    private final @Nullable InventorySource source;
    private final GeneratorWatch generator = new GeneratorWatch();
    private final LongSupplier clock;
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(
            2, Thread.ofPlatform().name("watch-", 0).daemon().factory());

    public Watch(Replay replay, Journal journal, StopRules rules, Optional<InventorySource> source) {
        this.replay = replay;
        this.journal = journal;
        this.rules = rules;
        this.source = source.orElse(null);
        this.clock =
                () -> replay.begun() ? System.nanoTime() - replay.originNanos() : 0; // before the start is at its start
    }

    /** Looks at regular times until closed. */
    public void start() {
        timer.scheduleAtFixedRate(this::generator, 0, GENERATOR_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        if (source != null) {
            timer.scheduleWithFixedDelay(
                    () -> look("periodic"), INVENTORY_EVERY_MILLIS, INVENTORY_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void generator() {
        journal.note(generator.sample(clock.getAsLong(), replay.inFlight()));
        Long most = rules.maxMemoryMb();
        Long resident = GeneratorWatch.residentMb();
        if (most != null && resident != null && resident > most) {
            replay.stop("the generator uses " + resident + " MB, more than " + most);
        }
        IOException broken = journal.failure();
        if (broken != null) {
            replay.stop("the ledger cannot be written: " + broken.getMessage());
        }
    }

    /** Looks at the system under test now; empty if it cannot be seen, which is written down too. */
    public Optional<Inventory> look(String when) {
        InventorySource from = source;
        if (from == null) {
            return Optional.empty();
        }
        ObjectNode note = JSON.createObjectNode();
        note.put("e", "inventory").put("when", when);
        try {
            Inventory inventory = from.read();
            note.put("t", Math.max(0, clock.getAsLong() / 1_000_000));
            inventory.write(note.putObject("inventory"));
            journal.note(note.toString());
            return Optional.of(inventory);
        } catch (IOException e) {
            note.put("t", Math.max(0, clock.getAsLong() / 1_000_000));
            note.put("unavailable", String.valueOf(e.getMessage()));
            journal.note(note.toString());
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** Writes down how the system under test is set up, as far as it says. */
    public void system(String when) throws InterruptedException {
        InventorySource from = source;
        if (from == null) {
            return;
        }
        try {
            from.configuration()
                    .ifPresent(system -> journal.note(JSON.createObjectNode()
                            .put("e", "system")
                            .put("t", clock.getAsLong() / 1_000_000)
                            .put("when", when)
                            .<ObjectNode>set("system", system)
                            .toString()));
        } catch (IOException e) {
            journal.note(JSON.createObjectNode()
                    .put("e", "system")
                    .put("t", clock.getAsLong() / 1_000_000)
                    .put("when", when)
                    .put("unavailable", String.valueOf(e.getMessage()))
                    .toString());
        }
    }

    /**
     * Waits until nothing is left of the calls, and that holds; writes down how long it took, or what was left.
     *
     * @param most how long it may take
     * @param lastDueNanos when the last arrival was due, from the start
     * @param baseline whether nothing is left
     * @return whether it came to that; true if the system under test cannot be seen
     */
    public boolean awaitBaseline(Duration most, long lastDueNanos, Predicate<Inventory> baseline)
            throws InterruptedException {
        if (source == null) {
            return true;
        }
        long end = System.nanoTime() + most.toNanos();
        int steady = 0;
        long since = clock.getAsLong();
        Optional<Inventory> last = Optional.empty();
        do {
            long now = clock.getAsLong();
            last = look("recovery");
            boolean reached = last.map(baseline::test).orElse(false);
            since = steady == 0 ? now : since;
            steady = reached ? steady + 1 : 0;
            if (steady >= STEADY_LOOKS) {
                recovery(true, (since - lastDueNanos) / 1e9, "");
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(INVENTORY_EVERY_MILLIS);
        } while (System.nanoTime() - end < 0);
        recovery(
                false,
                (clock.getAsLong() - lastDueNanos) / 1e9,
                last.map(Inventory::leftOver).orElse("the inventory cannot be read"));
        return false;
    }

    /** Waits until no call is left, if the system under test can be seen. What is left at last is for the next look to tell. */
    public void awaitIdle(Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        while (source != null
                && !look("after the probe").map(Inventory::isIdle).orElse(false)
                && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(INVENTORY_EVERY_MILLIS);
        }
    }

    private void recovery(boolean reached, double seconds, String left) {
        journal.note(JSON.createObjectNode()
                .put("e", "recovery")
                .put("t", clock.getAsLong() / 1_000_000)
                .put("reached", reached)
                .put("seconds", Math.round(Math.max(0, seconds) * 1_000) / 1e3)
                .put("left", left)
                .toString());
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
