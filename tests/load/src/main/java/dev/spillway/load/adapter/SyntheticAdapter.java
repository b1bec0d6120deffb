package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.schedule.SyntheticScript;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Answers in process, after a time and in a way that are scripted. It touches no network, and its figures say something
 * about the generator only.
 */
public final class SyntheticAdapter implements Adapter {
    private final Settings settings;
    private final @Nullable Semaphore slots;
    private final AtomicInteger busy = new AtomicInteger();

    /**
     * @param serviceSeconds how long an answer takes if its class does not say; null for the arrival's duration, or none
     * @param slots operations served at once; the next is rejected; 0 for any number
     */
    public record Settings(@Nullable Double serviceSeconds, int slots) {}

    public SyntheticAdapter(Settings settings) {
        this.settings = settings;
        this.slots = settings.slots() > 0 ? new Semaphore(settings.slots()) : null;
    }

    @Override
    public String name() {
        return "synthetic";
    }

    @Override
    public String endpoint() {
        return "the return of an in-process operation";
    }

    @Override
    public Set<String> hosts() {
        return Set.of();
    }

    @Override
    public boolean lastsAsLongAsItsCall() {
        return settings.serviceSeconds() == null; // else the time-out is the time-out
    }

    @Override
    public void describe(ObjectNode to) {
        to.put("serviceSeconds", settings.serviceSeconds()).put("slots", settings.slots());
    }

    @Override
    public Answer call(Operation operation) throws Exception {
        SyntheticScript script = operation.callClass().synthetic();
        if (script.result() == SyntheticScript.Result.REFUSE_CONNECTION) {
            throw new NotSentException("scripted");
        }
        if (slots != null && !slots.tryAcquire()) {
            return Answer.rejected("all " + settings.slots() + " slots are taken");
        }
        busy.incrementAndGet();
        try {
            TimeUnit.NANOSECONDS.sleep(serviceNanos(operation));
            return switch (script.result()) {
                case COMPLETE -> Answer.COMPLETED;
                case REJECT -> Answer.rejected("scripted");
                case FAIL -> throw new IllegalStateException("scripted failure");
                case BREAK -> throw new UnknownOutcomeException("scripted");
                case HANG -> {
                    TimeUnit.DAYS.sleep(1);
                    yield Answer.COMPLETED;
                }
                case REFUSE_CONNECTION -> throw new IllegalStateException("handled above");
            };
        } finally {
            busy.decrementAndGet();
            if (slots != null) {
                slots.release();
            }
        }
    }

    private long serviceNanos(Operation operation) {
        Double scripted = operation.callClass().synthetic().service();
        Double seconds = scripted != null ? scripted : settings.serviceSeconds();
        if (seconds != null) {
            return Math.round(seconds * 1e9);
        }
        Double duration = operation.arrival().duration();
        return duration == null ? 0 : Math.round(duration / operation.speed() * 1e9);
    }

    @Override
    public Optional<InventorySource> inventory() {
        if (slots == null) {
            return Optional.empty();
        }
        return Optional.of(() -> new Inventory(
                null, null, busy.get(), null, settings.slots(), null, null, null, null, null, null, null, null));
    }
}
