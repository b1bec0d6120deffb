package dev.spillway.core.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Lets many threads start the same thing at the same moment. */
public final class AtOnce {
    private static final long BOUND_SECONDS = 30;

    private AtOnce() {}

    /** Runs {@code what} for 0, 1, … in as many threads, which all wait for each other first; the results in order. */
    public static <T> List<T> run(int threads, IntFunction<T> what) {
        List<Callable<T>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            tasks.add(() -> what.apply(number));
        }
        return run(tasks);
    }

    /** Runs these at the same moment, each in its own thread; the results in order. */
    public static <T> List<T> run(List<Callable<T>> tasks) {
        CountDownLatch ready = new CountDownLatch(tasks.size());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<T>> running = new ArrayList<>();
            for (Callable<T> task : tasks) {
                running.add(threads.submit(() -> {
                    ready.countDown();
                    if (!ready.await(BOUND_SECONDS, TimeUnit.SECONDS)) {
                        throw new IllegalStateException("the other threads did not come");
                    }
                    return task.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> one : running) {
                results.add(one.get(BOUND_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }
}
