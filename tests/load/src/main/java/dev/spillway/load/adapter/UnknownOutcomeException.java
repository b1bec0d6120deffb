package dev.spillway.load.adapter;

/** The request was sent, and the connection ended before an answer came. */
public final class UnknownOutcomeException extends Exception {
    private static final long serialVersionUID = 1;

    public UnknownOutcomeException(String message) {
        super(message);
    }
}
