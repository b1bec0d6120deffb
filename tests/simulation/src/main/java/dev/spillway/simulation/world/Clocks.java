package dev.spillway.simulation.world;

/** How wrong the processes' clocks are. A guess: those of hosts that ask for the time differ by milliseconds as a rule. */
final class Clocks {
    private static final long MOST_OFF_MICROS = 1_500_000;

    /** By how much two of them differ at most. */
    static final long DIFFER_SECONDS = 3;

    private Clocks() {}

    /** How far one is ahead, in microseconds; negative if it is behind. */
    static long error(Chance chance) {
        return chance.between(-MOST_OFF_MICROS, MOST_OFF_MICROS);
    }
}
