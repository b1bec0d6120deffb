package dev.spillway.media.wire;

import dev.spillway.core.call.Generation;

/** What the heart does with the streams that are open here. */
public interface OpenStreams {
    /** Hands the call over at the next turn boundary; a slot waits for it elsewhere. Nothing if it is not here. */
    void handOff(Generation generation);

    /** Closes that stream now: Twilio goes on with the redirect. */
    void close(Generation generation, String reason);

    /** Lets every call go at the end of its turn; said again, it is for those that came meanwhile. */
    void leaveAll(String reason);

    int count();
}
