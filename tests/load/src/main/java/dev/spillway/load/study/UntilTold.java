package dev.spillway.load.study;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C ends the run that goes on, and the process only once its command has told what all its runs have shown. */
final class UntilTold implements AutoCloseable {
    private static final long LONGEST_SECONDS = 150;

    private final CountDownLatch told = new CountDownLatch(1);
    private final Thread hook = new Thread(this::await, "until-told");
    private volatile boolean ending;

    UntilTold() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void await() {
        ending = true;
        try {
            told.await(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the process has been told to end, so that no other run is to begin. */
    boolean isEnding() {
        return ending;
    }

    @Override
    public void close() {
        System.out.flush();
        told.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            ending = true; // it is the process's end that waited for this
        }
    }
}
