package dev.spillway.localcloud.twilio;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A TwiML document: its verbs in order, and what its schema does not know (12200). */
record Twiml(List<Verb> verbs, List<String> warnings) {
    Twiml {
        verbs = List.copyOf(verbs);
        warnings = List.copyOf(warnings);
    }

    /** What a call does next. */
    sealed interface Verb {
        /** The verb as the call's history shows it. */
        default String describe() {
            return getClass().getSimpleName();
        }
    }

    /** Connects a media stream and blocks until it ends. */
    record Connect(
            String url,
            @Nullable String name,
            @Nullable String statusCallback,
            String statusCallbackMethod,
            Map<String, String> parameters,
            @Nullable String action)
            implements Verb {
        Connect {
            parameters = Map.copyOf(parameters);
        }
    }

    /** An empty URL means the current document's. */
    record Redirect(String url, String method) implements Verb {}

    record Say(String text, int loop) implements Verb {}

    /** Plays audio, or the tones of {@code digits}. */
    record Play(String url, String digits, int loop) implements Verb {}

    record Pause(int seconds) implements Verb {}

    record Hangup() implements Verb {}

    /** Connects the caller with a phone, and goes on at {@code action} when that is over. */
    record Dial(String number, @Nullable String action, String method) implements Verb {}

    record Reject(boolean busy) implements Verb {}

    /** Something the schema does not know, or that has no meaning here: passed over. */
    record Unknown(String name) implements Verb {
        @Override
        public String describe() {
            return "Unknown " + name;
        }
    }
}
