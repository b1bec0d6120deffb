package dev.spillway.load.ledger;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** What became of a scheduled arrival. Each has its definition, which every report prints. */
public enum Outcome {
    COMPLETED(
            "completed",
            "the adapter reached its declared endpoint; for a phone call: it ended as its script says, audio went both"
                    + " ways, and a turn was answered if there was time for it. Not that any task of the caller's was done"),
    REJECTED("rejected", "the service was reached and said no: a 503 or another refusal, Reject, or the busy message"),
    TIMEOUT(
            "timeout",
            "it did not end within the time of one operation; its waiting is a lower bound, never a latency"),
    ADAPTER_ERROR("adapter-error", "it started and failed otherwise; for a phone call also: cut off, or one-way audio"),
    UNANSWERED("unanswered", "its script gives up before there is a conversation, and there was none: as planned"),
    CANCELED("canceled", "it had started when the run was stopped"),
    CANCELED_BEFORE_START("canceled-before-start", "it was launched, and stopped before the adapter was called"),
    NOT_ATTEMPTED("not-attempted", "the run was stopped before it was due"),
    GENERATOR_DROPPED(
            "generator-dropped", "the generator had no room for it when it was due; the adapter was never called"),
    CONNECTION_REFUSED("connection-refused", "no connection could be had, so no request was sent"),
    UNKNOWN("unknown", "the request was sent, and no answer came to tell what became of it");

    /** A caller who hangs up sooner after his turn leaves no time for an answer; a guess. */
    public static final Duration TIME_FOR_AN_ANSWER = Duration.ofSeconds(2);

    private final String text;
    private final String definition;

    Outcome(String text, String definition) {
        this.text = text;
        this.definition = definition;
    }

    /** As ledgers and reports write it. */
    public String text() {
        return text;
    }

    public String definition() {
        return definition;
    }

    /** Whether rows of it have a start. */
    public boolean started() {
        return switch (this) {
            case CANCELED_BEFORE_START, NOT_ATTEMPTED, GENERATOR_DROPPED -> false;
            case COMPLETED, REJECTED, TIMEOUT, ADAPTER_ERROR, UNANSWERED, CANCELED, CONNECTION_REFUSED, UNKNOWN -> true;
        };
    }

    /** Names all definitions: runs whose outcomes mean different things have different ones. */
    public static String definitionsSha256() {
        StringBuilder all = new StringBuilder();
        for (Outcome outcome : values()) {
            all.append(outcome.text).append('=').append(outcome.definition).append('\n');
        }
        return Bundle.sha256(all.toString().getBytes(StandardCharsets.UTF_8));
    }

    public static Optional<Outcome> parse(String text) {
        return Arrays.stream(values()).filter(one -> one.text.equals(text)).findFirst();
    }
}
