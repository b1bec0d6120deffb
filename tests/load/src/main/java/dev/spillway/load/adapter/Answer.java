package dev.spillway.load.adapter;

import dev.spillway.load.ledger.Outcome;

/** How an operation ended. What was seen on the way is told to the {@link Operation}. */
public record Answer(Outcome outcome, String detail) {
    public static final Answer COMPLETED = new Answer(Outcome.COMPLETED, "");

    public static Answer rejected(String detail) {
        return new Answer(Outcome.REJECTED, detail);
    }
}
