package dev.spillway.localcloud.twilio;

/** Why a media stream ended, with Twilio's error code; 0 for none. */
public enum StreamEnding {
    /** The server sent a close frame. */
    SERVER_CLOSED(31921),
    CONNECT_TIMEOUT(31901),
    CONNECT_REFUSED(31902),
    /** The handshake was answered by something other than 101, or not at all. */
    HANDSHAKE_REFUSED(31920),
    /** The connection died without a close frame. */
    ABRUPT(31903),
    PROTOCOL_ERROR(31924),
    /** Twilio stopped it: hang-up or update. */
    STOPPED(0);

    private final int errorCode;

    StreamEnding(int errorCode) {
        this.errorCode = errorCode;
    }

    public int errorCode() {
        return errorCode;
    }

    /** Whether the stream never opened. */
    public boolean neverOpened() {
        return this == CONNECT_TIMEOUT || this == CONNECT_REFUSED || this == HANDSHAKE_REFUSED;
    }

    /** Whether it opened and then broke. */
    public boolean broke() {
        return this == ABRUPT || this == PROTOCOL_ERROR;
    }
}
