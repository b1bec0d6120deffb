package dev.spillway.core.handoff;

import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Generations;
import dev.spillway.core.call.Offer;
import dev.spillway.core.handoff.Pairing.Refusal;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.pool.SlotReuse;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Offers free slots of a tenant's pool to its held calls, oldest first, one by one. For each: write the offer on the
 * call IF its hop is unchanged and it has none, claim the slot, announce it on the gateway claim. A crash after any of
 * these leaves an offer on the call, which the next run takes up where it was left. A call that loses its slot to another
 * is offered the next free one in the same run. What is still held afterwards counts as overflow again.
 */
public final class HandOff {
    private final Pools pools;
    private final Containers containers;
    private final Calls calls;
    private final Growth growth;
    private final Generations generations;
    private final Journal journal;

    public HandOff(
            Pools pools, Containers containers, Calls calls, Growth growth, Generations generations, Journal journal) {
        this.pools = pools;
        this.containers = containers;
        this.calls = calls;
        this.growth = growth;
        this.generations = generations;
        this.journal = journal;
    }

    /** @return how many calls got a slot */
    public int run(TenantId tenant, Instant now) {
        PoolId pool = PoolId.of(tenant);
        Optional<PoolView> gateway = pools.read(PoolId.GATEWAY);
        if (gateway.isEmpty()) {
            return 0;
        }
        List<HeldCall> waiting = HeldCall.of(tenant, gateway.get(), now).stream()
                .filter(HeldCall::isWaiting)
                .toList();
        int offered = 0;
        boolean slotLeft = true;
        // Each further round knows a refusal more or has a call less: the rounds end.
        Set<Refusal> refusals = new HashSet<>();
        while (slotLeft && !waiting.isEmpty()) {
            Optional<PoolView> own = pools.read(pool);
            if (own.isEmpty()) {
                return offered;
            }
            Set<CallSid> settled = new HashSet<>();
            slotLeft = false;
            for (Pairing pairing : Pairing.plan(waiting, own.get(), refusals, now)) {
                switch (offer(tenant, pairing.held(), pairing.container(), now)) {
                    case Result.Offered taken -> {
                        settled.add(pairing.held().sid());
                        offered++;
                    }
                    case Result.Gone gone -> {
                        settled.add(pairing.held().sid());
                        slotLeft = true; // it is the next one's: look again
                    }
                    case Result.Resting resting -> {
                        settled.add(pairing.held().sid());
                        slotLeft = true;
                    }
                    case Result.Refused refused -> {
                        // An offer that another run left may have been for another container: that one is named.
                        CallSid sid = pairing.held().sid();
                        if (!refusals.add(new Refusal(sid, refused.by()))) {
                            refusals.add(new Refusal(sid, pairing.container().id()));
                        }
                        slotLeft = true;
                    }
                }
            }
            waiting = waiting.stream()
                    .filter(held -> !settled.contains(held.sid()))
                    .toList();
        }
        if (!waiting.isEmpty()) {
            growth.ask(pool, false, now);
        }
        return offered;
    }

    private sealed interface Result {
        record Offered() implements Result {}

        /** The call ended or moved; its gateway claim goes with that. */
        record Gone() implements Result {}

        /** It was moved too often lately: it stays where it is, and a later run offers it a slot. */
        record Resting() implements Result {}

        /** The slot was lost to another call. */
        record Refused(ContainerId by) implements Result {}
    }

    private Result offer(TenantId tenant, HeldCall held, Container container, Instant now) {
        Optional<Call> found = calls.find(tenant, held.sid());
        if (found.isEmpty()
                || found.get().isOver()
                || found.get().hop() != held.claim().generation().hop()) {
            return new Result.Gone();
        }
        Call call = found.get();
        Offer offer = call.offer();
        if (offer == null && !call.mayBeHandedOver(now)) {
            journal.write(Entry.of("hand-off-waits")
                    .with("tenant", tenant)
                    .with("callSid", held.sid())
                    .withKnown("job", call.story().job())
                    .with("reason", "moved often within the last minute"));
            return new Result.Resting();
        }
        if (offer == null) {
            offer = new Offer(container.id(), generations.next(call.hop() + 1), now);
            if (!calls.offer(tenant, held.sid(), call.hop(), offer)) {
                return new Result.Gone();
            }
        }
        PoolId pool = PoolId.of(tenant);
        Claim claim = Claim.reserved(offer.generation(), tenant, held.claim().arrivedAt(), now)
                .dialledFor(call.story().job());
        ClaimResult claimed = containers.claim(pool, offer.container(), held.sid(), claim, container.limit(), now);
        if (claimed instanceof ClaimResult.Refused refused) {
            calls.withdraw(tenant, held.sid(), offer.generation());
            // Another run may have claimed it for this very offer in between: nobody names that claim any more.
            containers.release(pool, offer.container(), held.sid(), offer.generation());
            journal.write(Entry.of("offer-withdrawn")
                    .with("tenant", tenant)
                    .with("callSid", held.sid())
                    .withKnown("job", call.story().job())
                    .with("container", offer.container())
                    .with("reason", refused.reason()));
            return new Result.Refused(offer.container());
        }
        SlotReuse.write(pool, offer.container(), held.sid(), (ClaimResult.Claimed) claimed, now, journal);
        containers.announce(
                PoolId.GATEWAY,
                held.gatewayContainer(),
                held.sid(),
                held.claim().generation(),
                offer);
        Duration waited = Duration.between(held.claim().arrivedAt(), now);
        journal.write(Entry.of("hand-off-offered")
                .with("tenant", tenant)
                .with("callSid", held.sid())
                .withKnown("job", call.story().job())
                .with("container", offer.container())
                .with("heldSeconds", waited.toMillis() / 1000.0)
                .with("reason", "oldest held call, and a slot is free")
                .count(Metric.HAND_OFFS)
                .measure(Metric.HOLD_SECONDS, waited.toMillis() / 1000.0));
        return new Result.Offered();
    }
}
