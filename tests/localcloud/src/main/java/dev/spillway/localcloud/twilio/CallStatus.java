package dev.spillway.localcloud.twilio;

import java.util.Locale;

/** Twilio's states of a call. */
public enum CallStatus {
    QUEUED,
    RINGING,
    IN_PROGRESS,
    COMPLETED,
    BUSY,
    FAILED,
    NO_ANSWER,
    CANCELED;

    /** As Twilio writes it: {@code in-progress}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public boolean terminal() {
        return compareTo(IN_PROGRESS) > 0;
    }
}
