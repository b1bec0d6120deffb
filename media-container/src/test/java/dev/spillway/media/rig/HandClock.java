package dev.spillway.media.rig;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is moved, and never goes back. */
public final class HandClock implements InstantSource {
    private volatile Instant now;

    public HandClock(Instant now) {
        this.now = now;
    }

    @Override
    public Instant instant() {
        return now;
    }

    public synchronized void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("a clock does not go back by " + by);
        }
        now = now.plus(by);
    }
}
