package dev.spillway.simulation.world;

import dev.spillway.core.DependencyException;
import dev.spillway.media.admission.Seat;
import dev.spillway.media.call.Origin;
import dev.spillway.media.call.Seating.Verdict;
import dev.spillway.media.wire.StreamLimits;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call's stream in its container, from the upgrade to its end; what the stream's handler does, without the frames. */
final class Conversation {
    /** How a stream came to its end, as Twilio sees it. */
    enum End {
        /** Our side closed it. */
        CLOSED,
        /** The connection is gone. */
        BROKEN
    }

    private enum State {
        AWAITING_START,
        CHECKING,
        LIVE,
        CLOSED
    }

    private static final long SECOND = 1_000_000;
    private static final byte[] KNOWN = {1};
    /** What is kept of it is kept again after so long: a guess at a turn. */
    private static final long TURN = 20 * SECOND;

    /** How long the other side may take to answer our close frame (StreamHandler). */
    private static final long CLOSE_GRACE = SECOND;

    private final MediaTask task;
    private final @Nullable MediaTask via;
    private final Seat seat;
    private final Origin origin;
    private final PhoneCall call;
    private final StreamLimits limits;
    private final CompletableFuture<End> end = new CompletableFuture<>();
    private final CompletableFuture<Boolean> live = new CompletableFuture<>();
    private State state = State.AWAITING_START;
    private boolean answerDue;
    private boolean handingOff;
    private boolean callEnded;
    private boolean putAway;
    private long silentSince = -1;

    /** @param via the container that relays it; null if it came here at once */
    Conversation(MediaTask task, @Nullable MediaTask via, Seat seat, Origin origin, PhoneCall call) {
        this.task = task;
        this.via = via;
        this.seat = seat;
        this.origin = origin;
        this.call = call;
        this.limits = StreamLimits.standard(task.timing().turnBoundary());
    }

    MediaTask task() {
        return task;
    }

    @Nullable
    MediaTask via() {
        return via;
    }

    Seat seat() {
        return seat;
    }

    PhoneCall call() {
        return call;
    }

    CompletableFuture<End> end() {
        return end;
    }

    /** Completes once the caller can talk. */
    CompletableFuture<Boolean> live() {
        return live;
    }

    boolean isLive() {
        return state == State.LIVE;
    }

    /** Whether the caller hears anybody. */
    boolean isHeard() {
        return isLive() && !task.process().isDead() && !task.process().isFrozen() && !isCutOff();
    }

    /** Whether what relays it stands still, or is gone without a word: neither side hears anything of the other. */
    private boolean isCutOff() {
        return via != null && (via.process().isDead() || via.process().isFrozen());
    }

    /** Once what relays it goes on; never, if that is gone. */
    private void throughRelay(Runnable news) {
        if (via == null || !isCutOff()) {
            news.run();
        } else {
            task.scheduler().at(task.scheduler().now(), via.process(), news);
        }
    }

    /** Its container sees no frame. */
    void watch() {
        if (via == null || state == State.CLOSED) {
            return;
        }
        long now = task.scheduler().now();
        silentSince = !isCutOff() ? -1 : silentSince < 0 ? now : silentSince;
        long patience = Scheduler.micros(state == State.AWAITING_START ? limits.start() : limits.silence());
        if (silentSince >= 0 && now - silentSince >= patience) {
            tellSilence();
            close("no frame for " + patience / SECOND + " s");
            return;
        }
        task.scheduler().at(now + SECOND, task.process(), this::watch);
    }

    private void tellSilence() {
        task.patience().later(() -> task.seating().fellSilent(seat));
    }

    /** Twilio's start message came. */
    void start() {
        if (state != State.AWAITING_START) {
            return;
        }
        if (isCutOff()) {
            throughRelay(() -> task.scheduler().at(task.scheduler().now(), task.process(), this::start));
            return;
        }
        state = State.CHECKING;
        answerDue = true;
        task.patience().later(() -> {
            Verdict verdict;
            try {
                verdict = task.seating().connect(seat, origin);
            } catch (RuntimeException e) {
                verdict = new Verdict.Refused("internal error");
                task.laws().surprise(e);
            }
            decided(verdict);
        });
    }

    private void decided(Verdict verdict) {
        answerDue = false;
        if (state == State.CLOSED) {
            putAway();
            return;
        }
        switch (verdict) {
            case Verdict.Refused refused -> close(refused.reason());
            case Verdict.Welcome(boolean resumed) -> {
                if (!task.admission().connected(seat, task.clock().instant())) {
                    close("the seat is gone");
                    return;
                }
                state = State.LIVE;
                task.laws().callers().connected(this);
                live.complete(true);
                task.patience().later(() -> remember(resumed));
            }
        }
    }

    /** What its agent knows is read where it was kept before, and kept with every turn. */
    private void remember(boolean resumed) {
        if (state != State.LIVE) {
            return;
        }
        try {
            if (resumed) {
                task.laws()
                        .callers()
                        .remembers(
                                this,
                                task.memory().find(seat.tenant(), seat.sid()).isPresent());
            }
            boolean kept = task.memory()
                    .keep(
                            seat.tenant(),
                            seat.sid(),
                            seat.generation().hop(),
                            KNOWN,
                            task.clock().instant());
            task.laws().callers().kept(this, kept);
        } catch (DependencyException e) {
            // the next turn keeps it again
        }
        task.scheduler()
                .at(
                        task.scheduler().now() + TURN,
                        task.process(),
                        () -> task.patience().later(() -> remember(false)));
    }

    /** Waits for the end of the turn, then closes the stream. */
    void handOff() {
        if (!handingOff && state == State.LIVE) {
            handingOff = true;
            long turn = Chance.of(
                            seat.arrivedAt().toEpochMilli(), seat.generation().hop(), 7)
                    .between(0, Scheduler.micros(limits.turnBoundary()));
            task.scheduler().at(task.scheduler().now() + turn, task.process(), () -> {
                if (state == State.LIVE) {
                    close("handed over to the tenant's own container");
                }
            });
        }
    }

    /** The agent has said its last word. */
    void hangUp() {
        if (state != State.LIVE) {
            return;
        }
        callEnded = true;
        task.patience().later(() -> {
            task.seating().finish(seat);
            close("the conversation is finished");
        });
        task.scheduler()
                .at(task.scheduler().now() + 1_500_000, task.process(), () -> close("the conversation is finished"));
    }

    /** Our side closes it. */
    void close(String reason) {
        if (state == State.CLOSED) {
            return;
        }
        task.trace().write(task.process().name(), () -> "closes the stream of " + call + ": " + reason);
        gone();
        if (!isCutOff()) {
            end.complete(End.CLOSED);
            return;
        }
        throughRelay(() -> end.complete(End.BROKEN));
        task.scheduler().at(task.scheduler().now() + CLOSE_GRACE, task.process(), () -> {
            if (!callEnded && isCutOff()) {
                tellSilence();
            }
        });
    }

    /** Twilio ended it: the call is over, or goes on elsewhere. */
    void stopped(boolean callIsOver) {
        end.complete(End.CLOSED);
        throughRelay(() -> {
            if (state != State.CLOSED) {
                callEnded = callEnded || callIsOver;
                gone();
            }
        });
    }

    /** Its container died. */
    void broken() {
        if (state != State.CLOSED) {
            gone();
        }
        throughRelay(() -> end.complete(End.BROKEN));
    }

    /** What relayed it died: both sides see their connection break. */
    void relayBroken() {
        if (state != State.CLOSED) {
            gone();
        }
        end.complete(End.BROKEN);
    }

    private void gone() {
        state = State.CLOSED;
        if (via != null && !via.process().isDead()) {
            throughRelay(via::relayEnded);
        }
        if (!answerDue) {
            putAway();
        }
    }

    private void putAway() {
        if (!putAway) {
            putAway = true;
            task.closed(this, callEnded);
        }
    }
}
