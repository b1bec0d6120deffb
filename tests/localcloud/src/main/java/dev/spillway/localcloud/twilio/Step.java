package dev.spillway.localcloud.twilio;

import dev.spillway.localcloud.twilio.CallHistory.Purpose;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** What a call does next. */
sealed interface Step {
    /** Fetches a document. {@code extra} are fields beside the usual ones. */
    record Fetch(Purpose purpose, URI url, String method, Map<String, String> extra) implements Step {}

    /** Runs the verbs; relative URLs are resolved against {@code base}. */
    record Run(List<Twiml.Verb> verbs, URI base, boolean streamLost) implements Step {}

    /** Waits in Twilio's queue, and until the person who is dialled picks up or does not. */
    record Ring(OutboundCall outbound) implements Step {}

    record End(EndReason reason) implements Step {}
}
