package dev.spillway.core.attempt;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt's record tells of how it went, beside where it stands: who tried, and the steps in the order in which
 * they were written.
 *
 * @param caller names the caller, or for an outbound job whom it calls; null if that is unknown
 * @param dropped steps that came when the story was full
 */
public record Story(Attempt.Kind kind, @Nullable CallerHash caller, List<Step> steps, int dropped) {
    /** A call of many moves must not outgrow its item: about 10 kB. */
    public static final int MOST_STEPS = 40;

    public static final Story INBOUND = of(Attempt.Kind.INBOUND, null);

    public Story {
        Objects.requireNonNull(kind);
        steps = List.copyOf(steps);
        if (dropped < 0) {
            throw new IllegalArgumentException("cannot have dropped " + dropped + " steps");
        }
    }

    /** Nothing has happened yet. */
    public static Story of(Attempt.Kind kind, @Nullable CallerHash caller) {
        return new Story(kind, caller, List.of(), 0);
    }

    /** With these steps of one write, or with that many dropped ones more if the story is full. */
    public Story with(List<Step> more) {
        if (isFull()) {
            return new Story(kind, caller, steps, dropped + more.size());
        }
        List<Step> all = new ArrayList<>(steps);
        all.addAll(more);
        return new Story(kind, caller, all, dropped);
    }

    /** Whether further steps are only counted. */
    public boolean isFull() {
        return steps.size() >= MOST_STEPS;
    }

    /** The last step that found no slot: its cause and slots are the attempt's. */
    public Optional<Step> lastWithCause() {
        return steps.reversed().stream().filter(step -> step.cause() != null).findFirst();
    }

    /** How often it was deferred, as far as the steps that were kept tell. */
    public int deferrals() {
        return (int)
                steps.stream().filter(step -> step.kind() == Step.Kind.DEFERRED).count();
    }

    /** Whether the door of its own pool turned it away. */
    public boolean isTurnedAway() {
        return steps.stream().anyMatch(Step::isTurnedAway);
    }
}
