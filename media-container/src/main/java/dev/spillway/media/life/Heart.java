package dev.spillway.media.life;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.event.Announcement.ContainerDrained;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Report;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.admission.Seat;
import dev.spillway.media.call.Seating;
import dev.spillway.media.call.Self;
import dev.spillway.media.host.Protection;
import dev.spillway.media.wire.OpenStreams;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The heartbeat: pays what the table is owed, reports, and obeys what it reads back: claims, offers, state. One beat at a
 * time. A beat that fails changes nothing here: the container keeps serving and beats again.
 */
public final class Heart {
    /** How long after its token expired a claim whose stream never came is taken back. */
    private static final Duration UNUSED = Duration.ofSeconds(30);

    private final Self self;
    private final Admission admission;
    private final Seating seating;
    private final Debts debts;
    private final OpenStreams streams;
    private final Containers containers;
    private final Announcements announcements;
    private final Protection protection;
    private final Journal journal;
    private final InstantSource clock;
    private final Timing timing;
    private final Duration deregistration;
    private int failedInARow;
    private long failed;
    private boolean announcedDrained;
    private boolean lost;
    private @Nullable Instant leaveAt;

    /** @param deregistration how long the load balancer lets the streams of a task be that ECS stops */
    public Heart(
            Self self,
            Admission admission,
            Seating seating,
            Debts debts,
            OpenStreams streams,
            Containers containers,
            Announcements announcements,
            Protection protection,
            Journal journal,
            InstantSource clock,
            Timing timing,
            Duration deregistration) {
        this.self = self;
        this.admission = admission;
        this.seating = seating;
        this.debts = debts;
        this.streams = streams;
        this.containers = containers;
        this.announcements = announcements;
        this.protection = protection;
        this.journal = journal;
        this.clock = clock;
        this.timing = timing;
        this.deregistration = deregistration;
    }

    /** What the container does after a beat. */
    public enum Next {
        LIVE_ON,
        /** Nobody counts on it any more and nothing is going on: exit with 0. */
        EXIT
    }

    /** How long to wait for the next beat. */
    public Duration interval() {
        return self.pool().isGateway() && streams.count() > 0 ? timing.heldHeartbeat() : timing.heartbeat();
    }

    /** Beats that failed since the start. */
    public synchronized long failed() {
        return failed;
    }

    /** One beat. */
    public synchronized Next beat() {
        leaveIfDue();
        payDebts();
        Instant askedAt = clock.instant();
        try {
            Optional<Container> item = containers.heartbeat(
                    self.pool(), self.id(), self.bootId(), report(), askedAt.plus(timing.expiry()), protection.until());
            failedInARow = 0;
            if (item.isEmpty()) {
                return disowned("the table has no such container any more, or another one of this name");
            }
            learn(item.get(), askedAt);
            return obey(item.get());
        } catch (DependencyException e) {
            failed++;
            failedInARow++;
            journal.write(Entry.of("heartbeat-failed")
                    .with("inARow", failedInARow)
                    .with("reason", e.getMessage() == null ? e.dependency() : e.getMessage()));
            return Next.LIVE_ON;
        }
    }

    private Report report() {
        Runtime runtime = Runtime.getRuntime();
        return admission.report(runtime.totalMemory() - runtime.freeMemory());
    }

    private void payDebts() {
        // Twice the limit: every call that was admitted here alone, and as many claimed ones beside them.
        List<Seat> owing = admission.owing();
        Set<Seat> talking = owing.stream().filter(admission::isLive).collect(Collectors.toSet());
        for (Seat seat : debts.pay(owing, 2 * admission.limit())) {
            if (admission.isLive(seat) && !talking.contains(seat)) {
                continue; // its stream came meanwhile: it is asked for again, now as a call that talks
            }
            log("not-ours", seat.sid(), "the table gives this call, or the slot, to another");
            if (admission.isLive(seat)) {
                streams.close(seat.generation(), "placed elsewhere");
            } else {
                admission.ended(seat, clock.instant());
            }
        }
    }

    /** Claims that are no longer anyone's here go; offers reach their calls. */
    private void learn(Container item, Instant askedAt) {
        Instant now = clock.instant();
        for (Seat dropped : admission.observe(item.claims(), askedAt, now)) {
            log("claim-gone", dropped.sid(), "its claim was released before its stream came");
        }
        for (Seat overdue : admission.overdue(now.minus(UNUSED))) {
            if (admission.closing(overdue, now)) {
                log("claim-unused", overdue.sid(), "its stream never came");
                seating.putAway(overdue, false);
            }
        }
        for (Map.Entry<ClaimKey, Claim> entry : item.claims().entrySet()) {
            if (!(entry.getKey() instanceof CallSid sid)) {
                continue; // a job's: it has no stream yet, and its dialer looks after it
            }
            Claim claim = entry.getValue();
            boolean here = admission.holds(claim.generation());
            if (here && claim.offer() != null) {
                streams.handOff(claim.generation());
            }
            boolean over = claim.phase() != Claim.Phase.RESERVED || admission.wasOpened(claim.generation());
            if (!here && over) {
                sweep(sid, claim);
            }
        }
        for (Seat seat : admission.live()) {
            Claim claim = item.claims().get(seat.sid());
            boolean missing = claim == null || !claim.generation().equals(seat.generation());
            if (missing && seat.isClaimKnownBefore(askedAt)) {
                seat.claimIsOwed();
            }
        }
    }

    /** What cannot be swept now is swept at the next beat: the rest of this one goes on. */
    private void sweep(CallSid sid, Claim claim) {
        try {
            containers.end(self.pool(), self.id(), sid, claim.generation());
            announcements.publish(new SlotFreed(self.pool(), self.id(), clock.instant()));
            log("claim-swept", sid, "its call is not here any more");
        } catch (DependencyException e) {
            log("sweep-failed", sid, "its claim is taken back at the next heartbeat");
        }
    }

    private Next obey(Container item) {
        return switch (item.state()) {
            case STARTING -> Next.LIVE_ON;
            case READY -> {
                admission.unseal();
                if (item.isClosed(clock.instant())) {
                    if (admission.isAccepting()) {
                        journal.write(Entry.of("closed").with("reason", "an operator's order"));
                    }
                    admission.close("closed by an order");
                } else if (!admission.isAccepting() && admission.open()) {
                    journal.write(Entry.of("open").with("reason", "the table says READY"));
                }
                yield Next.LIVE_ON;
            }
            case DRAINING -> {
                if (admission.isAccepting()) {
                    journal.write(Entry.of("draining").with("reason", item.stateReason()));
                }
                admission.close("draining");
                if (item.mayExit()) {
                    beingStopped();
                }
                confirmDrained(item);
                yield Next.LIVE_ON;
            }
            case DRAINED -> {
                admission.close("drained");
                drained();
                yield item.mayExit() ? exit("drained, and ECS no longer counts it") : Next.LIVE_ON;
            }
            case STOPPING -> {
                admission.closeForGood("stopping");
                // Once more if it was not taken when it was drained: ECS stops no task that is protected.
                if (report().isQuiet()) {
                    drained();
                }
                yield item.mayExit() ? exit("ECS no longer counts it") : Next.LIVE_ON;
            }
            case LOST -> disowned("declared lost: " + item.stateReason());
        };
    }

    /** ECS stops the task. What is still up when the deregistration delay is over is cut by the load balancer, before SIGTERM. */
    private void beingStopped() {
        // After SIGTERM there is less time than that, and the way out keeps it.
        if (leaveAt == null && !admission.isClosedForGood()) {
            leaveAt = clock.instant().plus(deregistration.multipliedBy(3).dividedBy(4));
            journal.write(Entry.of("being-stopped")
                    .with("calls", streams.count())
                    .with(
                            "reason",
                            "ECS stops the task: calls may finish until " + leaveAt + ", then go on elsewhere"));
        }
        leaveIfDue();
    }

    /** Also when the table is silent, or has given up this container, after it told of the stop: the load balancer cuts all the same. */
    private void leaveIfDue() {
        if (leaveAt != null && !clock.instant().isBefore(leaveAt)) {
            streams.leaveAll("the container is being stopped");
        }
    }

    /**
     * A stream and this race for the lock of {@link Admission}; a claim and this race for the item. After an unknown reply
     * everything stays shut, and the next beat reads what came of it.
     */
    private void confirmDrained(Container item) {
        if (!admission.seal()) {
            return;
        }
        boolean confirmed = containers.become(
                self.pool(),
                self.id(),
                ContainerState.DRAINING,
                ContainerState.DRAINED,
                true,
                item.stateReason(),
                clock.instant());
        if (confirmed) {
            drained();
        } else {
            admission.unseal();
        }
    }

    private void drained() {
        if (protection.drop() && !announcedDrained) {
            announcedDrained = true;
            journal.write(Entry.of("drained").with("reason", "no call, no claim"));
            announcements.publish(new ContainerDrained(self.pool(), self.id(), clock.instant()));
        }
    }

    private Next disowned(String reason) {
        admission.closeForGood(reason);
        if (!lost) {
            lost = true;
            journal.write(Entry.of("disowned").with("reason", reason));
        }
        return report().isQuiet() ? exit(reason) : Next.LIVE_ON;
    }

    private Next exit(String reason) {
        journal.write(Entry.of("exit").with("reason", reason));
        return Next.EXIT;
    }

    private void log(String event, CallSid sid, String reason) {
        journal.write(Entry.of(event).with("callSid", sid).with("reason", reason));
    }
}
