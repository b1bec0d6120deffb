package dev.spillway.localcloud.twilio;

/** What can happen to a call while it does something. */
sealed interface Signal {
    /** {@code document} counts the fetches of the call. */
    record Fetched(int document, WebhookAnswer answer) implements Signal {}

    record StreamEnded(MediaStream stream, StreamEnding ending) implements Signal {}

    /** The call is to do something else, whatever it does now. */
    record Diverted(Step step) implements Signal {}
}
