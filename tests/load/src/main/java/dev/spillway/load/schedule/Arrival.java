package dev.spillway.load.schedule;

import org.jspecify.annotations.Nullable;

/**
 * One call that is to arrive.
 *
 * @param id its place in the schedule, from 0: the identity of its row
 * @param at seconds from the start of the run
 * @param duration seconds until the caller hangs up; null if the turns decide
 * @param className one of the schedule's classes
 * @param direction null for the class's
 * @param retryOf the arrival that this one tries again: the same caller, not a new one
 */
public record Arrival(
        int id,
        double at,
        @Nullable Double duration,
        String className,
        @Nullable Direction direction,
        @Nullable Integer retryOf) {

    public static Arrival at(int id, double at, @Nullable Double duration, String className) {
        return new Arrival(id, at, duration, className, null, null);
    }

    /** Nanoseconds from the start of the run at which it is due when the schedule runs that many times as fast. */
    public long dueNanos(double speed) {
        return Math.round(at / speed * 1e9);
    }
}
