package dev.spillway.media.call;

import dev.spillway.core.DependencyException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the table while a caller waits: a slow answer is the same as none, though the question may still take effect. Also
 * the place where all blocking work runs, each piece on a virtual thread of its own, and where all waiting is done: {@link
 * #begin}, {@link #result}, {@link #later}, {@link #pause} and {@link #nanos} are all that knows real time, so that another
 * time can be put in their place.
 */
public class Patience implements AutoCloseable {
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final Duration limit;
    /** After one unanswered question the next ones do not wait: a caller hears at most one time-out. */
    private volatile boolean isSlow;

    private volatile long slowUntilNanos;

    /** @param limit how long one question may take; two of them must stay within a caller's 3 s */
    public Patience(Duration limit) {
        this.limit = limit;
    }

    /**
     * The answer, or its exception.
     *
     * @throws DependencyException also when there is no answer in time
     */
    public <T> T ask(String dependency, Callable<T> question) {
        return ask(dependency, limit, question);
    }

    /** As {@link #ask(String, Callable)}, and no longer than {@code atMost}. */
    public <T> T ask(String dependency, Duration atMost, Callable<T> question) {
        if (isSlow && nanos() - slowUntilNanos < 0) {
            throw new DependencyException(dependency, "it did not answer a moment ago", new TimeoutException());
        }
        Duration shorter = atMost.compareTo(limit) < 0 ? atMost : limit;
        try {
            return answered(dependency, shorter, question);
        } catch (TimeoutException e) {
            slowUntilNanos = nanos() + limit.toNanos();
            isSlow = true;
            throw unanswered(dependency, shorter, e);
        }
    }

    /**
     * As {@link #ask(String, Callable)}, for what a call cannot do without: it is waited for all of that time, whatever was
     * slow a moment ago.
     */
    public <T> T await(String dependency, Duration atMost, Callable<T> question) {
        try {
            return answered(dependency, atMost, question);
        } catch (TimeoutException e) {
            throw unanswered(dependency, atMost, e);
        }
    }

    private <T> T answered(String dependency, Duration atMost, Callable<T> question) throws TimeoutException {
        Future<T> answer = begin(question);
        try {
            return result(answer, atMost);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DependencyException broken) {
                throw broken;
            }
            throw new DependencyException(dependency, "unexpected failure", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DependencyException(dependency, "interrupted", e);
        }
    }

    private static DependencyException unanswered(String dependency, Duration waited, TimeoutException e) {
        return new DependencyException(dependency, "no answer within " + waited.toMillis() + " ms", e);
    }

    /** Whether it completes in time, in whatever way. */
    public boolean isDoneSoon(CompletableFuture<?> future) {
        try {
            result(future, limit);
            return true;
        } catch (ExecutionException e) {
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Begins to ask. */
    protected <T> Future<T> begin(Callable<T> question) {
        return workers.submit(question);
    }

    /** What comes of it within that time. */
    public <T extends @Nullable Object> T result(Future<T> future, Duration atMost)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
    }

    /** The clock by which waiting is measured; only differences mean anything. */
    public long nanos() {
        return System.nanoTime();
    }

    /** Waits between two tries; false if that was interrupted. */
    public boolean pause(Duration duration) {
        try {
            Thread.sleep(duration);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Runs it without anyone waiting. Once closed, nothing runs any more. */
    public void later(Runnable work) {
        if (!workers.isShutdown()) {
            workers.execute(work);
        }
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
