package dev.spillway.core.reconcile;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.CallStatus;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Instant;
import java.util.Optional;

/** Asks Twilio how a call is, and puts it away if it is over: the notice that should have said so was lost. */
public final class Inquiry {
    private final Tenants tenants;
    private final Telephony telephony;
    private final CallEnding ending;
    private final Journal journal;

    public Inquiry(Tenants tenants, Telephony telephony, CallEnding ending, Journal journal) {
        this.tenants = tenants;
        this.telephony = telephony;
        this.ending = ending;
        this.journal = journal;
    }

    /** What Twilio said. */
    enum Reply {
        LIVE,
        OVER,
        /** Twilio did not say: nothing is decided, and it is asked again next time. */
        NONE
    }

    /** @param why what made the call look stale, for the journal */
    Reply ask(TenantId id, CallSid sid, String why, Instant now) {
        Entry entry =
                Entry.of("call-asked").with("tenant", id).with("callSid", sid).with("reason", why);
        Optional<Tenant> tenant = tenants.find(id);
        if (tenant.isEmpty()) {
            journal.write(entry.with("status", "unknown").with("error", "there is no such tenant any more"));
            return Reply.NONE;
        }
        CallStatus status;
        try {
            status = telephony.status(tenant.get(), sid);
        } catch (DependencyException e) {
            // One tenant's trouble with Twilio must not keep the rest of the visit from being done.
            journal.write(entry.with("status", "unknown").with("error", e.dependency() + " does not answer"));
            return Reply.NONE;
        }
        return switch (status) {
            case CallStatus.Live live -> {
                journal.write(entry.with("status", live.word()));
                yield Reply.LIVE;
            }
            case CallStatus.Over over -> {
                // A call out has its record before its claim is the call's: one without a record is a caller's.
                boolean ended = ending.endInbound(id, sid, 0, over.status(), now);
                journal.write(decided(entry, over.status().toString(), ended));
                yield Reply.OVER;
            }
            case CallStatus.Unknown unknown -> {
                boolean ended = ending.lose(id, sid, "Twilio knows no such call", now);
                journal.write(decided(entry, "unknown to Twilio", ended));
                yield Reply.OVER;
            }
        };
    }

    private static Entry decided(Entry entry, String status, boolean ended) {
        return entry.with("status", status).with("ended", ended).with("decidedBy", DecidedBy.TWILIO_STATUS.text());
    }
}
