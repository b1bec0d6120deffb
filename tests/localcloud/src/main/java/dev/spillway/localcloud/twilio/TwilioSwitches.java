package dev.spillway.localcloud.twilio;

import java.time.Duration;

/**
 * One switch for each fact about Twilio that nobody could verify, and for each way in which callbacks go wrong.
 *
 * @param signFragment whether the fragment with connection overrides is part of the signed URL
 * @param errorUrlKeepsFragment whether ErrorUrl carries the fragment
 * @param signStreamHandshake whether the WebSocket handshake carries X-Twilio-Signature
 * @param afterRefusedStream what happens to a call whose stream never opened (31901, 31902, 31920)
 * @param afterAbruptClose what happens to a call whose stream's connection died (31903, 31924)
 * @param updateWait how long a call that waits for an update waits, before it is dropped
 * @param errorCallbackForServerClose whether a stream closed by the server (31921) sends stream-error as well
 * @param errorCallbackForBadMessage whether a bad message (31951) sends stream-error
 * @param allowPlainWebSocket whether ws:// is accepted on loopback
 * @param streamCallbacks what happens to stream status callbacks
 * @param callCallbacks what happens to call status callbacks
 * @param seed of all choices; printed at the start
 */
public record TwilioSwitches(
        boolean signFragment,
        boolean errorUrlKeepsFragment,
        boolean signStreamHandshake,
        AfterStreamFailure afterRefusedStream,
        AfterStreamFailure afterAbruptClose,
        Duration updateWait,
        boolean errorCallbackForServerClose,
        boolean errorCallbackForBadMessage,
        boolean allowPlainWebSocket,
        CallbackFaults streamCallbacks,
        CallbackFaults callCallbacks,
        long seed) {

    /** What becomes of a call whose stream failed. */
    public enum AfterStreamFailure {
        /** The TwiML after Connect runs. */
        NEXT_VERB,
        /** It does not: the call stays up in silence until it is updated through REST. */
        WAIT_FOR_UPDATE
    }

    /**
     * How callbacks go wrong.
     *
     * @param missing share never sent, 0 to 1
     * @param twice share sent twice, 0 to 1
     * @param late share sent late, 0 to 1
     * @param lateBy the longest delay of a late one
     */
    public record CallbackFaults(double missing, double twice, double late, Duration lateBy) {
        public static final CallbackFaults NONE = new CallbackFaults(0, 0, 0, Duration.ZERO);

        public CallbackFaults {
            if (missing < 0 || missing > 1 || twice < 0 || twice > 1 || late < 0 || late > 1) {
                throw new IllegalArgumentException("shares lie between 0 and 1");
            }
        }
    }

    /** The likeliest position of each switch, and callbacks that work. */
    public static TwilioSwitches likely(long seed) {
        return new TwilioSwitches(
                false,
                false,
                false,
                AfterStreamFailure.NEXT_VERB,
                AfterStreamFailure.NEXT_VERB,
                Duration.ofSeconds(30),
                true,
                false,
                true,
                CallbackFaults.NONE,
                CallbackFaults.NONE,
                seed);
    }

    public TwilioSwitches withSignFragment(boolean value) {
        return with(copy -> copy.signFragment = value);
    }

    public TwilioSwitches withErrorUrlKeepsFragment(boolean value) {
        return with(copy -> copy.errorUrlKeepsFragment = value);
    }

    public TwilioSwitches withSignStreamHandshake(boolean value) {
        return with(copy -> copy.signStreamHandshake = value);
    }

    public TwilioSwitches withAfterRefusedStream(AfterStreamFailure value) {
        return with(copy -> copy.afterRefusedStream = value);
    }

    public TwilioSwitches withAfterAbruptClose(AfterStreamFailure value) {
        return with(copy -> copy.afterAbruptClose = value);
    }

    public TwilioSwitches withUpdateWait(Duration value) {
        return with(copy -> copy.updateWait = value);
    }

    public TwilioSwitches withErrorCallbackForServerClose(boolean value) {
        return with(copy -> copy.errorCallbackForServerClose = value);
    }

    public TwilioSwitches withErrorCallbackForBadMessage(boolean value) {
        return with(copy -> copy.errorCallbackForBadMessage = value);
    }

    public TwilioSwitches withAllowPlainWebSocket(boolean value) {
        return with(copy -> copy.allowPlainWebSocket = value);
    }

    public TwilioSwitches withStreamCallbacks(CallbackFaults value) {
        return with(copy -> copy.streamCallbacks = value);
    }

    public TwilioSwitches withCallCallbacks(CallbackFaults value) {
        return with(copy -> copy.callCallbacks = value);
    }

    private interface Change {
        void apply(Copy copy);
    }

    private TwilioSwitches with(Change change) {
        Copy copy = new Copy(this);
        change.apply(copy);
        return copy.switches();
    }

    private static final class Copy {
        boolean signFragment;
        boolean errorUrlKeepsFragment;
        boolean signStreamHandshake;
        AfterStreamFailure afterRefusedStream;
        AfterStreamFailure afterAbruptClose;
        Duration updateWait;
        boolean errorCallbackForServerClose;
        boolean errorCallbackForBadMessage;
        boolean allowPlainWebSocket;
        CallbackFaults streamCallbacks;
        CallbackFaults callCallbacks;
        final long seed;

        Copy(TwilioSwitches from) {
            signFragment = from.signFragment;
            errorUrlKeepsFragment = from.errorUrlKeepsFragment;
            signStreamHandshake = from.signStreamHandshake;
            afterRefusedStream = from.afterRefusedStream;
            afterAbruptClose = from.afterAbruptClose;
            updateWait = from.updateWait;
            errorCallbackForServerClose = from.errorCallbackForServerClose;
            errorCallbackForBadMessage = from.errorCallbackForBadMessage;
            allowPlainWebSocket = from.allowPlainWebSocket;
            streamCallbacks = from.streamCallbacks;
            callCallbacks = from.callCallbacks;
            seed = from.seed;
        }

        TwilioSwitches switches() {
            return new TwilioSwitches(
                    signFragment,
                    errorUrlKeepsFragment,
                    signStreamHandshake,
                    afterRefusedStream,
                    afterAbruptClose,
                    updateWait,
                    errorCallbackForServerClose,
                    errorCallbackForBadMessage,
                    allowPlainWebSocket,
                    streamCallbacks,
                    callCallbacks,
                    seed);
        }
    }
}
