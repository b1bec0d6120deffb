package dev.spillway.core.journal;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where decisions are written: one structured log line each, and the metrics that go with it. Never a phone number. */
@FunctionalInterface
public interface Journal {
    void write(Entry entry);

    /** What is counted and measured. */
    enum Metric {
        OVERFLOWS,
        HOLDS,
        HOLD_SECONDS,
        HAND_OFFS,
        REFUSALS,
        /** Outbound jobs that found no slot: nobody was dialled. */
        DEFERRALS,
        SCALE_DECISIONS,
        ZOMBIES_FOUND,
        APOLOGIES,
        /** Requests refused before a record of the call existed: a full container's 503, an unsigned webhook. */
        TURNED_AWAY,
        /** Slots that are free on the gateway: a level, measured once a minute. */
        SPARE_SLOTS,
        /** What somebody has to look at. */
        ALERTS,
        /** A pool's slots each minute, as {@link dev.spillway.core.pool.Gauges} names them. */
        LIVE_SLOTS,
        RESERVED_SLOTS,
        COOLDOWN_SLOTS,
        READY_SLOTS,
        USABLE_SLOTS,
        SLOT_CEILING,
        /** For each dial: how long its job could have been dialled before. */
        OUTBOUND_WAIT_SECONDS,
        /** For each claim of a slot that a call gave back: how long it was free, as {@link dev.spillway.core.pool.SlotReuse} has it. */
        SLOT_REUSE_SECONDS
    }

    /** One decision: what happened, to what, why. */
    record Entry(String event, Map<String, String> fields, Map<Metric, Double> metrics) {
        public Entry {
            fields = Map.copyOf(fields);
            metrics = Map.copyOf(metrics);
        }

        public static Entry of(String event) {
            return new Entry(event, Map.of(), Map.of());
        }

        /**
         * Something that somebody has to look at.
         *
         * @param name which alert
         * @param attempts how many attempts it touched, 0 included
         */
        public static Entry alert(String name, String reason, long attempts) {
            return of("alert")
                    .with("alert", name)
                    .with("reason", reason)
                    .with("attempts", attempts)
                    .count(Metric.ALERTS);
        }

        public Entry with(String name, Object value) {
            Map<String, String> more = new LinkedHashMap<>(fields);
            more.put(name, value.toString());
            return new Entry(event, more, metrics);
        }

        /** As {@link #with}, or nothing where there is nothing to say. */
        public Entry withKnown(String name, @Nullable Object value) {
            return value == null ? this : with(name, value);
        }

        public Entry count(Metric metric) {
            return measure(metric, 1);
        }

        public Entry measure(Metric metric, double value) {
            Map<Metric, Double> more = new LinkedHashMap<>(metrics);
            more.put(metric, value);
            return new Entry(event, fields, more);
        }
    }
}
