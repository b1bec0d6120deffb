package dev.spillway.simulation.world;

import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.tenant.TenantId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One caller, as Twilio knows the call. */
final class PhoneCall {
    /** How far it has come, as long as it is not over. */
    enum Progress {
        /** Twilio knows nothing of it yet. */
        NOT_MADE(""),
        /** It waits to be begun: calls out alone do. */
        QUEUED("queued"),
        RINGING("ringing"),
        /** Some TwiML of ours has answered it; a call out, whoever was called. */
        IN_PROGRESS("in-progress");

        private final String word;

        Progress(String word) {
            this.word = word;
        }
    }

    private final CallSid sid;
    private final TenantId tenant;
    private final int number;
    private final long patienceMicros;
    private final long talkMicros;
    private final boolean agentEndsIt;
    private CompletableFuture<Boolean> wake = new CompletableFuture<>();
    private @Nullable Conversation conversation;
    private @Nullable FinalStatus ended;
    private int hop;
    private int redirectedTo;
    private Progress progress = Progress.NOT_MADE;
    private boolean told;
    private boolean dropped;
    private boolean everHeard;
    private boolean arrived;
    private boolean gaveUp;
    private long silentSince = -1;

    /**
     * @param patienceMicros silence after which the caller gives up
     * @param talkMicros how long there is to talk about
     */
    PhoneCall(CallSid sid, TenantId tenant, int number, long patienceMicros, long talkMicros, boolean agentEndsIt) {
        this.sid = sid;
        this.tenant = tenant;
        this.number = number;
        this.patienceMicros = patienceMicros;
        this.talkMicros = talkMicros;
        this.agentEndsIt = agentEndsIt;
    }

    CallSid sid() {
        return sid;
    }

    TenantId tenant() {
        return tenant;
    }

    long patienceMicros() {
        return patienceMicros;
    }

    long talkMicros() {
        return talkMicros;
    }

    boolean agentEndsIt() {
        return agentEndsIt;
    }

    /** What Twilio waits for next. */
    CompletableFuture<Boolean> nextNews() {
        wake = new CompletableFuture<>();
        return wake;
    }

    void news() {
        wake.complete(true);
    }

    boolean isOver() {
        return ended != null;
    }

    @Nullable
    FinalStatus ended() {
        return ended;
    }

    void end(FinalStatus status) {
        if (ended == null) {
            ended = status;
        }
        news();
    }

    int hop() {
        return hop;
    }

    /** The TwiML in force. */
    void follow(int next) {
        hop = next;
    }

    /** The hop to go on from, by the REST API; 0 if nobody asked. */
    int takeRedirect() {
        int to = redirectedTo;
        redirectedTo = 0;
        return to;
    }

    boolean isRedirected() {
        return redirectedTo > 0;
    }

    void redirect(int to) {
        redirectedTo = to;
        news();
    }

    @Nullable
    Conversation conversation() {
        return conversation;
    }

    void conversation(@Nullable Conversation next) {
        conversation = next;
    }

    boolean isArrived() {
        return arrived;
    }

    void arrive() {
        arrived = true;
    }

    boolean isAnswered() {
        return progress == Progress.IN_PROGRESS;
    }

    void answered() {
        progress(Progress.IN_PROGRESS);
    }

    /** It never goes back. */
    void progress(Progress next) {
        if (next.compareTo(progress) > 0) {
            progress = next;
        }
    }

    /** Twilio's word for how it is; empty if Twilio knows no such call. */
    String word() {
        FinalStatus how = ended;
        return how == null
                ? progress.word
                : switch (how) {
                    case COMPLETED -> "completed";
                    case BUSY -> "busy";
                    case NO_ANSWER -> "no-answer";
                    case FAILED -> "failed";
                    case CANCELED -> "canceled";
                };
    }

    /** Whether it heard the busy message, the apology or the end of the conversation. */
    boolean isTold() {
        return told;
    }

    void tell() {
        told = true;
    }

    boolean isDropped() {
        return dropped;
    }

    /** Every URL failed: Twilio says that an application error occurred. */
    void drop() {
        dropped = true;
    }

    boolean wasHeard() {
        return everHeard;
    }

    boolean hasGivenUp() {
        return gaveUp;
    }

    void giveUp() {
        gaveUp = true;
    }

    boolean isHeard() {
        Conversation now = conversation;
        boolean heard = now != null && now.isHeard();
        everHeard |= heard;
        return heard;
    }

    /** How long nobody has said anything. */
    long silence(long nowMicros) {
        if (isHeard() || told || !arrived || ended != null) {
            silentSince = -1;
            return 0;
        }
        if (silentSince < 0) {
            silentSince = nowMicros;
        }
        return nowMicros - silentSince;
    }

    @Override
    public String toString() {
        return "call " + number;
    }
}
