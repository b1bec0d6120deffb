package dev.spillway.core.usage;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.pool.PoolId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What a tenant used in a window.
 *
 * @param gatewayCalls calls that arrived in the window and were on the gateway at any time
 * @param gatewaySeconds how long those calls were there
 * @param containerSeconds of the tenant's own pool, in the window
 */
public record Usage(int gatewayCalls, long gatewaySeconds, long containerSeconds) {

    /**
     * @param attempts those that arrived in the window
     * @param now until when a call that goes on is counted
     */
    public static Usage of(List<Attempt> attempts, List<Life> lives, Instant from, Instant to, Instant now) {
        int calls = 0;
        Duration held = Duration.ZERO;
        for (Attempt attempt : attempts) {
            Duration own = onGateway(attempt, now);
            if (attempt.story().steps().stream().anyMatch(Usage::isOnGateway)) {
                calls++;
                held = held.plus(own);
            }
        }
        Duration run = lives.stream().map(life -> life.within(from, to)).reduce(Duration.ZERO, Duration::plus);
        return new Usage(calls, held.toSeconds(), run.toSeconds());
    }

    /** From each step that put it there to the next that put it elsewhere, or ended it. */
    private static Duration onGateway(Attempt attempt, Instant now) {
        Duration held = Duration.ZERO;
        Instant since = null;
        for (Step step : attempt.story().steps()) {
            boolean leaves = switch (step.kind()) {
                case ENDED, ADMITTED -> true;
                case MOVED, CONNECTED, HELD -> !isOnGateway(step);
                case ACCEPTED, REFUSED, DEFERRED, DIALLED, DIAL_UNKNOWN, ANSWERED, CANCEL_REQUESTED, OFFERED -> false;
            };
            if (since == null && isOnGateway(step)) {
                since = step.at();
            } else if (since != null && leaves) {
                held = held.plus(positive(Duration.between(since, step.at())));
                since = null;
            }
        }
        if (since != null && attempt.isOpen()) {
            held = held.plus(positive(Duration.between(since, now)));
        }
        return held;
    }

    /** A step is written by whoever takes it, and clocks differ. */
    private static Duration positive(Duration duration) {
        return duration.isNegative() ? Duration.ZERO : duration;
    }

    private static boolean isOnGateway(Step step) {
        return switch (step.kind()) {
            case HELD, MOVED, CONNECTED -> PoolId.GATEWAY.equals(step.pool());
            case ACCEPTED,
                    REFUSED,
                    DEFERRED,
                    ADMITTED,
                    DIALLED,
                    DIAL_UNKNOWN,
                    ANSWERED,
                    CANCEL_REQUESTED,
                    OFFERED,
                    ENDED -> false;
        };
    }
}
