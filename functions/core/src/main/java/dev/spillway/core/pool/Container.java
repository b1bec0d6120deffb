package dev.spillway.core.pool;

import dev.spillway.core.call.ClaimKey;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A container's item, as the table shows it.
 *
 * @param bootId made by the process at its start: a restarted process is another container to the table
 * @param address {@code host:port} for relays inside the pool
 * @param revision the task definition's revision it was started from
 * @param limit slots; never more claims than that
 * @param aliveUntil liveness: the end of the time bought by the last heartbeat
 * @param protectedUntil until when ECS has confirmed scale-in protection; the epoch when it has not
 * @param startedAt when it registered
 * @param stateReason why it is in its state
 * @param closedUntil by an operator's order it takes no new calls before then
 * @param mayExit ECS no longer counts it: the desired count was lowered for it, or its task is being stopped or has stopped
 */
public record Container(
        PoolId pool,
        ContainerId id,
        String bootId,
        ContainerState state,
        String stateReason,
        Instant stateSince,
        String address,
        String revision,
        int limit,
        Map<ClaimKey, Claim> claims,
        Report report,
        Instant aliveUntil,
        Instant protectedUntil,
        Instant startedAt,
        Instant closedUntil,
        boolean mayExit) {

    public Container {
        Objects.requireNonNull(pool);
        Objects.requireNonNull(id);
        Objects.requireNonNull(bootId);
        Objects.requireNonNull(state);
        Objects.requireNonNull(stateReason);
        Objects.requireNonNull(stateSince);
        Objects.requireNonNull(address);
        Objects.requireNonNull(revision);
        if (limit < 1) {
            throw new IllegalArgumentException("container " + id + " needs a limit of at least 1, not " + limit);
        }
        claims = inOrder(claims);
        Objects.requireNonNull(report);
        Objects.requireNonNull(aliveUntil);
        Objects.requireNonNull(protectedUntil);
        Objects.requireNonNull(startedAt);
        Objects.requireNonNull(closedUntil);
    }

    /** By their keys: two looks at one item are alike in every process, and whoever goes through the claims does it alike. */
    private static Map<ClaimKey, Claim> inOrder(Map<ClaimKey, Claim> claims) {
        if (claims.isEmpty()) {
            return Map.of();
        }
        Map<ClaimKey, Claim> sorted = new TreeMap<>(Comparator.comparing(ClaimKey::value));
        sorted.putAll(claims);
        return Collections.unmodifiableMap(sorted);
    }

    /** One that no order keeps closed. */
    public Container(
            PoolId pool,
            ContainerId id,
            String bootId,
            ContainerState state,
            String stateReason,
            Instant stateSince,
            String address,
            String revision,
            int limit,
            Map<ClaimKey, Claim> claims,
            Report report,
            Instant aliveUntil,
            Instant protectedUntil,
            Instant startedAt,
            boolean mayExit) {
        this(
                pool,
                id,
                bootId,
                state,
                stateReason,
                stateSince,
                address,
                revision,
                limit,
                claims,
                report,
                aliveUntil,
                protectedUntil,
                startedAt,
                Instant.EPOCH,
                mayExit);
    }

    /** Whether a heartbeat was heard within the expiry. */
    public boolean isAlive(Instant now) {
        return aliveUntil.isAfter(now);
    }

    /** Whether an operator's order keeps new calls out. */
    public boolean isClosed(Instant now) {
        return closedUntil.isAfter(now);
    }

    /** Whether it may be given calls at all. */
    public boolean isClaimable(Instant now) {
        return state == ContainerState.READY && isAlive(now) && !isClosed(now);
    }

    /** Slots a call could take now; 0 unless claimable, and 0 while it says that it refuses them. */
    public int free(Instant now) {
        return isClaimable(now) && !report.isRefusing() ? Math.max(0, limit - claims.size()) : 0;
    }

    /** All its slots; while it says that it refuses calls, no more than those that are taken. */
    public int capacity() {
        return report.isRefusing() ? Math.min(limit, claims.size()) : limit;
    }

    /** Neither a claim in the table nor work that it reports itself. */
    public boolean isIdle() {
        return claims.isEmpty() && report.isQuiet();
    }

    public Container withState(ContainerState next, String reason, Instant now) {
        return with(draft -> {
            draft.state = next;
            draft.stateReason = reason;
            draft.stateSince = now;
        });
    }

    public Container withClaims(Map<ClaimKey, Claim> next) {
        return with(draft -> draft.claims = next);
    }

    public Container withMayExit() {
        return with(draft -> draft.mayExit = true);
    }

    /** The item after one more heartbeat. */
    public Container heard(Report next, Instant alive, Instant isProtectedUntil) {
        return with(draft -> {
            draft.report = next;
            draft.aliveUntil = alive;
            draft.protectedUntil = isProtectedUntil;
        });
    }

    public Container closed(Instant until) {
        return with(draft -> draft.closedUntil = until);
    }

    private Container with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.container();
    }

    /** The parts of a container that change while it lives, open for one change. */
    private static final class Draft {
        private final Container container;
        private ContainerState state;
        private String stateReason;
        private Instant stateSince;
        private Map<ClaimKey, Claim> claims;
        private Report report;
        private Instant aliveUntil;
        private Instant protectedUntil;
        private Instant closedUntil;
        private boolean mayExit;

        private Draft(Container container) {
            this.container = container;
            state = container.state;
            stateReason = container.stateReason;
            stateSince = container.stateSince;
            claims = container.claims;
            report = container.report;
            aliveUntil = container.aliveUntil;
            protectedUntil = container.protectedUntil;
            closedUntil = container.closedUntil;
            mayExit = container.mayExit;
        }

        private Container container() {
            return new Container(
                    container.pool,
                    container.id,
                    container.bootId,
                    state,
                    stateReason,
                    stateSince,
                    container.address,
                    container.revision,
                    container.limit,
                    claims,
                    report,
                    aliveUntil,
                    protectedUntil,
                    container.startedAt,
                    closedUntil,
                    mayExit);
        }
    }
}
