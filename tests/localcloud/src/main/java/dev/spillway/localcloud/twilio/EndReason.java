package dev.spillway.localcloud.twilio;

/** Why a call ended. */
public enum EndReason {
    /** Hangup, or the end of the TwiML. */
    AGENT_HUNG_UP,
    CALLER_HUNG_UP,
    /** The caller hung up before the call was answered. */
    ABANDONED,
    COMPLETED_BY_REST,
    CANCELED_BY_REST,
    /** The person who was dialled was on the phone. */
    CALLEE_BUSY,
    /** The person who was dialled did not pick up. */
    CALLEE_DID_NOT_ANSWER,
    /** The person who was dialled could not be reached. */
    CALLEE_UNREACHABLE,
    REJECTED_BUSY,
    REJECTED,
    /** No TwiML could be had, not even from the fallback URL. */
    NO_TWIML,
    /** The media stream was lost, and nothing came after it. */
    STREAM_LOST,
    /** The stand-in was closed in mid-call. */
    CLOSED;

    /** Whether the caller was cut off by a failure. */
    public boolean dropped() {
        return this == NO_TWIML || this == STREAM_LOST;
    }
}
