package dev.spillway.adapters.dynamodb;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.attempt.Story;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The part of a write by which it tells of itself: it appends its steps IF there is room in the story. A full story
 * refuses that write, and then the write is made once more and only counts the steps. So telling costs no write until a
 * story is full, and no story outgrows its item.
 */
final class Telling {
    private final List<Step> steps;
    private final boolean kept;

    private Telling(List<Step> steps, boolean kept) {
        this.steps = steps;
        this.kept = kept;
    }

    /** Makes a conditional write that tells these steps. */
    static Written update(Table table, Key key, List<Step> steps, Table.Own own, Function<Telling, Change> change) {
        Written written = table.update(key, change.apply(new Telling(steps, true)), own);
        boolean full = written instanceof Written.Refused(Optional<Item> found)
                && found.map(item -> item.maps("steps").size())
                        .filter(size -> size >= Story.MOST_STEPS)
                        .isPresent();
        return full && !steps.isEmpty() ? table.update(key, change.apply(new Telling(steps, false)), own) : written;
    }

    /**
     * @param set what the write sets, as in {@code SET}
     * @param remove what it removes; empty for nothing
     * @param condition its own condition
     */
    Change change(String set, String remove, String condition) {
        String removal = remove.isEmpty() ? "" : " REMOVE " + remove;
        if (steps.isEmpty()) {
            return Change.of("SET " + set + removal, condition);
        }
        if (!kept) {
            return Change.of("SET " + set + removal + " ADD #droppedSteps :droppedSteps", condition)
                    .value(":droppedSteps", steps.size());
        }
        StringBuilder sets = new StringBuilder(set);
        sets.append(", #steps = list_append(if_not_exists(#steps, :noSteps), :steps)");
        Optional<Cause> cause = Story.INBOUND.with(steps).lastWithCause().map(Step::cause);
        cause.ifPresent(found -> sets.append(", #cause = :cause"));
        boolean turnedAway = steps.stream().anyMatch(Step::isTurnedAway);
        if (turnedAway) {
            sets.append(", #turnedAway = :turnedAway");
        }
        long deferrals =
                steps.stream().filter(step -> step.kind() == Step.Kind.DEFERRED).count();
        Change change = Change.of(
                        "SET " + sets + removal + (deferrals > 0 ? " ADD #deferrals :deferrals" : ""),
                        "(" + condition + ") AND (attribute_not_exists(#steps) OR size(#steps) < :mostSteps)")
                .value(":noSteps", StoryCodec.encode(List.of()))
                .value(":steps", StoryCodec.encode(steps))
                .value(":mostSteps", Story.MOST_STEPS);
        cause.ifPresent(found -> change.value(":cause", found.text()));
        if (turnedAway) {
            change.value(":turnedAway", true);
        }
        if (deferrals > 0) {
            change.value(":deferrals", deferrals);
        }
        return change;
    }
}
