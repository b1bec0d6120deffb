package dev.spillway.load.adapter;

/** No connection could be had, so that no request was sent. */
public final class NotSentException extends Exception {
    private static final long serialVersionUID = 1;

    public NotSentException(String message) {
        super(message);
    }
}
