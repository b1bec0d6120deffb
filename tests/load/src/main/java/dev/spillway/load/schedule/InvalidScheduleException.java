package dev.spillway.load.schedule;

import java.util.List;

/** A schedule that is refused, with each fault and its line. */
public final class InvalidScheduleException extends Exception {
    private static final long serialVersionUID = 1;

    /** One thing wrong with it. */
    public record Fault(int line, String text) {
        @Override
        public String toString() {
            return "line " + line + ": " + text;
        }
    }

    private final transient List<Fault> faults;

    public InvalidScheduleException(String source, List<Fault> faults) {
        super(source + " is no valid schedule:\n  "
                + String.join("\n  ", faults.stream().map(Fault::toString).toList()));
        this.faults = List.copyOf(faults);
    }

    public List<Fault> faults() {
        return faults;
    }
}
