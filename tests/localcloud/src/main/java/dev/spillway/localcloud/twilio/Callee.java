package dev.spillway.localcloud.twilio;

import java.time.Duration;

/** What a person who is dialled does. */
public sealed interface Callee {
    /** Picks up after so much ringing, and then behaves as a caller does. */
    record Answers(Duration after, CallScript script) implements Callee {}

    record Busy(Duration after) implements Callee {}

    /** Lets it ring that long, until Twilio gives up. */
    record NoAnswer(Duration after) implements Callee {}

    /** The carrier cannot connect it. */
    record Fails(Duration after) implements Callee {}

    /** Rings until somebody hangs up by the REST API. */
    record RingsOn() implements Callee {}
}
