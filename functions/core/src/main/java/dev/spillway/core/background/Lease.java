package dev.spillway.core.background;

import java.time.Instant;
import java.util.Objects;

/**
 * The right to do a pool's background work, or to dial for it: two leases beside each other. Its generation rises with every
 * holder and fences every write made under it, so that a holder which slept past {@code until} can no longer write once
 * another took over.
 *
 * @param holder what was never used before, for background work after the name of the work and a space: it is how a taker
 *     that lost the reply knows its own lease
 */
public record Lease(String holder, long generation, Instant until) {
    public static final Lease NONE = new Lease("", 0, Instant.EPOCH);

    public Lease {
        Objects.requireNonNull(holder);
        Objects.requireNonNull(until);
    }

    public boolean isFree(Instant now) {
        return !until.isAfter(now);
    }

    /** The name of the work: what its holder's name begins with. */
    public String work() {
        int end = holder.indexOf(' ');
        return end < 0 ? holder : holder.substring(0, end);
    }

    /** The same lease with another end. */
    public Lease until(Instant end) {
        return new Lease(holder, generation, end);
    }
}
