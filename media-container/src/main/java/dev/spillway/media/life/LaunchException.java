package dev.spillway.media.life;

/** The container could not become READY; the message says why, for whoever reads the task's log. */
public final class LaunchException extends Exception {
    private static final long serialVersionUID = 1L;

    LaunchException(String message) {
        super(message);
    }

    LaunchException(String message, Throwable cause) {
        super(message, cause);
    }
}
