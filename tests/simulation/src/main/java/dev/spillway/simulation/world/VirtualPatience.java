package dev.spillway.simulation.world;

import dev.spillway.media.call.Patience;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A container's waiting, on virtual time. */
final class VirtualPatience extends Patience {
    private final Scheduler scheduler;
    private final Machine process;

    VirtualPatience(Scheduler scheduler, Machine process, Duration limit) {
        super(limit);
        this.scheduler = scheduler;
        this.process = process;
    }

    @Override
    protected <T> Future<T> begin(Callable<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        scheduler.spawn(process.name() + " question", process, () -> {
            try {
                answer.complete(question.call());
            } catch (Death | Violation end) {
                throw end;
            } catch (Exception e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    @Override
    public <T extends @Nullable Object> T result(Future<T> future, Duration atMost)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!scheduler.await((CompletableFuture<T>) future, Scheduler.micros(atMost))) {
            throw new TimeoutException();
        }
        return future.get();
    }

    @Override
    public long nanos() {
        return scheduler.now() * 1_000;
    }

    @Override
    public boolean pause(Duration duration) {
        scheduler.sleep(Scheduler.micros(duration));
        return true;
    }

    @Override
    public void later(Runnable work) {
        if (!process.isDead()) {
            scheduler.spawn(process.name() + " work", process, work);
        }
    }
}
