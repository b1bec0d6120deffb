package dev.spillway.media.agent;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Computing that takes a known time, for one call at a time in the whole process, as in an interpreter with one lock: on any
 * machine, however many cores it has, it is known beforehand how much of it fills a container. For load tests.
 */
final class Computing {
    /** Fair, so that no event loop starves another. */
    private static final ReentrantLock ONE_AT_A_TIME = new ReentrantLock(true);

    private Computing() {}

    /** Keeps one core busy for so long, once nobody else computes. */
    static void forNanos(long nanos) {
        ONE_AT_A_TIME.lock();
        try {
            long end = System.nanoTime() + nanos;
            while (System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
        } finally {
            ONE_AT_A_TIME.unlock();
        }
    }
}
