package dev.spillway.core.call;

import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.tenant.Tenant;
import java.util.Optional;

/**
 * A stream could not be opened or broke. Usually Twilio goes on with the redirect that follows it; whether it does so
 * after a refused handshake nobody could verify, so a call that is still on that hop is sent to its continue URL.
 */
public final class StreamFailure {
    private final Calls calls;
    private final Telephony telephony;
    private final Journal journal;

    public StreamFailure(Calls calls, Telephony telephony, Journal journal) {
        this.calls = calls;
        this.telephony = telephony;
        this.journal = journal;
    }

    /** Whether the notice is about where the call is now, and its stream was never accepted. */
    public boolean isCurrent(Tenant tenant, CallSid sid, int hop) {
        Optional<Call> call = calls.find(tenant.id(), sid);
        return call.isPresent()
                && !call.get().isOver()
                && call.get().hop() == hop
                && call.get().connectedHop() < hop;
    }

    /** Sends the call on IF the notice is still current; whether it did. */
    public boolean move(Tenant tenant, CallSid sid, int hop, String error) {
        if (!isCurrent(tenant, sid, hop)) {
            return false;
        }
        boolean sent = telephony.sendToContinue(tenant, sid, hop);
        journal.write(Entry.of("stream-failed")
                .with("tenant", tenant.id())
                .with("callSid", sid)
                .with("hop", hop)
                .with("sent", sent)
                .with("reason", "stream error " + error + ", and the redirect did not come"));
        return sent;
    }
}
