package dev.spillway.lambda;

import java.time.Duration;

/** Waits; a test's own does not. */
@FunctionalInterface
interface Sleeper {
    void sleep(Duration duration) throws InterruptedException;
}
