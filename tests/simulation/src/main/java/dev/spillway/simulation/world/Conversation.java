package dev.spillway.simulation.world;

import dev.spillway.media.admission.Seat;
import dev.spillway.media.call.Origin;
import dev.spillway.media.call.Seating.Verdict;
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

    private static final long TURN_BOUNDARY = 5_000_000;

    private final MediaTask task;
    private final @Nullable MediaTask via;
    private final Seat seat;
    private final Origin origin;
    private final PhoneCall call;
    private final CompletableFuture<End> end = new CompletableFuture<>();
    private final CompletableFuture<Boolean> live = new CompletableFuture<>();
    private State state = State.AWAITING_START;
    private boolean answerDue;
    private boolean handingOff;
    private boolean callEnded;
    private boolean putAway;

    /** @param via the container that relays it; null if it came here at once */
    Conversation(MediaTask task, @Nullable MediaTask via, Seat seat, Origin origin, PhoneCall call) {
        this.task = task;
        this.via = via;
        this.seat = seat;
        this.origin = origin;
        this.call = call;
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
        return isLive()
                && !task.process().isDead()
                && !task.process().isFrozen()
                && (via == null || (!via.process().isDead() && !via.process().isFrozen()));
    }

    /** Twilio's start message came. */
    void start() {
        if (state != State.AWAITING_START) {
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
            case Verdict.Welcome welcome -> {
                if (!task.admission().connected(seat, task.clock().instant())) {
                    close("the seat is gone");
                    return;
                }
                state = State.LIVE;
                task.laws().connected(this);
                live.complete(true);
            }
        }
    }

    /** Waits for the end of the turn, then closes the stream. */
    void handOff() {
        if (!handingOff && state == State.LIVE) {
            handingOff = true;
            long turn = Chance.of(
                            seat.arrivedAt().toEpochMilli(), seat.generation().hop(), 7)
                    .between(0, TURN_BOUNDARY);
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
        end.complete(End.CLOSED);
    }

    /** Twilio ended it: the call is over, or goes on elsewhere. */
    void stopped(boolean callIsOver) {
        if (state == State.CLOSED) {
            return;
        }
        callEnded = callEnded || callIsOver;
        gone();
        end.complete(End.CLOSED);
    }

    /** The connection broke under it: the relay died, or the caller's end. */
    void broken() {
        if (state != State.CLOSED) {
            gone();
        }
        end.complete(End.BROKEN);
    }

    private void gone() {
        state = State.CLOSED;
        if (via != null && !via.process().isDead()) {
            via.relayEnded();
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
