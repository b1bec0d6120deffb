package dev.spillway.simulation.world;

/** Too many requests at once: surely nothing was changed. */
final class Throttled extends Exception {
    private static final long serialVersionUID = 1L;

    Throttled() {
        super("throttled", null, false, false);
    }
}
