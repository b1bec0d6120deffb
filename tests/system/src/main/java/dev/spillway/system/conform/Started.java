package dev.spillway.system.conform;

import java.util.OptionalInt;

/** The process in which a container runs, where that is known. */
public interface Started {
    /** Empty while it runs. */
    OptionalInt exitCode();

    /** The last lines that it wrote; empty if it wrote none. */
    String lastLines();

    /** How it ended, in words; of one that has. */
    default String end() {
        String lines = lastLines();
        return "ended with exit code " + exitCode().orElseThrow()
                + (lines.isEmpty() ? ", and wrote nothing" : "; the last that it wrote:\n" + lines);
    }
}
