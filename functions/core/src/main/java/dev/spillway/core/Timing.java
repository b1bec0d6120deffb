package dev.spillway.core;

import java.time.Duration;
import java.util.Objects;

/**
 * Every duration the system decides by, in one place.
 *
 * @param heartbeat how often a container reports
 * @param heldHeartbeat how often a container reports while it holds calls of other pools
 * @param expiry how long a container counts as alive after a heartbeat
 * @param lostAfter silence after which a container is LOST while others of the fleet were heard
 * @param outageQuiet how long nothing is declared lost after a silence of the whole fleet
 * @param coldStart the usual time from asking for a container to READY
 * @param launchDeadline a launch that is not READY by then shows its stopped reason
 * @param idleWindow time without a call before one container is retired
 * @param scaleInLock how long one retirement keeps others out
 * @param protection what every other serving container must still have of its scale-in protection before the desired
 *     count is lowered
 * @param turnBoundary how long a hand-off waits for the end of a turn
 * @param tokenLife how long a stream may be opened after its TwiML was written
 * @param round how often background work visits every pool
 */
public record Timing(
        Duration heartbeat,
        Duration heldHeartbeat,
        Duration expiry,
        Duration lostAfter,
        Duration outageQuiet,
        Duration coldStart,
        Duration launchDeadline,
        Duration idleWindow,
        Duration scaleInLock,
        Duration protection,
        Duration turnBoundary,
        Duration tokenLife,
        Duration round) {

    /** The figures of the design (DESIGN.md, 2026-11). */
    public static final Timing STANDARD = new Timing(
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            Duration.ofSeconds(30),
            Duration.ofSeconds(90),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofSeconds(180),
            Duration.ofMinutes(10),
            Duration.ofSeconds(30),
            Duration.ofMinutes(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(60),
            Duration.ofMinutes(1));

    /** Twilio waits for 15 s at most for a webhook. */
    private static final Duration LEAST_TOKEN_LIFE = Duration.ofSeconds(20);

    public Timing {
        Objects.requireNonNull(heartbeat);
        if (expiry.compareTo(heartbeat.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException("expiry " + expiry + " must be at least two heartbeats of " + heartbeat
                    + ": one lost heartbeat must not empty a pool");
        }
    }

    /**
     * The same figures for a rehearsal that runs {@code speed} times as fast. Heartbeats stay at 2 s and expiry at 6 s
     * at least, and what a caller hears (turn boundary) stays in real time. A stream may be opened for 20 s at least: longer than
     * Twilio, which is not faster, waits for anything between the TwiML and the handshake.
     *
     * @param speed 1 or more
     */
    public Timing scaled(double speed) {
        if (!(speed >= 1) || Double.isInfinite(speed)) {
            throw new IllegalArgumentException("speed must be 1 or more, not " + speed);
        }
        return new Timing(
                atLeast(Duration.ofSeconds(2), divided(heartbeat, speed)),
                heldHeartbeat.compareTo(Duration.ofSeconds(2)) < 0 ? heldHeartbeat : Duration.ofSeconds(2),
                atLeast(Duration.ofSeconds(6), divided(expiry, speed)),
                atLeast(Duration.ofSeconds(10), divided(lostAfter, speed)),
                atLeast(Duration.ofSeconds(6), divided(outageQuiet, speed)),
                divided(coldStart, speed),
                divided(launchDeadline, speed),
                divided(idleWindow, speed),
                divided(scaleInLock, speed),
                divided(protection, speed),
                turnBoundary,
                tokenLife.compareTo(LEAST_TOKEN_LIFE) < 0
                        ? tokenLife
                        : atLeast(LEAST_TOKEN_LIFE, divided(tokenLife, speed)),
                divided(round, speed));
    }

    /**
     * How long one visit may keep a pool to itself. A visit takes seconds, and one whose dependencies all run into their
     * time-outs half a minute; the holder that dies keeps the others out for no longer than one round. A guess.
     */
    public Duration backgroundLease() {
        return atLeast(Duration.ofSeconds(10), round);
    }

    /** How long the controller counts as alive after a complete visit: two may be lost, as with heartbeats. */
    public Duration controllerExpiry() {
        return atLeast(Duration.ofSeconds(10), round.multipliedBy(3));
    }

    /**
     * How long a visit waits for another to end before it leaves the pool to that one; in a rehearsal not much less, since
     * every look at a lease is a request of the table.
     */
    public Duration backgroundPatience() {
        return atLeast(Duration.ofSeconds(2), round.dividedBy(6));
    }

    /**
     * How far apart, between two rounds, the reconciler looks for containers that fell silent with calls; in a rehearsal not
     * much closer, since looks that come faster would burden the table more than the calls do.
     */
    public Duration silenceLook() {
        return atLeast(Duration.ofSeconds(2), round.dividedBy(3));
    }

    private static Duration divided(Duration duration, double speed) {
        return Duration.ofMillis(Math.round(duration.toMillis() / speed));
    }

    private static Duration atLeast(Duration least, Duration duration) {
        return duration.compareTo(least) < 0 ? least : duration;
    }
}
