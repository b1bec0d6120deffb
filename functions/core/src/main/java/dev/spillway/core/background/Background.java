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
 */
public record Background(Lease lease, Instant aliveUntil) {
    public static final Background NONE = new Background(Lease.NONE, Instant.EPOCH);

    public Background {
        Objects.requireNonNull(lease);
        Objects.requireNonNull(aliveUntil);
    }

    /** Whether the controller was heard once, and is not heard any more. */
    public boolean isSilent(Instant now) {
        return aliveUntil.isAfter(Instant.EPOCH) && !aliveUntil.isAfter(now);
    }

    /**
     * The last complete visit, if the controller is silent.
     *
     * @param expiry how long a complete visit counts
     */
    public Optional<Instant> silentSince(Duration expiry, Instant now) {
        return isSilent(now) ? Optional.of(aliveUntil.minus(expiry)) : Optional.empty();
    }
}
