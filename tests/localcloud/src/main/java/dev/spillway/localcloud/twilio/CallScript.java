package dev.spillway.localcloud.twilio;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a caller behaves. Audio is always in real time; the durations here are given already scaled.
 *
 * @param utterance how long the caller speaks in each turn
 * @param pause between the end of the agent's speech (400 ms of quiet) and the caller's
 * @param repeatAfter how long the caller waits for an answer before saying it again
 * @param bargeIn interrupts one of the agent's utterances
 * @param keys digits pressed at the start of a turn
 * @param turns how each turn goes, over and over; empty for turns that are all spoken alike
 * @param parameters what each of its media streams is told beside the TwiML's own parameters, as a test of the agent may want
 * @param ending when the caller hangs up
 */
public record CallScript(
        Duration utterance,
        Duration pause,
        Duration repeatAfter,
        Optional<BargeIn> bargeIn,
        Optional<Keys> keys,
        List<TurnPlan> turns,
        Map<String, String> parameters,
        Ending ending) {

    /** Speaks into the agent's utterance number {@code utterance} (0 is the greeting) after hearing {@code after} of it. */
    public record BargeIn(int utterance, Duration after) {}

    /** Presses the digits at the start of the caller's turn of that number, from 1. */
    public record Keys(int turn, String digits) {}

    /**
     * How one turn goes.
     *
     * @param utterance how long the caller speaks
     * @param interruptAfter begins once so much of the agent's speech was heard, instead of waiting for its end
     * @param correctAfter so long after the utterance the caller speaks again, whatever the agent does meanwhile
     * @param keys digits pressed at its start; empty for none
     */
    public record TurnPlan(
            Duration utterance, Optional<Duration> interruptAfter, Optional<Duration> correctAfter, String keys) {}

    /** When the caller hangs up. */
    public sealed interface Ending {
        /** After so much time, counted from the call's arrival. */
        record After(Duration duration) implements Ending {}

        /** When the answer to the last of so many turns has been heard. */
        record AfterTurns(int turns) implements Ending {}

        /** In the middle of the utterance of the turn of that number, from 1. */
        record InTurn(int turn) implements Ending {}

        /** Speaks so many turns, then waits for the agent to hang up. */
        record AgentHangsUp(int turns) implements Ending {}
    }

    public CallScript {
        if (utterance.isNegative() || utterance.isZero() || pause.isNegative() || !repeatAfter.isPositive()) {
            throw new IllegalArgumentException("a caller speaks for a positive time: " + utterance);
        }
        turns = List.copyOf(turns);
        parameters = Map.copyOf(parameters);
    }

    /** Speaks for 1 s each turn, says it again after 8 s without an answer, and hangs up as told. */
    public static CallScript of(Ending ending) {
        return new CallScript(
                Duration.ofSeconds(1),
                Duration.ZERO,
                Duration.ofSeconds(8),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Map.of(),
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
        return new CallScript(value, pause, repeatAfter, bargeIn, keys, turns, parameters, ending);
    }

    public CallScript withPause(Duration value) {
        return new CallScript(utterance, value, repeatAfter, bargeIn, keys, turns, parameters, ending);
    }

    public CallScript withRepeatAfter(Duration value) {
        return new CallScript(utterance, pause, value, bargeIn, keys, turns, parameters, ending);
    }

    public CallScript withBargeIn(BargeIn value) {
        return new CallScript(utterance, pause, repeatAfter, Optional.of(value), keys, turns, parameters, ending);
    }

    public CallScript withKeys(Keys value) {
        return new CallScript(utterance, pause, repeatAfter, bargeIn, Optional.of(value), turns, parameters, ending);
    }

    public CallScript withTurns(List<TurnPlan> value) {
        return new CallScript(utterance, pause, repeatAfter, bargeIn, keys, value, parameters, ending);
    }

    public CallScript withParameters(Map<String, String> value) {
        return new CallScript(utterance, pause, repeatAfter, bargeIn, keys, turns, value, ending);
    }

    /** How the turn of that number goes, from 1. */
    TurnPlan turn(int number) {
        return turns.isEmpty()
                ? new TurnPlan(utterance, Optional.empty(), Optional.empty(), "")
                : turns.get((number - 1) % turns.size());
    }
}
