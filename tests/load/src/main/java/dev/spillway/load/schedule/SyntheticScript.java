package dev.spillway.load.schedule;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the synthetic adapter does with an arrival of a class.
 *
 * @param service seconds until it answers; null for the adapter's own setting
 * @param result what the answer is
 */
public record SyntheticScript(@Nullable Double service, Result result) {
    /** How a synthetic operation comes out. */
    public enum Result {
        COMPLETE("complete"),
        /** The service says no. */
        REJECT("reject"),
        /** The adapter breaks. */
        FAIL("fail"),
        /** Nothing ever comes back. */
        HANG("hang"),
        /** Nobody listens. */
        REFUSE_CONNECTION("refuse-connection"),
        /** The connection breaks after the request was sent. */
        BREAK("break");

        private final String text;

        Result(String text) {
            this.text = text;
        }

        /** As a schedule writes it. */
        public String text() {
            return text;
        }

        static Optional<Result> parse(String text) {
            return Arrays.stream(values()).filter(one -> one.text.equals(text)).findFirst();
        }

        static List<String> texts() {
            return Arrays.stream(values()).map(Result::text).toList();
        }
    }

    /** Completes after the adapter's own service time. */
    public static final SyntheticScript PLAIN = new SyntheticScript(null, Result.COMPLETE);
}
