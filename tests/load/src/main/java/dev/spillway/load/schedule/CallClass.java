package dev.spillway.load.schedule;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the calls of one kind behave, apart from when they arrive.
 *
 * @param turns one pass of the script
 * @param ending when the caller hangs up; null for after the duration, or after the turns of an arrival without one
 * @param utterance seconds that the caller speaks in a turn
 * @param answer seconds that the agent is expected to speak; null if not said
 * @param pause seconds between the end of the agent's speech and the caller's
 * @param deadline seconds after its arrival at which an outbound call that waits is given up; null for the adapter's own
 * @param cpu seconds of CPU that a turn costs the service; null if not said
 * @param tools what the agent uses in these calls
 * @param language of the conversation, as in BCP 47; null if not said
 * @param tenant whose number is called; null for the first that the target names
 */
public record CallClass(
        String name,
        List<Turn> turns,
        @Nullable Ending ending,
        Direction direction,
        double utterance,
        @Nullable Double answer,
        double pause,
        @Nullable Double deadline,
        @Nullable Double cpu,
        List<String> tools,
        @Nullable String language,
        @Nullable String tenant,
        SyntheticScript synthetic) {

    /** A second of speech: a guess at a short sentence. */
    public static final double USUAL_UTTERANCE = 1.0;

    /** An agent's own thinking, and the quiet after which a caller goes on; a guess. */
    private static final double THINKING = 1.0;

    /** One of the tools, as the local stack's agent waits for it. */
    private static final double LOOK_UP = 0.3;

    public CallClass {
        turns = List.copyOf(turns);
        tools = List.copyOf(tools);
    }

    /** Spoken turns, and nothing else said. */
    public static CallClass ofTurns(String name, int turns) {
        return new CallClass(
                name,
                Collections.nCopies(turns, Turn.PLAIN),
                null,
                Direction.INBOUND,
                USUAL_UTTERANCE,
                null,
                0,
                null,
                null,
                List.of(),
                null,
                null,
                SyntheticScript.PLAIN);
    }

    /** What the class says of the agent, by the names of a schedule: what a target does not take is kept with the run only. */
    public List<String> declared() {
        List<String> names = new ArrayList<>();
        if (answer != null) {
            names.add("answer");
        }
        if (cpu != null) {
            names.add("cpu");
        }
        if (!tools.isEmpty()) {
            names.add("tools");
        }
        if (language != null) {
            names.add("language");
        }
        return names;
    }

    /**
     * The class without its name and what is only {@link #declared}: two that are equal in this are the same load.
     *
     * @param taken what the target's agent lets a class say of it
     */
    public CallClass applied(Set<String> taken) {
        return new CallClass(
                "",
                turns,
                ending,
                direction,
                utterance,
                taken.contains("answer") ? answer : null,
                pause,
                deadline,
                taken.contains("cpu") ? cpu : null,
                taken.contains("tools") ? tools : List.of(),
                taken.contains("language") ? language : null,
                tenant,
                synthetic);
    }

    /** The same calls to another tenant's number; null for the first that the target names. */
    public CallClass ofTenant(@Nullable String other) {
        return new CallClass(
                name, turns, ending, direction, utterance, answer, pause, deadline, cpu, tools, language, other,
                synthetic);
    }

    /** Seconds that one pass of the script takes: as the class says, and at least {@link OfferedLoad#GUESS_SECONDS} a turn. */
    public double guessedSeconds() {
        double said =
                utterance + pause + (cpu == null ? 0 : cpu) + tools.size() * LOOK_UP + (answer == null ? 0 : answer);
        return turns.size() * Math.max(OfferedLoad.GUESS_SECONDS, THINKING + said);
    }

    /** When the caller of an arrival of this class hangs up. */
    public Ending endingOf(Arrival arrival) {
        if (ending != null) {
            return ending;
        }
        return arrival.duration() == null ? Ending.AFTER_TURNS : Ending.AFTER_DURATION;
    }
}
