package dev.spillway.core.reconcile;

import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.background.Shift;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Ends calls whose final status never came. Nothing is scanned for them: a visit lists only the calls that reached one of
 * a few ages since the visits before it, so that what it reads grows with the calls that come in a minute and not with
 * those that ever came, and no place in a list has to be kept. A call that carries on at one age is looked at again at the
 * next.
 */
public final class OpenCalls {
    /**
     * In units of {@link #unit}: by the standard figures at 4, 12 and 48 minutes, at 4 hours 12 minutes, when Twilio has
     * ended every call (its longest is 4 hours unless an account asks for more), and at a day, for what an outage of ours
     * made us miss before.
     */
    private static final List<Integer> AGES = List.of(1, 3, 12, 63, 360);

    /**
     * From the last age on a call is looked at again and again, so that an outage just then does not leave it open for ever:
     * each visit lists one further slice of so many units (an hour) of the past, and begins anew after so many visits. That
     * covers 30 days, every half day.
     */
    private static final int SLICE = 15;

    private static final int SLICES = 720;

    /** Each age is listed for that many rounds: visits may be late, or fail. */
    private static final int ROUNDS = 3;

    /** Twilio is asked for so many calls in one visit at most; what is left is listed again in the next. A guess. */
    private static final int MOST = 50;

    private final Attempts attempts;
    private final Calls calls;
    private final Inquiry inquiry;
    private final Journal journal;
    private final Timing timing;

    public OpenCalls(Attempts attempts, Calls calls, Inquiry inquiry, Journal journal, Timing timing) {
        this.attempts = attempts;
        this.calls = calls;
        this.inquiry = inquiry;
        this.journal = journal;
        this.timing = timing;
    }

    void visit(Shift shift, TenantId tenant, PoolView own, Instant now) {
        List<CallSid> open = Stream.concat(
                        AGES.stream().flatMap(age -> open(tenant, age, now).stream()), old(tenant, now).stream())
                .distinct()
                .toList();
        if (open.isEmpty()) {
            return;
        }
        Optional<PoolView> gateway = shift.pools().read(PoolId.GATEWAY);
        List<CallSid> unclaimed = open.stream()
                .filter(sid -> !isCarried(sid, own, now))
                .filter(sid -> gateway.filter(view -> isCarried(sid, view, now)).isEmpty())
                .toList();
        unclaimed.stream().limit(MOST).forEach(sid -> look(tenant, sid, now));
        if (unclaimed.size() > MOST) {
            journal.write(Entry.of("open-calls-left")
                    .with("tenant", tenant)
                    .with("asked", MOST)
                    .with("left", unclaimed.size() - MOST)
                    .with("reason", "more calls than Twilio is asked for in one visit"));
        }
    }

    /** The first age: whatever was under way has arrived by then, and every report is later. */
    private Duration unit() {
        return timing.tokenLife().plus(timing.lostAfter().multipliedBy(2));
    }

    /** Calls out end with their jobs, which their dialer looks after. */
    private List<CallSid> open(TenantId tenant, int age, Instant now) {
        Instant to = now.minus(unit().multipliedBy(age));
        return open(tenant, to.minus(timing.round().multipliedBy(ROUNDS)), to);
    }

    /** The slice whose turn it is goes by the clock: no place has to be kept, and a visit left out is made up for later. */
    private List<CallSid> old(TenantId tenant, Instant now) {
        long slice = now.toEpochMilli() / timing.round().toMillis() % SLICES;
        Instant to = now.minus(unit().multipliedBy(AGES.getLast() + SLICE * slice));
        return open(tenant, to.minus(unit().multipliedBy(SLICE)), to);
    }

    private List<CallSid> open(TenantId tenant, Instant from, Instant to) {
        return attempts.outlines(tenant, from, to).stream()
                .filter(outline -> outline.kind() == Attempt.Kind.INBOUND && outline.outcome() == null)
                .flatMap(outline -> CallSid.parse(outline.id()).stream())
                .toList();
    }

    /** A live container has it: that one will say when it ends. */
    private static boolean isCarried(CallSid sid, PoolView view, Instant now) {
        return view.containers().stream()
                .anyMatch(container ->
                        container.isAlive(now) && container.claims().containsKey(sid));
    }

    private void look(TenantId tenant, CallSid sid, Instant now) {
        Optional<Call> call = calls.find(tenant, sid).filter(known -> known.outcome() == null);
        boolean onItsWay = call.flatMap(Call::current)
                .filter(answer -> answer.at()
                        .plus(timing.tokenLife())
                        .plus(timing.expiry())
                        .isAfter(now))
                .isPresent();
        if (call.isPresent() && !onItsWay) {
            inquiry.ask(tenant, sid, "it is open, and no live container carries it", now);
        }
    }
}
