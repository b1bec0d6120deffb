package dev.spillway.media.agent;

/**
 * Who talks in one call. Every method runs on the call's event loop: an implementation must not block, needs no locks, and
 * keeps nothing beyond its call.
 */
public interface Agent {
    /** How a conversation begins here. */
    enum Opening {
        /** The caller hears us for the first time. */
        GREETING,
        /** The conversation was going on in another container. */
        RESUME
    }

    void begin(Opening opening);

    /**
     * What another container has to know to go on with this conversation; empty if there is nothing to know. Asked when
     * something was said to its end.
     */
    default byte[] conversation() {
        return new byte[0];
    }

    /**
     * Takes up what was kept of this call elsewhere; comes before {@link #begin}, if at all. False if it cannot be read: the
     * conversation then begins anew. Who keeps nothing can read nothing of another's.
     */
    default boolean recall(byte[] kept) {
        return kept.length == 0;
    }

    /** 20 ms of the caller's audio, μ-law at 8 kHz. */
    void heard(byte[] muLaw);

    /** The caller pressed a key. */
    void pressed(String digit);

    /** The utterance was played to its end, unless it was cleared before. */
    void played(Utterance utterance);

    /** The call could not be given to the number that this agent asked for. */
    default void transferRefused() {}

    /** Whether nobody is speaking or about to: the call may move now. */
    boolean isAtTurnBoundary();

    /** The call is over: no timer of this agent may fire any more. */
    void end();
}
