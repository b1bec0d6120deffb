package dev.spillway.load.adapter;

import dev.spillway.load.ledger.Evidence;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import org.jspecify.annotations.Nullable;

/** One arrival that has started, and what is seen of it. Written by its own thread, read by others. */
public final class Operation {
    private final Arrival arrival;
    private final CallClass callClass;
    private final Direction direction;
    private final double speed;
    private final long originNanos;
    private volatile @Nullable Long firstAudio;
    private volatile @Nullable Evidence evidence;

    /** @param originNanos {@link System#nanoTime} of the start of the run */
    public Operation(Arrival arrival, CallClass callClass, Direction direction, double speed, long originNanos) {
        this.arrival = arrival;
        this.callClass = callClass;
        this.direction = direction;
        this.speed = speed;
        this.originNanos = originNanos;
    }

    public Arrival arrival() {
        return arrival;
    }

    public CallClass callClass() {
        return callClass;
    }

    public Direction direction() {
        return direction;
    }

    /** By what the schedule's times are divided. */
    public double speed() {
        return speed;
    }

    /** Nanoseconds since the start of the run, of a {@link System#nanoTime}. */
    public long sinceOrigin(long nanoTime) {
        return nanoTime - originNanos;
    }

    /** @param nanoTime when the first audio was received */
    public void firstAudioAt(long nanoTime) {
        firstAudio = sinceOrigin(nanoTime);
    }

    /** What was seen so far, in place of what was told before. */
    public void seen(Evidence value) {
        evidence = value;
    }

    public @Nullable Long firstAudio() {
        return firstAudio;
    }

    public @Nullable Evidence evidence() {
        return evidence;
    }
}
