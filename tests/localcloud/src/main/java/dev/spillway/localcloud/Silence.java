package dev.spillway.localcloud;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Keeps a caller waiting for an answer that never comes. */
final class Silence implements AutoCloseable {
    private final CountDownLatch over = new CountDownLatch(1);
    private final Duration atMost;

    Silence(Duration atMost) {
        this.atMost = atMost;
    }

    /** Returns only after the longest silence, or when the server closes; the connection is then dropped. */
    LocalHttpServer.Response keep() throws InterruptedException {
        over.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
        return LocalHttpServer.Response.NONE;
    }

    @Override
    public void close() {
        over.countDown();
    }
}
