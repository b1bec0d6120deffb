package dev.spillway.core.outbound;

/** Why a job was deferred. */
public enum Cause {
    FULL("full"),
    STARTING("starting"),
    COOLDOWN("cooldown"),
    RESERVE("reserve"),
    OUTBOUND_LIMIT("outbound limit"),
    FAIRNESS("fairness"),
    DIAL_RATE("dial rate"),
    /** Not a good time where the callee lives. */
    CALLING_HOURS("calling hours"),
    DAILY_CAP("daily cap"),
    DEPENDENCY("dependency");

    private final String text;

    Cause(String text) {
        this.text = text;
    }

    /** As written in the table and in answers. */
    public String text() {
        return text;
    }

    /** Whether a slot that becomes free may end the wait before its time. */
    public boolean endsWithASlot() {
        return switch (this) {
            case FULL, STARTING, COOLDOWN, RESERVE, OUTBOUND_LIMIT, FAIRNESS, DIAL_RATE -> true;
            case CALLING_HOURS, DAILY_CAP, DEPENDENCY -> false;
        };
    }

    public static Cause of(String text) {
        for (Cause cause : values()) {
            if (cause.text.equals(text)) {
                return cause;
            }
        }
        throw new IllegalArgumentException("no such cause: '" + text + "'");
    }
}
