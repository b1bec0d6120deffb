package dev.spillway.localcloud.twilio;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One clock for the audio of all calls. It ticks every millisecond: a frame is no later than that, and those of many calls do not go
 * out in one burst.
 */
final class AudioTicker {
    private static final int TICK_MILLIS = 1;

    private final EventLoop loop;
    private final List<Line> lines = new ArrayList<>();
    private final Future<?> ticking;

    AudioTicker(EventLoop loop) {
        this.loop = loop;
        this.ticking = loop.scheduleAtFixedRate(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    EventLoop loop() {
        return loop;
    }

    void add(Line line) {
        run(() -> {
            lines.add(line);
            line.open();
        });
    }

    /** Takes the line off the air; done when everything about it has been noted. */
    CompletableFuture<@Nullable Void> remove(Line line) {
        var done = new CompletableFuture<@Nullable Void>();
        run(() -> {
            lines.remove(line);
            line.close();
            done.complete(null);
        });
        return done;
    }

    /** Runs something on the audio thread; nothing once it is closed. */
    void run(Runnable task) {
        if (loop.inEventLoop()) {
            task.run();
        } else if (!loop.isShuttingDown()) {
            loop.execute(task);
        }
    }

    private void tick() {
        long now = System.nanoTime();
        for (Line line : lines) {
            try {
                line.tick(now);
            } catch (RuntimeException e) {
                System.err.println("twilio: audio: " + e); // one broken call must not silence the others
            }
        }
    }

    void close() {
        ticking.cancel(false);
    }
}
