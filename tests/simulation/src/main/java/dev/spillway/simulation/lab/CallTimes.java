package dev.spillway.simulation.lab;

import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.Schedule;
import java.util.List;

/**
 * The arrivals of a schedule as the laboratory needs them.
 *
 * @param arrivals in order of time
 * @param quietAfterMillis how long after the last call's end the pool has to come to its minimum
 */
record CallTimes(String name, String question, List<CallTime> arrivals, long quietAfterMillis) {

    /** One call: when it comes and when its caller hangs up, in milliseconds since the start. */
    record CallTime(long atMillis, long endMillis) {}

    CallTimes {
        arrivals = List.copyOf(arrivals);
        if (arrivals.isEmpty()) {
            throw new IllegalArgumentException("schedule " + name + " has no arrivals");
        }
    }

    /** @throws IllegalArgumentException if a call has no duration: turns that decide it need an agent */
    static CallTimes of(Schedule schedule) {
        return new CallTimes(
                schedule.name(),
                schedule.question(),
                schedule.arrivals().stream().map(CallTimes::time).toList(),
                Math.round(schedule.quietAfter() * 1000));
    }

    private static CallTime time(Arrival arrival) {
        Double seconds = arrival.duration();
        if (seconds == null) {
            throw new IllegalArgumentException("arrivals[" + arrival.id() + "] of class '" + arrival.className()
                    + "' has no duration; the laboratory has no agent whose turns could tell it");
        }
        long at = Math.round(arrival.at() * 1000);
        return new CallTime(at, at + Math.max(1, Math.round(seconds * 1000)));
    }

    long lastEndMillis() {
        return arrivals.stream().mapToLong(CallTime::endMillis).max().orElse(0);
    }

    /** The least that anybody could pay who knew everything: the sum over time of {@code ceil(live / limit)}, in hours. */
    double lowerBoundHours(int limit) {
        long[] starts = arrivals.stream().mapToLong(CallTime::atMillis).sorted().toArray();
        long[] ends = arrivals.stream().mapToLong(CallTime::endMillis).sorted().toArray();
        long containerMillis = 0;
        long since = 0;
        int live = 0;
        int begun = 0;
        for (int ended = 0; ended < ends.length; ) {
            boolean begins = begun < starts.length && starts[begun] < ends[ended];
            long now = begins ? starts[begun++] : ends[ended++];
            containerMillis += (now - since) * Math.ceilDiv(live, limit);
            since = now;
            live += begins ? 1 : -1;
        }
        return containerMillis / 3_600_000.0;
    }
}
