package dev.spillway.core.reconcile;

import java.util.Locale;

/** Whose word decided what became of a claim that looked stale. Its age alone never does. */
enum DecidedBy {
    /** The call's own record: it names another claim, or says that the call is over. */
    CALL_RECORD,
    /** A live container says of itself that the call is not there. */
    CONTAINER_REPORT,
    /** Twilio says how the call is. */
    TWILIO_STATUS;

    /** As written in the journal. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
