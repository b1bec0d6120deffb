package dev.spillway.media.wire;

import dev.spillway.media.call.Patience;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a conversation as it goes on. One save after the other: the table takes what comes last for the newest. Whatever is
 * new when one ends is kept by the next; one that failed is tried again after a while, longer each time, and at once when the
 * call leaves. Event loop only.
 *
 * @param <T> by which it is seen whether anything is new: the conversation itself, or how far it has come
 */
final class Keeping<T> {
    /** How long a hand-off waits until the last turn is kept. */
    private static final Duration LEAVING = Duration.ofSeconds(1);
    /** Between a save that failed and the next, and twice as long after each: a broken table is not asked in every turn. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final EventLoop loop;
    private final Patience patience;
    private final Talk.Call call;
    private final Supplier<T> newest;
    private final Function<T, String> save;
    /** What was kept last; null if nobody knows, as after a save that was not acknowledged. */
    private @Nullable T saved;

    private boolean saving;
    /** Who leaves joined a save that was under way: should it fail, another is tried. */
    private boolean again;
    /** Run once nothing is left to be kept, or there is no more time for it. */
    private @Nullable Runnable leaving;

    private Duration pause = FIRST_PAUSE;
    private long pausedUntilNanos;
    private boolean begun;
    private boolean over;

    /**
     * @param newest as it is now
     * @param save blocks; an empty text means that it was kept, another says why not
     */
    Keeping(
            EventLoop loop,
            Patience patience,
            Talk.Call call,
            T nothing,
            Supplier<T> newest,
            Function<T, String> save) {
        this.loop = loop;
        this.patience = patience;
        this.call = call;
        this.saved = nothing;
        this.newest = newest;
        this.save = save;
    }

    /** That much is kept already. */
    void has(T kept) {
        saved = kept;
        begun = true;
    }

    /** Keeps what is new, without anyone waiting. */
    void save() {
        if (saved != null || System.nanoTime() - pausedUntilNanos >= 0) {
            begin();
        }
    }

    /** Keeps what is new, then runs that; also if it fails or takes too long. */
    void leave(Runnable then) {
        if (saving) {
            again = true;
        } else {
            begin();
        }
        if (!saving) {
            then.run();
            return;
        }
        leaving = then;
        loop.schedule(
                () -> {
                    if (then.equals(leaving)) {
                        left();
                    }
                },
                LEAVING.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** Nothing more is kept. Whether anything may have been. */
    boolean stop() {
        over = true;
        return begun;
    }

    private void begin() {
        T now = newest.get();
        if (saving || over || now.equals(saved)) {
            return;
        }
        saving = true;
        begun = true;
        Save one = new Save(now);
        patience.later(() -> {
            String why;
            try {
                why = save.apply(now);
            } catch (RuntimeException e) {
                why = e.getClass().getSimpleName();
            }
            String because = why;
            loop.execute(() -> one.ended(because));
        });
        loop.schedule(one::isLate, LEAVING.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void left() {
        Runnable then = leaving;
        leaving = null;
        if (then != null) {
            then.run();
        }
    }

    private final class Save {
        private final T what;
        private boolean ended;
        private boolean told;

        Save(T what) {
            this.what = what;
        }

        void isLate() {
            if (!ended) {
                tell("it was not kept within " + LEAVING.toMillis() + " ms");
            }
        }

        void ended(String why) {
            ended = true;
            saving = false;
            if (why.isEmpty()) {
                saved = what;
                pause = FIRST_PAUSE;
            } else {
                saved = null;
                pausedUntilNanos = System.nanoTime() + pause.toNanos();
                pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : pause;
                tell(why);
            }
            if (again || (why.isEmpty() && !newest.get().equals(what))) {
                again = false;
                begin();
            }
            if (!saving) {
                left();
            }
        }

        private void tell(String why) {
            if (!told) {
                told = true;
                call.tell("conversation-unsaved", why);
            }
        }
    }
}
