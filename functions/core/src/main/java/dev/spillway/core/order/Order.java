package dev.spillway.core.order;

import dev.spillway.core.tenant.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;

/**
 * An operator's order to a tenant's pool. It ends by itself.
 *
 * @param who gave it
 * @param reason why, in the operator's words
 * @param until it is in force before then
 */
public record Order(OrderId id, What what, Principal who, String reason, Instant since, Instant until) {
    /** How long an order lasts that does not say. */
    public static final Duration USUAL = Duration.ofHours(1);

    /** Nobody remembers an order for longer than a day; whoever still wants it gives it again. */
    public static final Duration LONGEST = Duration.ofHours(24);

    public static final int LONGEST_REASON = 200;

    /** What an order is about; there is one in force of each at most. */
    public enum Subject {
        POOL,
        OUTBOUND;

        /** As in the HTTP API. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What is ordered. */
    public sealed interface What {
        /** As in the HTTP API and in the table. */
        String text();

        default Subject subject() {
            return Subject.POOL;
        }
    }

    /** No scaling decision either way; claims go on. */
    public record Pause() implements What {
        @Override
        public String text() {
            return "pause";
        }
    }

    /** That many containers are wanted, within the pool's maximum, and none is retired. */
    public record Pin(int containers) implements What {
        public Pin {
            if (containers < 0) {
                throw new IllegalArgumentException("want containers of at least 0, not " + containers);
            }
        }

        @Override
        public String text() {
            return "pin";
        }
    }

    /** Every container is drained, its calls finishing; none is started, and callers go to the gateway. */
    public record Drain() implements What {
        @Override
        public String text() {
            return "drain";
        }
    }

    /** New calls go to the gateway and none is handed over from it; containers stay. */
    public record ToGateway() implements What {
        @Override
        public String text() {
            return "to-gateway";
        }
    }

    /** Nobody is dialled: jobs wait. What is in flight goes on. */
    public record StopOutbound() implements What {
        @Override
        public String text() {
            return "stop-outbound";
        }

        @Override
        public Subject subject() {
            return Subject.OUTBOUND;
        }
    }

    public Order {
        Objects.requireNonNull(id);
        Objects.requireNonNull(what);
        Objects.requireNonNull(who);
        if (reason.isBlank() || reason.length() > LONGEST_REASON) {
            throw new IllegalArgumentException("want a reason of 1 to " + LONGEST_REASON + " characters");
        }
        Duration time = Duration.between(since, until);
        if (!time.isPositive() || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("an order lasts " + LONGEST + " at most, not " + time);
        }
    }

    public boolean isInForce(Instant now) {
        return until.isAfter(now);
    }

    /** For decisions that it brings about. */
    public String because() {
        return what.text() + " is ordered until " + until + ": " + reason;
    }
}
