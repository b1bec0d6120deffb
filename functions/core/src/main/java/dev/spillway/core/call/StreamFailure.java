package dev.spillway.core.call;

import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.tenant.Tenant;
import java.util.Optional;

/**
 * A stream could not be opened or broke. Usually Twilio goes on with the redirect that follows it; whether it does so
 * after a refused handshake or a broken connection nobody could verify, so a call that is still on that hop is sent to its
 * continue URL. A stream that our side closed (31921) is always followed by the redirect, if the closing reaches Twilio: it does
 * not when the relay that carried the stream is frozen or gone.
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

    /** What Twilio says of the stream (docs/api/errors; FACTS, "Stream errors"). */
    public enum Kind {
        /** 31901, 31902, 31920: can come late, after another delivery of the same stream was accepted. */
        NEVER_OPENED,
        /** 31903, 31924: the very stream that carried the call is gone. */
        BROKE,
        /** By a container's word and not by Twilio's: it heard nothing more of the caller (decision 0032). */
        SILENT,
        /** Everything else: the call goes on by itself. */
        HARMLESS;

        /** @param streamError the callback's {@code StreamError} or {@code StreamErrorCode}: a code, alone or in a text */
        public static Kind of(String streamError) {
            if (streamError.contains("31901") || streamError.contains("31902") || streamError.contains("31920")) {
                return NEVER_OPENED;
            }
            return streamError.contains("31903") || streamError.contains("31924") ? BROKE : HARMLESS;
        }
    }

    /** Whether the call is still where the notice says, and has nothing else to go on with. */
    public boolean isCurrent(Tenant tenant, CallSid sid, int hop, Kind kind) {
        return current(tenant, sid, hop, kind).isPresent();
    }

    private Optional<Call> current(Tenant tenant, CallSid sid, int hop, Kind kind) {
        if (kind == Kind.HARMLESS) {
            return Optional.empty();
        }
        return calls.find(tenant.id(), sid)
                .filter(call -> !call.isOver() && call.hop() == hop)
                .filter(call -> kind != Kind.NEVER_OPENED || call.connectedHop() < hop);
    }

    /** Sends the call on IF the notice is still current; whether it did. */
    public boolean move(Tenant tenant, CallSid sid, int hop, Kind kind) {
        Optional<Call> current = current(tenant, sid, hop, kind);
        if (current.isEmpty()) {
            return false;
        }
        boolean sent = telephony.sendToContinue(tenant, sid, hop);
        journal.write(Entry.of("stream-failed")
                .with("tenant", tenant.id())
                .with("callSid", sid)
                .withKnown("job", current.get().story().job())
                .with("hop", hop)
                .with("sent", sent)
                .with("reason", "stream " + kind + ", and the redirect did not come"));
        return sent;
    }
}
