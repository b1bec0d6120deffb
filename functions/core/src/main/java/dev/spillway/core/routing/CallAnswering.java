package dev.spillway.core.routing;

import dev.spillway.core.Timing;
import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Generations;
import dev.spillway.core.call.Offer;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.pool.SlotReuse;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers a call that asks where to go: one that overflowed, or one that continues. The attempt is written before it is
 * decided. Budget for an overflow, lost races aside: two reads (the two pools) and three writes (attempt, claim,
 * placement).
 *
 * <p>Two webhooks for the same hop race on the call item: the placement moves the hop by condition, so one answer wins,
 * the other gives its slot back and repeats the winner's answer.
 */
public final class CallAnswering {
    /** Slots lost to other calls before the busy message; each loss means that another call was served. */
    private static final int MOST_LOST_SLOTS = 12;

    private final Pools pools;
    private final Containers containers;
    private final Calls calls;
    private final Announcements announcements;
    private final Generations generations;
    private final Journal journal;
    private final Timing timing;

    public CallAnswering(
            Pools pools,
            Containers containers,
            Calls calls,
            Announcements announcements,
            Generations generations,
            Journal journal,
            Timing timing) {
        this.pools = pools;
        this.containers = containers;
        this.calls = calls;
        this.announcements = announcements;
        this.generations = generations;
        this.journal = journal;
        this.timing = timing;
    }

    /** What to tell Twilio, and which hop that answer is. */
    public record Answered(int hop, Answer answer) {}

    /**
     * A webhook that asks where its call should go.
     *
     * @param fromHop the hop the call was on, from the URL that failed or continued; 0 for a call that was placed nowhere
     * @param cause why the webhook came, for the log and the story
     * @param turnedAway whether it came because the door of the tenant's pool refused the call
     * @param caller null if it is not known who calls
     * @param served whether somebody whom the call was transferred to has talked with the caller
     */
    public record Asked(
            TenantId tenant,
            CallSid sid,
            int fromHop,
            String cause,
            boolean turnedAway,
            @Nullable CallerHash caller,
            boolean served) {
        /** A call that nobody was given. */
        public Asked(
                TenantId tenant,
                CallSid sid,
                int fromHop,
                String cause,
                boolean turnedAway,
                @Nullable CallerHash caller) {
            this(tenant, sid, fromHop, cause, turnedAway, caller, false);
        }
    }

    /** As {@link #answer(Asked, Instant)}, by an unknown caller whom nobody turned away. */
    public Answered answer(TenantId tenant, CallSid sid, int fromHop, String cause, Instant now) {
        return answer(new Asked(tenant, sid, fromHop, cause, false, null), now);
    }

    public Answered answer(Asked asked, Instant now) {
        Call fresh = Call.returned(asked.tenant(), asked.sid(), asked.fromHop(), asked.caller(), now);
        Call call = calls.begin(fresh)
                ? fresh
                : calls.find(asked.tenant(), asked.sid()).orElse(fresh);
        int fromHop = asked.fromHop();
        Answer given = call.answers().get(fromHop + 1);
        if (given != null) {
            journal.write(entry("repeated", call).with("hop", fromHop + 1).with("reason", asked.cause()));
            return new Answered(fromHop + 1, given);
        }
        return place(call, asked, now);
    }

    private Answered place(Call call, Asked asked, Instant now) {
        PoolId ownPool = PoolId.of(call.tenant());
        PoolView own = pools.read(ownPool)
                .orElseThrow(() -> new IllegalStateException("tenant " + call.tenant() + " has no pool item"));
        PoolView gateway = pools.read(PoolId.GATEWAY)
                .orElseThrow(() -> new IllegalStateException("there is no gateway pool item"));
        Set<ContainerId> lost = new HashSet<>();
        while (true) {
            Route route;
            if (asked.served() && call.current().orElse(null) instanceof Answer.Transfer) {
                route = new Route.ToHangUp("whom it was given to has talked with the caller");
            } else if (lost.size() > MOST_LOST_SLOTS) {
                route = new Route.ToBusy("lost " + lost.size() + " races for a slot");
            } else {
                route = Router.route(call, own, gateway, lost, now);
            }
            Answer answer = answerFor(call, route, now);
            if (route instanceof Route.ToSlot slot && !claim(call, slot, (Answer.Stream) answer, now)) {
                lost.add(slot.container().id());
                continue;
            }
            List<Step> steps =
                    Telling.of(call, route, own, gateway, asked.turnedAway(), asked.cause(), timing.coldStart(), now);
            return settle(call, route, answer, steps, asked.cause(), now);
        }
    }

    private Answer answerFor(Call call, Route route, Instant now) {
        return switch (route) {
            case Route.ToSlot slot ->
                new Answer.Stream(
                        slot.container().pool(),
                        slot.container().id(),
                        offeredGeneration(call, slot),
                        now.plus(timing.tokenLife()),
                        now);
            case Route.ToGatewayUnclaimed unclaimed -> unclaimed(call.hop() + 1, now);
            case Route.ToBusy busy -> new Answer.Busy(now);
            case Route.ToApology apology -> new Answer.Apology(now);
            case Route.ToHangUp hangUp -> new Answer.HangUp(now);
        };
    }

    /** The answer when nothing could be claimed: any container of the gateway may take the call. */
    public Answer.Stream unclaimed(int hop, Instant now) {
        return new Answer.Stream(PoolId.GATEWAY, null, generations.next(hop), now.plus(timing.tokenLife()), now);
    }

    private Generation offeredGeneration(Call call, Route.ToSlot slot) {
        return offerOf(call, slot).map(Offer::generation).orElseGet(() -> generations.next(call.hop() + 1));
    }

    /** The call's offer, if this is the slot it is for. */
    private static Optional<Offer> offerOf(Call call, Route.ToSlot slot) {
        return Optional.ofNullable(call.offer())
                .filter(offer -> !slot.container().pool().isGateway())
                .filter(offer -> offer.container().equals(slot.container().id()))
                .filter(offer -> slot.container().claims().containsKey(call.sid()));
    }

    private boolean claim(Call call, Route.ToSlot slot, Answer.Stream answer, Instant now) {
        if (offerOf(call, slot).isPresent()) {
            return true; // the hand-off claimed it
        }
        Claim old = slot.container().claims().get(call.sid());
        if (old != null) {
            // The slot that waits for it, or that a webhook claimed and did not get to say so: its old claim makes room
            // for the new one, or for a faster call.
            containers.release(slot.container().pool(), slot.container().id(), call.sid(), old.generation());
        }
        Claim claim = Claim.reserved(answer.generation(), call.tenant(), call.arrivedAt(), now)
                .dialledFor(call.story().job());
        PoolId pool = slot.container().pool();
        ContainerId container = slot.container().id();
        return switch (containers.claim(
                pool, container, call.sid(), claim, slot.container().limit(), now)) {
            case ClaimResult.Claimed claimed -> {
                SlotReuse.write(pool, container, call.sid(), claimed, now, journal);
                yield true;
            }
            case ClaimResult.Refused refused -> false;
        };
    }

    private Answered settle(Call call, Route route, Answer answer, List<Step> steps, String cause, Instant now) {
        if (!calls.place(call.tenant(), call.sid(), call.hop(), answer, steps)) {
            // Another webhook for this hop was faster, or the call ended: its answer stands and our slot goes back.
            releaseUnless(call, answer, call.offer() != null ? call.offer().generation() : null);
            Call winner = calls.find(call.tenant(), call.sid()).orElse(call);
            Answer stands = winner.answers().get(call.hop() + 1);
            return new Answered(call.hop() + 1, stands != null ? stands : new Answer.HangUp(now));
        }
        // Whoever moves a call removes its old claim, if that never connected, and an offer it did not take.
        call.current().ifPresent(before -> releaseUnless(call, before, null));
        if (call.offer() != null
                && answer.placed().filter(call.offer().generation()::equals).isEmpty()) {
            containers.release(
                    PoolId.of(call.tenant()),
                    call.offer().container(),
                    call.sid(),
                    call.offer().generation());
        }
        report(call, route, answer, cause, now);
        return new Answered(call.hop() + 1, answer);
    }

    private void releaseUnless(Call call, Answer answer, @Nullable Generation kept) {
        if (answer instanceof Answer.Stream stream
                && stream.container() != null
                && !stream.generation().equals(kept)) {
            containers.release(stream.pool(), stream.container(), call.sid(), stream.generation());
        }
    }

    private void report(Call call, Route route, Answer answer, String cause, Instant now) {
        Entry entry = entry(call.hop() == 0 ? "answered" : "continued", call)
                .with("hop", call.hop() + 1)
                .with("cause", cause)
                .with("reason", route.reason());
        Placed placed = null;
        switch (answer) {
            case Answer.Stream stream -> {
                entry = entry.with("pool", stream.pool())
                        .with("container", stream.container() == null ? "any" : stream.container());
                if (stream.pool().isGateway()) {
                    placed = stream.container() == null ? Placed.UNCLAIMED : Placed.GATEWAY;
                    entry = entry.count(Metric.OVERFLOWS).count(Metric.HOLDS);
                }
            }
            case Answer.Busy busy -> {
                placed = Placed.BUSY;
                entry = entry.with("answer", "busy").count(Metric.OVERFLOWS).count(Metric.REFUSALS);
            }
            case Answer.Apology apology ->
                entry = entry.with("answer", "apology").count(Metric.APOLOGIES);
            case Answer.HangUp hangUp -> entry = entry.with("answer", "hang-up");
            case Answer.Transfer transfer -> entry = entry.with("answer", "transfer");
        }
        journal.write(entry);
        if (placed != null) {
            announcements.publish(new CallOverflowed(call.tenant(), call.sid(), call.hop() + 1, placed, now));
        }
    }

    private static Entry entry(String event, Call call) {
        return Entry.of(event)
                .with("tenant", call.tenant())
                .with("callSid", call.sid())
                .withKnown("job", call.story().job());
    }
}
