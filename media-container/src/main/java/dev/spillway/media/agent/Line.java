package dev.spillway.media.agent;

import java.time.Duration;

/** The agent's side of one call's stream. To be used on the call's event loop only. */
public interface Line {
    /** Says it now; what is still being said is not dropped but comes first. */
    void say(Utterance utterance);

    /** Sends 20 ms of μ-law audio at once: for an agent that keeps the pace itself. */
    void play(byte[] frame);

    /** Stops whatever is being said, at the caller's ear too. */
    void clear();

    /** Ends the conversation and the call. */
    void hangUp();

    /**
     * Gives the call to another number, in E.164, and the slot back. If that cannot be, the agent is told and the conversation
     * goes on.
     */
    void transfer(String number);

    /** Runs something later, unless it is cancelled or the call ends before. */
    Timer after(Duration delay, Runnable action);

    /** A clock for measuring, in nanoseconds. */
    long nanos();

    /** Something that will run. */
    @FunctionalInterface
    interface Timer {
        void cancel();
    }
}
