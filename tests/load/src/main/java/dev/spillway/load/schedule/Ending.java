package dev.spillway.load.schedule;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** When the caller of a class ends the call. */
public enum Ending {
    /** When the arrival's duration is over; the turns are repeated until then. */
    AFTER_DURATION("duration"),
    /** When the answer to the last turn has been heard. */
    AFTER_TURNS("turns"),
    /** In the middle of the last turn's utterance. */
    MID_TURN("mid-turn"),
    /** Never: having taken the turns, the caller waits for the agent to hang up. */
    BY_AGENT("agent"),
    /** Nobody picks up, or the caller gives up while it rings. */
    UNANSWERED("unanswered");

    private final String text;

    Ending(String text) {
        this.text = text;
    }

    /** As a schedule writes it. */
    public String text() {
        return text;
    }

    static Optional<Ending> parse(String text) {
        return Arrays.stream(values()).filter(one -> one.text.equals(text)).findFirst();
    }

    static List<String> texts() {
        return Arrays.stream(values()).map(Ending::text).toList();
    }
}
