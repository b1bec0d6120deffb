package dev.spillway.localcloud.twilio;

import java.time.Duration;
import java.util.Optional;

/**
 * How a caller behaves. Audio is always in real time; the durations here are given already scaled.
 *
 * @param utterance how long the caller speaks in each turn
 * @param pause between the end of the agent's speech (400 ms of quiet) and the caller's
 * @param repeatAfter how long the caller waits for an answer before saying it again
 * @param bargeIn interrupts one of the agent's utterances
 * @param keys digits pressed at the start of a turn
 * @param ending when the caller hangs up
 */
public record CallScript(
        Duration utterance,
        Duration pause,
        Duration repeatAfter,
        Optional<BargeIn> bargeIn,
        Optional<Keys> keys,
        Ending ending) {

    /** Speaks into the agent's utterance number {@code utterance} (0 is the greeting) after hearing {@code after} of it. */
    public record BargeIn(int utterance, Duration after) {}

    /** Presses the digits at the start of the caller's turn of that number, from 1. */
    public record Keys(int turn, String digits) {}

    /** When the caller hangs up. */
    public sealed interface Ending {
        /** After so much time, counted from the call's arrival. */
        record After(Duration duration) implements Ending {}

        /** When the answer to the last of so many turns has been heard. */
        record AfterTurns(int turns) implements Ending {}

        /** Speaks so many turns, then waits for the agent to hang up. */
        record AgentHangsUp(int turns) implements Ending {}
    }

    public CallScript {
        if (utterance.isNegative() || utterance.isZero() || pause.isNegative() || !repeatAfter.isPositive()) {
            throw new IllegalArgumentException("a caller speaks for a positive time: " + utterance);
        }
    }

    /** Speaks for 1 s each turn, says it again after 8 s without an answer, and hangs up as told. */
    public static CallScript of(Ending ending) {
        return new CallScript(
                Duration.ofSeconds(1),
                Duration.ZERO,
                Duration.ofSeconds(8),
                Optional.empty(),
                Optional.empty(),
                ending);
    }

    /** Takes turns until the time is over. */
    public static CallScript lasting(Duration duration) {
        return of(new Ending.After(duration));
    }

    /** Takes so many turns. */
    public static CallScript ofTurns(int turns) {
        return of(new Ending.AfterTurns(turns));
    }

    public CallScript withUtterance(Duration value) {
        return new CallScript(value, pause, repeatAfter, bargeIn, keys, ending);
    }

    public CallScript withPause(Duration value) {
        return new CallScript(utterance, value, repeatAfter, bargeIn, keys, ending);
    }

    public CallScript withRepeatAfter(Duration value) {
        return new CallScript(utterance, pause, value, bargeIn, keys, ending);
    }

    public CallScript withBargeIn(BargeIn value) {
        return new CallScript(utterance, pause, repeatAfter, Optional.of(value), keys, ending);
    }

    public CallScript withKeys(Keys value) {
        return new CallScript(utterance, pause, repeatAfter, bargeIn, Optional.of(value), ending);
    }
}
