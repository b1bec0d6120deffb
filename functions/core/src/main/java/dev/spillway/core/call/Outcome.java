package dev.spillway.core.call;

/** How an attempt ended. Exactly one of these, once. */
public enum Outcome {
    COMPLETED("completed"),
    REFUSED("refused"),
    DEFERRED_EXPIRED("deferred-expired"),
    SETUP_FAILED("setup-failed"),
    ABANDONED("abandoned"),
    CANCELED("canceled"),
    LOST("lost");

    private final String text;

    Outcome(String text) {
        this.text = text;
    }

    /** As written in the table, in reports and in answers. */
    public String text() {
        return text;
    }

    public static Outcome of(String text) {
        for (Outcome outcome : values()) {
            if (outcome.text.equals(text)) {
                return outcome;
            }
        }
        throw new IllegalArgumentException("no such outcome: '" + text + "'");
    }
}
