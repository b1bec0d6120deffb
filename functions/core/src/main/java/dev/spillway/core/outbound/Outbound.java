package dev.spillway.core.outbound;

import dev.spillway.core.background.Lease;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A pool's calls out, as its item shows them.
 *
 * @param lease who dials
 * @param calls every call out that has a slot or may have one: from before its claim until its final status, whatever
 *     container it talks on meanwhile
 */
public record Outbound(OutboundPolicy policy, Lease lease, Map<JobId, Generation> calls, Pace pace) {
    public static final Outbound NONE = new Outbound(OutboundPolicy.NONE, Lease.NONE, Map.of(), Pace.FRESH);

    public Outbound {
        Objects.requireNonNull(policy);
        Objects.requireNonNull(lease);
        // In the order of their ids: two looks at one item are alike in every process.
        calls = Collections.unmodifiableMap(new TreeMap<>(calls));
        Objects.requireNonNull(pace);
    }

    public static Outbound of(OutboundPolicy policy) {
        return new Outbound(policy, Lease.NONE, Map.of(), Pace.FRESH);
    }

    /**
     * @param day the day in UTC that {@code dialsOfDay} counts
     * @param turns how far each batch has come; see {@link Fairness}
     */
    public record Pace(Instant lastDialAt, LocalDate day, int dialsOfDay, Map<String, Long> turns) {
        public static final Pace FRESH = new Pace(Instant.EPOCH, LocalDate.EPOCH, 0, Map.of());

        public Pace {
            Objects.requireNonNull(lastDialAt);
            Objects.requireNonNull(day);
            turns = Map.copyOf(turns);
        }

        public int dialsOn(Instant now) {
            return day.equals(dayOf(now)) ? dialsOfDay : 0;
        }

        /** After one more dial. */
        public Pace dialled(Instant now, Map<String, Long> nextTurns) {
            return new Pace(now, dayOf(now), dialsOn(now) + 1, nextTurns);
        }

        /** After a dial, counted at that time, that did not take place. The moment of the try and the turns stay. */
        public Pace notDialled(Instant countedAt) {
            return dialsOn(countedAt) == 0 ? this : new Pace(lastDialAt, day, dialsOfDay - 1, turns);
        }

        /** When the next dial is due. */
        public Instant nextDialAt(double dialsPerSecond) {
            return lastDialAt.plus(Duration.ofNanos(Math.round(1_000_000_000 / dialsPerSecond)));
        }

        private static LocalDate dayOf(Instant now) {
            return LocalDate.ofInstant(now, ZoneOffset.UTC);
        }
    }
}
