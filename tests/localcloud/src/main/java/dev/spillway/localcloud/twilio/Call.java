package dev.spillway.localcloud.twilio;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One phone call, from its arrival to its end. Everything can be read at any time, from any thread. */
public final class Call {
    private final String sid;
    private final String accountSid;
    private final String to;
    private final String from;
    private final Moment placedAt = Moment.now();
    private final CallHistory history = new CallHistory();
    private final CompletableFuture<EndReason> end = new CompletableFuture<>();
    private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private final boolean outbound;
    private volatile CallStatus status;
    private volatile @Nullable Moment startedAt;
    private volatile @Nullable Moment answeredAt;
    private volatile @Nullable Moment endedAt;
    private volatile boolean hungUp;

    /** A call that comes in. */
    Call(String sid, String accountSid, String to, String from) {
        this(sid, accountSid, to, from, false);
    }

    Call(String sid, String accountSid, String to, String from, boolean outbound) {
        this.outbound = outbound;
        this.status = outbound ? CallStatus.QUEUED : CallStatus.RINGING;
        this.sid = sid;
        this.accountSid = accountSid;
        this.to = to;
        this.from = from;
        this.startedAt = outbound ? null : placedAt;
    }

    public String sid() {
        return sid;
    }

    public String accountSid() {
        return accountSid;
    }

    public String to() {
        return to;
    }

    public String from() {
        return from;
    }

    /** Whether it was made by the REST API. */
    public boolean isOutbound() {
        return outbound;
    }

    /** As Twilio writes it. */
    String direction() {
        return outbound ? "outbound-api" : "inbound";
    }

    synchronized void ringing() {
        startedAt = Moment.now();
        status = CallStatus.RINGING;
    }

    public CallStatus status() {
        return status;
    }

    /** When the call arrived at Twilio. */
    public Moment placedAt() {
        return placedAt;
    }

    /** When Twilio took it out of its queue, or the caller's arrival; empty for a call that waits there, or never left it. */
    public Optional<Moment> startedAt() {
        return Optional.ofNullable(startedAt);
    }

    /** When the first verb ran; empty for a call that was never answered. */
    public Optional<Moment> answeredAt() {
        return Optional.ofNullable(answeredAt);
    }

    public Optional<Moment> endedAt() {
        return Optional.ofNullable(endedAt);
    }

    /** Empty while the call is up. */
    public Optional<EndReason> endReason() {
        return Optional.ofNullable(end.getNow(null));
    }

    /** Whether it ended by a failure rather than by a decision of anybody. */
    public boolean dropped() {
        return endReason().map(EndReason::dropped).orElse(false);
    }

    public CallHistory history() {
        return history;
    }

    /** From the call's arrival to the first thing the caller heard. */
    public Optional<Duration> timeToFirstAudio() {
        return history.firstAudioAt().map(at -> at.since(placedAt));
    }

    /** Waits for the end; false if the time is over first. */
    public boolean awaitEnd(Duration most) throws InterruptedException {
        try {
            end.get(most.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (java.util.concurrent.TimeoutException e) {
            return false;
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException("the end is never exceptional", e);
        }
    }

    /** The caller hangs up now, whatever the script says. */
    public void hangUp() {
        hungUp = true;
        EndReason reason = answeredAt == null ? EndReason.ABANDONED : EndReason.CALLER_HUNG_UP;
        post(new Signal.Diverted(new Step.End(reason)));
    }

    /** Whether the caller has hung up, though the call may take a moment to end. */
    boolean isHungUp() {
        return hungUp;
    }

    void whenEnded(Runnable task) {
        end.thenRun(task);
    }

    void post(Signal signal) {
        signals.add(signal);
    }

    /** Diverts the call if it is in that state; one lock with the state's changes, so that no update is lost unnoticed. */
    synchronized boolean divertIf(CallStatus expected, Step step) {
        if (status != expected) {
            return false;
        }
        post(new Signal.Diverted(step));
        return true;
    }

    @Nullable
    Signal next(long waitNanos) throws InterruptedException {
        return signals.poll(Math.max(0, waitNanos), TimeUnit.NANOSECONDS);
    }

    synchronized void answered() {
        answeredAt = Moment.now();
        status = CallStatus.IN_PROGRESS;
    }

    synchronized void ended(EndReason reason) {
        endedAt = Moment.now();
        status = answeredAt != null ? CallStatus.COMPLETED : outbound ? notReached(reason) : unanswered(reason);
        end.complete(reason);
    }

    private static CallStatus notReached(EndReason reason) {
        return switch (reason) {
            case CALLEE_BUSY -> CallStatus.BUSY;
            case CALLEE_UNREACHABLE -> CallStatus.FAILED;
            case COMPLETED_BY_REST, CANCELED_BY_REST -> CallStatus.CANCELED;
            default -> CallStatus.NO_ANSWER;
        };
    }

    /** How unanswered calls end is a guess from Twilio's list of states. */
    private static CallStatus unanswered(EndReason reason) {
        return switch (reason) {
            case REJECTED_BUSY, CALLEE_BUSY -> CallStatus.BUSY;
            case NO_TWIML, STREAM_LOST, CLOSED, CALLEE_UNREACHABLE -> CallStatus.FAILED;
            case CANCELED_BY_REST -> CallStatus.CANCELED;
            case CALLEE_DID_NOT_ANSWER, REJECTED, ABANDONED, CALLER_HUNG_UP, AGENT_HUNG_UP, COMPLETED_BY_REST ->
                CallStatus.NO_ANSWER;
        };
    }

    Duration length() {
        Moment from = answeredAt;
        Moment until = endedAt;
        if (from == null) {
            return Duration.ZERO;
        }
        return (until == null ? Moment.now() : until).since(from);
    }
}
