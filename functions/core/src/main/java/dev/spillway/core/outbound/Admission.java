package dev.spillway.core.outbound;

import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;

/** Whether a tenant may make one more call out now, and with whose slot. Says nothing of whose turn it is. */
public sealed interface Admission {
    String reason();

    /** Claim a slot of this container; if it is lost, ask again without it. */
    record Admit(Container container, String reason) implements Admission {}

    /**
     * Nobody is dialled now.
     *
     * @param earliest when asking again can make sense
     */
    record Defer(Cause cause, String reason, Instant earliest) implements Admission {}

    /**
     * @param held callers of this tenant that wait on the gateway for a slot of its pool: they come first
     * @param lost containers whose slot was just lost to a caller
     */
    static Admission plan(PoolView view, int held, Set<ContainerId> lost, Timing timing, Instant now) {
        Optional<Defer> stopped = stopped(view, now);
        if (stopped.isPresent()) {
            return stopped.get();
        }
        Outbound outbound = view.pool().outbound();
        OutboundPolicy policy = outbound.policy();
        int inFlight = outbound.calls().size();
        if (inFlight >= policy.outboundLimit()) {
            return new Defer(
                    Cause.OUTBOUND_LIMIT, inFlight + " calls out of " + policy.outboundLimit() + " allowed", now);
        }
        if (outbound.pace().dialsOn(now) >= policy.dailyCap()) {
            return new Defer(
                    Cause.DAILY_CAP,
                    outbound.pace().dialsOn(now) + " dials today of " + policy.dailyCap() + " allowed",
                    LocalDate.ofInstant(now, ZoneOffset.UTC)
                            .plusDays(1)
                            .atStartOfDay(ZoneOffset.UTC)
                            .toInstant());
        }
        Optional<Defer> noSession = providers(policy, sessions(view) + held, now);
        if (noSession.isPresent()) {
            return noSession.get();
        }
        Optional<Defer> noSlot = slots(view, held, timing, now);
        if (noSlot.isPresent()) {
            return noSlot.get();
        }
        Instant nextDialAt = outbound.pace().nextDialAt(policy.dialsPerSecond());
        if (nextDialAt.isAfter(now)) {
            return new Defer(Cause.DIAL_RATE, policy.dialsPerSecond() + " dials per second allowed", nextDialAt);
        }
        // Fullest first, as callers are placed: containers empty and can be retired.
        return view.claimable(now)
                .filter(container -> container.free(now) > 0 && !lost.contains(container.id()))
                .min(Comparator.comparingInt((Container container) -> container.free(now))
                        .thenComparing(Container::id))
                .<Admission>map(container -> new Admit(
                        container,
                        "call out " + (inFlight + 1) + " of " + policy.outboundLimit() + ", with "
                                + (view.free(now) - 1) + " slots left and " + policy.inboundReserve() + " reserved"))
                .orElseGet(() -> new Defer(Cause.FULL, "every free slot was lost to a caller", now));
    }

    /** Empty if every provider allows one more conversation; the one that allows fewest decides. */
    private static Optional<Defer> providers(OutboundPolicy policy, int sessions, Instant now) {
        return policy.tightestProvider()
                .filter(provider -> sessions >= provider.getValue())
                .map(provider -> new Defer(
                        Cause.PROVIDER_LIMIT,
                        sessions + " conversations of " + provider.getValue() + " that provider " + provider.getKey()
                                + " allows",
                        now));
    }

    /** Empty if a slot is left after the callers who wait and those who may come. */
    private static Optional<Defer> slots(PoolView view, int held, Timing timing, Instant now) {
        OutboundPolicy policy = view.pool().outbound().policy();
        int free = view.free(now);
        String figures = figures(view, now);
        if (free == 0) {
            Cause cause = view.claimable(now).findAny().isEmpty() || view.starting(now, timing.coldStart()) > 0
                    ? Cause.STARTING
                    : phase(view, Claim.Phase.COOLDOWN, now) > 0 ? Cause.COOLDOWN : Cause.FULL;
            return Optional.of(new Defer(cause, figures, now));
        }
        if (free - held <= policy.inboundReserve()) {
            return Optional.of(new Defer(
                    Cause.RESERVE,
                    free + " free slots, " + held + " held callers and " + policy.inboundReserve() + " reserved; "
                            + figures,
                    now));
        }
        return Optional.empty();
    }

    /**
     * Why a dial whose slot is claimed is not made after all: an order that was given meanwhile, or callers who came and to
     * whom the slots that are free now do not leave the reserve. Empty if it may be made.
     */
    static Optional<Defer> meanwhile(PoolView view, int held, Instant now) {
        Optional<Defer> stopped = stopped(view, now);
        if (stopped.isPresent()) {
            return stopped;
        }
        return view.free(now) - held >= view.pool().outbound().policy().inboundReserve()
                ? Optional.empty()
                : Optional.of(new Defer(Cause.RESERVE, "a caller came between", now));
    }

    private static Optional<Defer> stopped(PoolView view, Instant now) {
        return view.pool()
                .orders()
                .stoppingOutbound(now)
                .map(order -> new Defer(Cause.OPERATOR, order.because(), order.until()));
    }

    /** What the slots of the pool are doing, for the record. */
    static String figures(PoolView view, Instant now) {
        int setups = view.claimable(now)
                .mapToInt(container -> container.report().setups())
                .sum();
        int slots = view.claimable(now).mapToInt(Container::limit).sum();
        return phase(view, Claim.Phase.CONNECTED, now) + " live, " + setups + " in setup, "
                + phase(view, Claim.Phase.RESERVED, now) + " reserved and " + phase(view, Claim.Phase.COOLDOWN, now)
                + " in cooldown of " + slots + " slots";
    }

    private static long phase(PoolView view, Claim.Phase phase, Instant now) {
        return view.claimable(now)
                .flatMap(container -> container.claims().values().stream())
                .filter(claim -> claim.phase() == phase)
                .count();
    }

    /** Conversations of this pool, as far as its claims show them. */
    static int sessions(PoolView view) {
        return view.containers().stream()
                .filter(container -> container.state() != ContainerState.LOST)
                .mapToInt(container -> container.claims().size())
                .sum();
    }
}
