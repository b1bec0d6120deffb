package dev.spillway.core.reconcile;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Probe;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.Tenants;
import java.time.Instant;

/** Asks a silent container whether it lives, and sends its calls on if it does not answer. */
public final class SilentContainers {
    private final Calls calls;
    private final Tenants tenants;
    private final Telephony telephony;
    private final Probe probe;
    private final Inquiry inquiry;
    private final Journal journal;

    public SilentContainers(
            Calls calls, Tenants tenants, Telephony telephony, Probe probe, Inquiry inquiry, Journal journal) {
        this.calls = calls;
        this.tenants = tenants;
        this.telephony = telephony;
        this.probe = probe;
        this.inquiry = inquiry;
        this.journal = journal;
    }

    /** One that is alive but cut off from the table is left alone: its calls go on. */
    void look(Pool pool, Container container, String reason, Instant now) {
        boolean answers = probe.answers(pool, container.id());
        journal.write(Entry.of("silent")
                .with("pool", pool.id())
                .with("reason", reason)
                .with("container", container.id())
                .with("answers", answers));
        if (!answers) {
            moveCalls(container, "its container is silent and does not answer", now);
        }
    }

    /**
     * The calls of a container that does not answer, or is gone, go on elsewhere, IF they are still on that hop. One whose stream it
     * accepted, and then nothing more, hears as little as one that was connected; one that was only offered the slot is
     * somebody else's still.
     */
    void moveCalls(Container container, String why, Instant now) {
        container.claims().forEach((key, claim) -> {
            if (key instanceof CallSid sid && claim.phase() != Claim.Phase.COOLDOWN) {
                calls.find(claim.tenant(), sid)
                        .filter(call -> !call.isOver() && isOn(call, claim))
                        .flatMap(call -> tenants.find(claim.tenant()))
                        .ifPresent(tenant -> moveCall(container, tenant, sid, claim, why, now));
            }
        });
    }

    private static boolean isOn(Call call, Claim claim) {
        boolean placed = claim.phase() == Claim.Phase.CONNECTED
                || call.current()
                        .flatMap(Answer::placed)
                        .filter(claim.generation()::equals)
                        .isPresent();
        return placed && call.hop() == claim.generation().hop();
    }

    /** One tenant's trouble with Twilio must not keep the other calls, nor the rest of the visit, from being mended. */
    private void moveCall(Container container, Tenant tenant, CallSid sid, Claim claim, String why, Instant now) {
        Entry moved = Entry.of("moved")
                .with("pool", container.pool())
                .with("reason", why)
                .with("container", container.id())
                .with("callSid", sid)
                .withKnown("job", claim.job());
        boolean sent;
        try {
            sent = telephony.sendToContinue(tenant, sid, claim.generation().hop());
        } catch (DependencyException e) {
            journal.write(moved.with("sent", "unknown").with("error", e.dependency() + " did not answer"));
            return;
        }
        journal.write(moved.with("sent", sent));
        if (!sent) {
            inquiry.ask(tenant.id(), sid, "it could not be moved: Twilio says that it is over", now);
        }
    }
}
