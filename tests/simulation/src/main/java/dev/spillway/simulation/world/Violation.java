package dev.spillway.simulation.world;

/** An invariant that does not hold. */
final class Violation extends Error {
    private static final long serialVersionUID = 1L;
    private final Invariant invariant;

    Violation(Invariant invariant, String what) {
        super(what, null, false, true);
        this.invariant = invariant;
    }

    Invariant invariant() {
        return invariant;
    }
}
