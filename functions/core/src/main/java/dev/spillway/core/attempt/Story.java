package dev.spillway.core.attempt;

import dev.spillway.core.call.JobId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt's record tells of how it went, beside where it stands: who tried, and the steps in the order in which
 * they were written.
 *
 * @param job which job it is, or which job the call was dialled for; null for an inbound call
 * @param caller names the caller, or for an outbound job whom it calls; null if that is unknown
 * @param dropped steps that came when the story was full
 */
public record Story(@Nullable JobId job, @Nullable CallerHash caller, List<Step> steps, int dropped) {
    /** A call of many moves must not outgrow its item: about 10 kB. */
    public static final int MOST_STEPS = 40;

    public static final Story INBOUND = inbound(null);

    public Story {
        steps = List.copyOf(steps);
        if (dropped < 0) {
            throw new IllegalArgumentException("cannot have dropped " + dropped + " steps");
        }
    }

    /** Of a call that somebody makes to the tenant; nothing has happened yet. */
    public static Story inbound(@Nullable CallerHash caller) {
        return new Story(null, caller, List.of(), 0);
    }

    /** Of a job, or of a call that was dialled for it; nothing has happened yet. */
    public static Story outbound(JobId job, @Nullable CallerHash callee) {
        return new Story(job, callee, List.of(), 0);
    }

    public Attempt.Kind kind() {
        return job == null ? Attempt.Kind.INBOUND : Attempt.Kind.OUTBOUND;
    }

    /** With these steps of one write, or with that many dropped ones more if the story is full. */
    public Story with(List<Step> more) {
        if (isFull()) {
            return new Story(job, caller, steps, dropped + more.size());
        }
        List<Step> all = new ArrayList<>(steps);
        all.addAll(more);
        return new Story(job, caller, all, dropped);
    }

    /**
     * With one step more of a job, which may be told the same for days. What is like the step before it only counts there;
     * and when the story is full, an old step counts where the next one like it stands. So no count is ever lost, and the
     * last steps are kept.
     */
    public Story repeating(Step step) {
        List<Step> all = new ArrayList<>(steps);
        Step last = all.isEmpty() ? null : all.getLast();
        if (last != null && step.isLike(last)) {
            all.removeLast();
            all.add(step.times(last.times() + step.times()));
        } else {
            all.add(step);
        }
        if (all.size() > MOST_STEPS) {
            fold(all);
        }
        return new Story(job, caller, all, dropped);
    }

    /** There are fewer kinds of steps, each with every cause, than steps in a full story: two are alike. */
    private static void fold(List<Step> steps) {
        for (int i = 0; i < steps.size(); i++) {
            for (int later = i + 1; later < steps.size(); later++) {
                if (steps.get(i).isLike(steps.get(later))) {
                    Step both = steps.get(later)
                            .times(steps.get(later).times() + steps.get(i).times());
                    steps.set(later, both);
                    steps.remove(i);
                    return;
                }
            }
        }
    }

    /** A job's story with what its call tells, in the order of time. The job's end is the end of both. */
    Story joined(List<Step> ofCall) {
        List<Step> all = new ArrayList<>(steps);
        ofCall.stream().filter(step -> step.kind() != Step.Kind.ENDED).forEach(all::add);
        all.sort(Comparator.comparing(Step::at)); // stable: of one instant, the job's come first
        return new Story(job, caller, all, dropped);
    }

    /** The same story of a person who is named now. */
    public Story of(@Nullable CallerHash other) {
        return new Story(job, other, steps, dropped);
    }

    /** The same story told of that job. */
    public Story of(JobId other) {
        return new Story(other, caller, steps, dropped);
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
        return steps.stream()
                .filter(step -> step.kind() == Step.Kind.DEFERRED)
                .mapToInt(Step::times)
                .sum();
    }

    /** Whether the door of its own pool turned it away. */
    public boolean isTurnedAway() {
        return steps.stream().anyMatch(Step::isTurnedAway);
    }
}
