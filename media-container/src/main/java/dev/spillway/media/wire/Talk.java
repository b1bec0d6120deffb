package dev.spillway.media.wire;

import dev.spillway.media.agent.Agent.Opening;
import io.netty.buffer.ByteBuf;

/** Who answers the caller on one stream: an embedded agent, or a bot of the tenant's own. Event loop only. */
interface Talk {
    /** What a conversation may do to its call. */
    interface Call {
        /** The conversation is over once its last word is heard; whoever asks for the call meanwhile is told so. */
        void finishing();

        /** Ends the conversation and the call. */
        void hangUp();

        /**
         * Gives the call to somebody else, and the slot back.
         *
         * @param refused run if that cannot be: the call is where it was
         */
        void transfer(String number, Runnable refused);

        /** Whoever answered is gone: the call goes on elsewhere. Never throws, may be repeated. */
        void giveBack(String reason);

        /** One line about this call. */
        void tell(String event, String reason);
    }

    /** The stream's start was accepted. */
    void begin(Opening opening);

    /**
     * A message of Twilio's; also before {@link #begin}.
     *
     * @param raw as it came; whoever keeps it retains it
     */
    void received(TwilioMessage message, ByteBuf raw);

    /** Nothing more has come for now. */
    void readComplete();

    /** Twilio takes data again, or takes none for now. */
    void writabilityChanged();

    /** Whether nobody is speaking or about to. */
    boolean isAtTurnBoundary();

    /** Whether the last word was said, and is only to be heard: the conversation must not be continued elsewhere. */
    boolean isFinishing();

    /** Prepares to be continued elsewhere, then runs that; also if the preparation fails or takes too long. */
    void leave(Runnable then);

    /** The call itself is over: nothing of its conversation is kept. Comes after {@link #end}. */
    void forget();

    /** The stream is over; nothing may be sent to Twilio any more, and no timer may fire. */
    void end();
}
