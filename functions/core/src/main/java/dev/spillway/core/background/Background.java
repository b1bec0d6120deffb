package dev.spillway.core.background;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * What a pool's item says of its background work.
 *
 * @param lease who does it
 * @param aliveUntil the controller's heartbeat: the end of the time bought by the last complete visit; the epoch if there
 *     was none yet
 * @param since when the pool was described or its lease was first taken: from then on visits are due; {@link Instant#MAX}
 *     if neither is known
 */
public record Background(Lease lease, Instant aliveUntil, Instant since) {
    public static final Background NONE = new Background(Lease.NONE, Instant.EPOCH);

    public Background {
        Objects.requireNonNull(lease);
        Objects.requireNonNull(aliveUntil);
        Objects.requireNonNull(since);
    }

    /** Of which is not known since when it is due. */
    public Background(Lease lease, Instant aliveUntil) {
        this(lease, aliveUntil, Instant.MAX);
    }

    /** Due from now on. */
    public static Background from(Instant now) {
        return new Background(Lease.NONE, Instant.EPOCH, now);
    }

    /**
     * Until when the controller counts as heard: one that never completed a visit is given as long as one that did.
     *
     * @param expiry how long a complete visit counts
     */
    public Instant heardUntil(Duration expiry) {
        if (aliveUntil.isAfter(Instant.EPOCH)) {
            return aliveUntil;
        }
        return since.equals(Instant.MAX) ? Instant.MAX : since.plus(expiry);
    }

    /**
     * The last complete visit, or since when there should have been one, if the controller is silent.
     *
     * @param expiry how long a complete visit counts
     */
    public Optional<Instant> silentSince(Duration expiry, Instant now) {
        Instant heard = heardUntil(expiry);
        return heard.isAfter(now) ? Optional.empty() : Optional.of(heard.minus(expiry));
    }

    /** The same under another lease. */
    public Background under(Lease next) {
        return new Background(next, aliveUntil, since);
    }
}
