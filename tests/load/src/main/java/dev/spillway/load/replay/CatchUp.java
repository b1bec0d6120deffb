package dev.spillway.load.replay;

import org.jspecify.annotations.Nullable;

/**
 * Keeps a generator that is late from offering more within a second than is authorised: what it holds back starts later, and
 * its lateness is in its row. Confined to one thread.
 */
final class CatchUp {
    private static final double SECOND = 1e9;
    private final long[] last;
    private final long spanNanos;
    private int launched;

    /** @param maxPerSecond null for no bound */
    CatchUp(@Nullable Double maxPerSecond) {
        if (maxPerSecond == null) {
            last = new long[0];
            spanNanos = 0;
        } else {
            last = new long[(int) Math.clamp(Math.floor(maxPerSecond), 1, 1_000_000)];
            spanNanos = Math.round(Math.max(SECOND, last.length / maxPerSecond * SECOND));
        }
    }

    /** When the next may be launched; a time that has passed if that is now. */
    long earliest(long now) {
        return launched < last.length || last.length == 0 ? now : last[launched % last.length] + spanNanos;
    }

    void launched(long now) {
        if (last.length > 0) {
            last[launched % last.length] = now;
            launched++;
        }
    }
}
