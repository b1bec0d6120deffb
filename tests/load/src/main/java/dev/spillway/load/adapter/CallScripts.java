package dev.spillway.load.adapter;

import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.Turn;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.CallScript.TurnPlan;
import dev.spillway.localcloud.twilio.Callee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a caller of the stand-in does for an arrival of a class. */
final class CallScripts {
    /** How long it rings before somebody picks up: a guess. */
    private static final Duration RINGING = Duration.ofSeconds(1);

    /** A caller who gives up gives up at once if the arrival does not say when. */
    private static final double GIVES_UP_SECONDS = 0.02;

    /** The parameter of the media stream that the embedded agent of a stack for load tests reads. */
    private static final String REHEARSAL = "rehearsal";

    private CallScripts() {}

    /** @param taken what the target's agent lets a class say of it */
    static CallScript of(Operation operation, Set<String> taken) {
        CallClass callClass = operation.callClass();
        List<TurnPlan> plans = new ArrayList<>();
        for (Turn turn : callClass.turns()) {
            Double own = turn.utterance();
            Optional<Duration> after = Optional.of(seconds(turn.after()));
            plans.add(new TurnPlan(
                    seconds(own == null ? callClass.utterance() : own),
                    turn.manner() == Turn.Manner.INTERRUPT ? after : Optional.empty(),
                    turn.manner() == Turn.Manner.CORRECT ? after : Optional.empty(),
                    turn.keys()));
        }
        return CallScript.of(ending(operation))
                .withUtterance(seconds(callClass.utterance()))
                .withPause(seconds(callClass.pause()))
                .withTurns(plans)
                .withParameters(parameters(callClass, taken));
    }

    private static Map<String, String> parameters(CallClass callClass, Set<String> taken) {
        List<String> said = new ArrayList<>();
        if (callClass.cpu() != null && taken.contains("cpu")) {
            said.add("cpu=" + callClass.cpu());
        }
        if (callClass.answer() != null && taken.contains("answer")) {
            said.add("answer=" + callClass.answer());
        }
        if (!callClass.tools().isEmpty() && taken.contains("tools")) {
            said.add("tools="
                    + String.join(
                            ",",
                            callClass.tools().stream()
                                    .map(tool -> tool.replaceAll("[,;]", "_"))
                                    .toList()));
        }
        return said.isEmpty() ? Map.of() : Map.of(REHEARSAL, String.join(";", said));
    }

    private static CallScript.Ending ending(Operation operation) {
        int turns = operation.callClass().turns().size();
        return switch (operation.callClass().endingOf(operation.arrival())) {
            case AFTER_DURATION ->
                new CallScript.Ending.After(
                        duration(operation, operation.callClass().guessedSeconds()));
            case AFTER_TURNS -> new CallScript.Ending.AfterTurns(turns);
            case MID_TURN -> new CallScript.Ending.InTurn(turns);
            case BY_AGENT -> new CallScript.Ending.AgentHangsUp(turns);
            case UNANSWERED -> new CallScript.Ending.After(duration(operation, GIVES_UP_SECONDS));
        };
    }

    private static Duration duration(Operation operation, double otherwise) {
        Double own = operation.arrival().duration();
        return seconds(own == null ? otherwise : own / operation.speed());
    }

    /** What the person does who is called. */
    static Callee callee(Operation operation, Set<String> taken) {
        return switch (operation.callClass().endingOf(operation.arrival())) {
            case UNANSWERED -> new Callee.NoAnswer(duration(operation, 2));
            case AFTER_DURATION, AFTER_TURNS, MID_TURN, BY_AGENT -> new Callee.Answers(RINGING, of(operation, taken));
        };
    }

    /** Who calls, or is called: the same person if it is a retry. */
    static String person(Arrival arrival) {
        return TestNumbers.of(arrival.retryOf() == null ? arrival.id() : arrival.retryOf());
    }

    static String manner(CallClass callClass, int turn) {
        return callClass
                .turns()
                .get((turn - 1) % callClass.turns().size())
                .manner()
                .text();
    }

    static boolean isOutbound(Operation operation) {
        return operation.direction() == Direction.OUTBOUND;
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos(Math.max(1, Math.round(seconds * 1e9)));
    }
}
