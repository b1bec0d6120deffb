package dev.spillway.load.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one class of a schedule. */
final class ClassReader {
    private static final Set<String> KEYS = Set.of(
            "turns",
            "ending",
            "direction",
            "utterance",
            "answer",
            "pause",
            "cpu",
            "deadline",
            "tools",
            "language",
            "tenant",
            "synthetic");
    private static final Set<String> TURN = Set.of("do", "utterance", "after", "keys");
    private static final int MOST_TURNS = 10_000;
    /** An agent takes no more of an answer or of computing in a turn, and would pass it over. */
    private static final double MOST_SECONDS_OF_AGENT = 60;
    /** More look-ups than that are no turn of a conversation. */
    private static final int MOST_TOOLS = 20;
    /** How much of the agent's speech a caller hears before interrupting it, and how soon one corrects oneself; guesses. */
    private static final double USUAL_AFTER = 0.5;

    private final Reading reading;
    private final String where;

    ClassReader(Reading reading, String where) {
        this.reading = reading;
        this.where = where;
    }

    @Nullable
    CallClass read(String name, Located value) {
        Located.Members in = reading.members(value, where, KEYS);
        if (in == null) {
            return null;
        }
        if (name.isEmpty()) {
            reading.fault(in, "a class has an empty name");
        }
        if (in.values().isEmpty()) {
            reading.fault(in, where + " is empty; want its turns, at least");
        }
        Double utterance = reading.number(in, "utterance", where, 0.02);
        Double pause = reading.number(in, "pause", where, 0);
        return new CallClass(
                name,
                turns(in),
                ending(in),
                direction(in),
                utterance == null ? CallClass.USUAL_UTTERANCE : utterance,
                reading.number(in, "answer", where, 0, MOST_SECONDS_OF_AGENT),
                pause == null ? 0 : pause,
                reading.number(in, "deadline", where, 0),
                reading.number(in, "cpu", where, 0, MOST_SECONDS_OF_AGENT),
                tools(in),
                reading.text(in, "language", where),
                reading.text(in, "tenant", where),
                synthetic(in));
    }

    private List<Turn> turns(Located.Members in) {
        Located value = in.values().get("turns");
        if (value instanceof Located.Items items) {
            List<Turn> turns = new ArrayList<>();
            items.values().forEach(item -> turns.add(turn(item, where + ".turns[" + turns.size() + "]")));
            if (turns.isEmpty()) {
                reading.fault(value, where + ".turns is empty");
            }
            return turns;
        }
        Integer count = reading.whole(in, "turns", where, 1, MOST_TURNS);
        if (count == null
                && (value == null || value instanceof Located.Nothing)
                && !in.values().isEmpty()) {
            reading.fault(in, where + " has no turns; want their number, or a list of them");
        }
        return Collections.nCopies(count == null ? 1 : count, Turn.PLAIN);
    }

    private Turn turn(Located value, String name) {
        Located.Members in = reading.members(value, name, TURN);
        if (in == null) {
            return Turn.PLAIN;
        }
        String told = reading.text(in, "do", name);
        Optional<Turn.Manner> manner = Arrays.stream(Turn.Manner.values())
                .filter(one ->
                        told == null ? one == Turn.Manner.SPEAK : one.text().equals(told))
                .findFirst();
        if (manner.isEmpty()) {
            reading.fault(in, name + ".do is speak, interrupt or correct");
        }
        String keys = reading.text(in, "keys", name);
        if (keys != null && !keys.matches("[0-9*#]*")) {
            reading.fault(in, name + ".keys are digits, * and #");
        }
        Double after = reading.number(in, "after", name, 0);
        return new Turn(
                manner.orElse(Turn.Manner.SPEAK),
                reading.number(in, "utterance", name, 0.02),
                after == null ? USUAL_AFTER : after,
                keys == null ? "" : keys);
    }

    private @Nullable Ending ending(Located.Members in) {
        String text = reading.text(in, "ending", where);
        if (text == null) {
            return null;
        }
        Optional<Ending> ending = Ending.parse(text);
        if (ending.isEmpty()) {
            reading.fault(in.values().getOrDefault("ending", in), where + ".ending is one of " + Ending.texts());
        }
        return ending.orElse(null);
    }

    private Direction direction(Located.Members in) {
        String text = reading.text(in, "direction", where);
        if (text != null && !text.equals("inbound") && !text.equals("outbound")) {
            reading.fault(in.values().getOrDefault("direction", in), where + ".direction is inbound or outbound");
        }
        return "outbound".equals(text) ? Direction.OUTBOUND : Direction.INBOUND;
    }

    private List<String> tools(Located.Members in) {
        List<String> tools = new ArrayList<>();
        Located value = in.values().get("tools");
        if (value == null) {
            return tools;
        }
        if (!(value instanceof Located.Items items)) {
            reading.fault(value, where + ".tools is not a list of names");
            return tools;
        }
        if (items.values().size() > MOST_TOOLS) {
            reading.fault(value, where + ".tools has " + items.values().size() + " names; want at most " + MOST_TOOLS);
        }
        for (Located item : items.values()) {
            if (item instanceof Located.Text(int line, String text)) {
                if (text.isEmpty()) {
                    reading.fault(item, where + ".tools has an empty name");
                }
                tools.add(text);
            } else {
                reading.fault(item, where + ".tools is not a list of names");
            }
        }
        return tools;
    }

    private SyntheticScript synthetic(Located.Members in) {
        Located value = in.values().get("synthetic");
        if (value == null) {
            return SyntheticScript.PLAIN;
        }
        Located.Members script = reading.members(value, where + ".synthetic", Set.of("service", "result"));
        if (script == null) {
            return SyntheticScript.PLAIN;
        }
        String text = reading.text(script, "result", where + ".synthetic");
        Optional<SyntheticScript.Result> result =
                SyntheticScript.Result.parse(text == null ? SyntheticScript.Result.COMPLETE.text() : text);
        if (result.isEmpty()) {
            reading.fault(script, where + ".synthetic.result is one of " + SyntheticScript.Result.texts());
        }
        return new SyntheticScript(
                reading.number(script, "service", where + ".synthetic", 0),
                result.orElse(SyntheticScript.Result.COMPLETE));
    }
}
