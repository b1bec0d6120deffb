package dev.spillway.load.ledger;

import dev.spillway.load.schedule.Direction;
import org.jspecify.annotations.Nullable;

/**
 * What happened to one scheduled arrival. Times are nanoseconds since the start of the run, all from one monotonic clock.
 *
 * @param id its place in the schedule
 * @param scheduled when it was due
 * @param started when the adapter was called; null if it never was
 * @param firstAudio when the first audio was received; null if none was, or the adapter has none
 * @param finished when its outcome was settled; null without a start
 * @param detail a few words on the outcome, without anything private
 * @param retryOf the arrival whose caller tries again; null for a new caller
 * @param evidence what the adapter saw of it; null if it saw nothing but the outcome
 */
public record Row(
        int id,
        String className,
        Direction direction,
        long scheduled,
        @Nullable Long started,
        @Nullable Long firstAudio,
        @Nullable Long finished,
        Outcome outcome,
        String detail,
        @Nullable Integer retryOf,
        @Nullable Evidence evidence) {

    public Row {
        if (outcome.started() != (started != null)) {
            throw new IllegalArgumentException(
                    "row " + id + " is " + outcome.text() + " and has " + (started == null ? "no start" : "a start"));
        }
    }
}
