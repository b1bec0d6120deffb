package dev.spillway.simulation.world;

import java.io.PrintStream;
import java.util.List;

/** Tells people of a failure. */
final class Report {
    private static final int LAST_LINES = 80;

    private Report() {}

    /** In one line, with how to see it again. */
    static String brief(Outcome outcome) {
        Violation violation = outcome.violation().orElseThrow();
        return "seed " + outcome.scenario().seed() + " breaks " + violation.invariant() + " at " + outcome.seconds()
                + " s: " + violation.getMessage() + " (./spillway simulate --seed "
                + outcome.scenario().seed() + ")";
    }

    /** The shrunk run: what is left of the seed, and the end of its trace. */
    static void print(PrintStream out, Shrinking.Shrunk shrunk, boolean whole) {
        Outcome outcome = shrunk.outcome();
        out.println(brief(outcome));
        outcome.violation()
                .ifPresent(violation -> out.println("  " + violation.invariant() + ": "
                        + violation.invariant().words()));
        out.println("  the shortest failing run found in " + shrunk.runs() + " tries: "
                + outcome.scenario().words());
        out.println("  its faults: " + (outcome.fired().isEmpty() ? "none" : ""));
        outcome.fired().forEach(fault -> out.println("    " + fault));
        List<String> trace = outcome.trace();
        int from = whole ? 0 : Math.max(0, trace.size() - LAST_LINES);
        if (from > 0) {
            out.println("  … " + from + " lines before these");
        }
        trace.subList(from, trace.size()).forEach(out::println);
    }
}
