package dev.spillway.core;

import java.time.Duration;

/** How a flow waits: on real time in a function, on virtual time in a simulation. */
@FunctionalInterface
public interface Pause {
    /** Waits; false if it was woken and there is no more waiting. */
    boolean isOver(Duration wait);
}
