package dev.spillway.media.call;

import dev.spillway.adapters.twilio.CallerNumber;
import dev.spillway.adapters.twilio.Twiml;
import dev.spillway.adapters.twilio.WebhookSignature;
import dev.spillway.core.DependencyException;
import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generations;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.TwilioTokens;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.admission.Admission.Admitted;
import dev.spillway.media.admission.Seat;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls that Twilio brings to this pool's load balancer: the direct path, which needs nothing but this container and one
 * write. Whatever goes wrong is a 503, and Twilio asks the fallback.
 */
public final class DirectCalls {
    private final Self self;
    private final TenantId tenantId;
    private final StreamKey key;
    private final String voiceUrl;
    private final Duration tokenLife;
    private final SetupBudget budget;
    private final Personas personas;
    private final TwilioTokens tokens;
    private final Admission admission;
    private final Seating seating;
    private final Generations generations;
    private final Twiml twiml;
    private final Patience patience;
    private final Journal journal;
    private final InstantSource clock;

    /**
     * @param key the pool's: callers are named by it
     * @param voiceUrl the public URL of this route, as Twilio signs it
     */
    public DirectCalls(
            Self self,
            TenantId tenantId,
            StreamKey key,
            String voiceUrl,
            Duration tokenLife,
            SetupBudget budget,
            Personas personas,
            TwilioTokens tokens,
            Admission admission,
            Seating seating,
            Generations generations,
            Twiml twiml,
            Patience patience,
            Journal journal,
            InstantSource clock) {
        this.self = self;
        this.tenantId = tenantId;
        this.key = key;
        this.voiceUrl = voiceUrl;
        this.tokenLife = tokenLife;
        this.budget = budget;
        this.personas = personas;
        this.tokens = tokens;
        this.admission = admission;
        this.seating = seating;
        this.generations = generations;
        this.twiml = twiml;
        this.patience = patience;
        this.journal = journal;
        this.clock = clock;
    }

    /** What the webhook is answered. */
    public record Reply(int status, String contentType, String body) {
        static Reply text(int status, String body) {
            return new Reply(status, "text/plain; charset=utf-8", body);
        }
    }

    /** Answers one webhook; may block for the claim. */
    public Reply answer(Map<String, String> form, String signature) {
        SetupBudget.Begun setup = budget.begin(System.nanoTime());
        Optional<CallSid> sid = CallSid.parse(form.getOrDefault("CallSid", ""));
        Tenant tenant;
        try {
            Tenant found = personas.find(tenantId, setup.left(System.nanoTime()))
                    .orElseThrow(() -> new IllegalStateException("there is no tenant " + tenantId));
            tenant = found;
            if (!patience.await("tokens", setup.left(System.nanoTime()), () -> isSigned(found, form, signature))) {
                return refuse(403, sid, "the signature is wrong");
            }
        } catch (DependencyException | IllegalStateException e) {
            return refuse(503, sid, "the tenant or its tokens cannot be read: " + e.getMessage());
        }
        if (sid.isEmpty()) {
            return refuse(400, sid, "no CallSid");
        }
        if (!tenant.accountSid().equals(form.getOrDefault("AccountSid", ""))) {
            return refuse(403, sid, "another account");
        }
        if (!tenant.numbers().contains(form.getOrDefault("To", ""))) {
            return refuse(403, sid, "the called number is not the tenant's");
        }
        if (setup.isSpent(System.nanoTime())) {
            return refuse(503, sid, "the setup took its " + budget.whole().toMillis() + " ms without a claim");
        }
        Instant now = clock.instant();
        Admitted admitted = admission.admit(sid.get(), tenantId, () -> generations.next(1), now.plus(tokenLife), now);
        return switch (admitted) {
            case Admitted.Fresh fresh ->
                take(fresh.seat(), CallerNumber.hash(form, key).orElse(null), setup);
            case Admitted.Known known -> repeat(known.seat(), setup);
            case Admitted.Refused refused -> {
                refuse(503, sid, refused.reason());
                yield Reply.text(503, refused.reason() + "\n");
            }
        };
    }

    private boolean isSigned(Tenant tenant, Map<String, String> form, String signature) {
        if (WebhookSignature.isValid(tokens.of(tenant), voiceUrl, form, signature)) {
            return true;
        }
        // The token may have been rotated a moment ago.
        tokens.refresh(tenant);
        return WebhookSignature.isValid(tokens.of(tenant), voiceUrl, form, signature);
    }

    private Reply take(Seat seat, @Nullable CallerHash caller, SetupBudget.Begun setup) {
        Reply reply;
        boolean taken = false;
        try {
            reply = render(seat);
            taken = seating.claim(seat, setup.forContainer(System.nanoTime())) && admission.answered(seat);
        } finally {
            if (!taken) {
                admission.ended(seat, clock.instant());
                seat.recorded().complete(true);
            }
            seat.claimed().complete(taken);
        }
        if (!taken) {
            return refuse(503, Optional.of(seat.sid()), "the table refused the claim, or others took the room");
        }
        patience.later(() -> seating.record(seat, stream(seat), caller));
        journal.write(seat.entry("answered", "direct"));
        return reply;
    }

    private Reply repeat(Seat seat, SetupBudget.Begun setup) {
        try {
            return patience.result(seat.claimed(), setup.forContainer(System.nanoTime()))
                    ? render(seat)
                    : refuse(503, Optional.of(seat.sid()), "the table refused the claim");
        } catch (ExecutionException | CancellationException e) {
            return refuse(503, Optional.of(seat.sid()), "the first webhook of this call failed");
        } catch (TimeoutException e) {
            return refuse(503, Optional.of(seat.sid()), "the first webhook of this call is not answered yet");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return refuse(503, Optional.of(seat.sid()), "interrupted");
        }
    }

    private Reply render(Seat seat) {
        return new Reply(200, "text/xml; charset=utf-8", twiml.render(seat.tenant(), seat.sid(), 1, stream(seat)));
    }

    private Answer.Stream stream(Seat seat) {
        return seat.answer(self.pool(), self.id(), seat.arrivedAt());
    }

    private Reply refuse(int status, Optional<CallSid> sid, String reason) {
        journal.write(Entry.of("refused")
                .with("tenant", tenantId)
                .with("callSid", sid.map(CallSid::value).orElse("none"))
                .with("status", status)
                .with("reason", reason)
                .count(Metric.TURNED_AWAY));
        return switch (status) {
            case 400 -> Reply.text(400, "bad request\n");
            case 403 -> Reply.text(403, "forbidden\n");
            default -> Reply.text(503, "no free slot\n");
        };
    }
}
