package dev.spillway.core.call;

import dev.spillway.core.call.CallEnding.FinalStatus;

/** What Twilio says of a call when it is asked. */
public sealed interface CallStatus {
    /** @param word Twilio's own, such as {@code in-progress} */
    record Live(String word) implements CallStatus {}

    record Over(FinalStatus status) implements CallStatus {}

    /** Twilio knows no such call. */
    record Unknown() implements CallStatus {}

    /** @param word Twilio's {@code CallStatus} */
    static CallStatus of(String word) {
        return FinalStatus.parse(word).<CallStatus>map(Over::new).orElseGet(() -> new Live(word));
    }
}
