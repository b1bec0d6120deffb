package dev.spillway.core.memory;

import dev.spillway.core.attempt.Slots;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The people and things of the tests: two tenants, their pools, the gateway, and figures from the texts. */
public final class Sample {
    public static final Instant NOW = Instant.parse("2026-11-29T09:00:00Z");
    public static final TenantId ACME = new TenantId("acme");
    public static final TenantId BLOOM = new TenantId("bloom");
    public static final PoolId ACME_POOL = PoolId.of(ACME);
    public static final PoolId BLOOM_POOL = PoolId.of(BLOOM);
    public static final String ACME_SERVICE = "spillway-acme";
    public static final String GATEWAY_SERVICE = "spillway-gateway";

    /** Six calls per container: the first text's measured figure. */
    public static final int LIMIT = 6;

    /** Of acme's pool at zero. */
    public static final Slots NO_SLOTS = Slots.unseen(ACME_POOL);

    private Sample() {}

    /** The n-th call. */
    public static CallSid call(int n) {
        return new CallSid("CA%032x".formatted(n));
    }

    public static ContainerId container(String name) {
        return new ContainerId(name);
    }

    /** The n-th job of acme. */
    public static JobId job(int n) {
        return new JobId(ACME, "%020d".formatted(n));
    }

    /** A generation that the flows' own counter never makes. */
    public static Generation generation(int hop, int n) {
        return new Generation(hop, "test%012d".formatted(n));
    }

    public static Instant seconds(long seconds) {
        return NOW.plusSeconds(seconds);
    }

    public static Instant minutes(long minutes) {
        return NOW.plus(Duration.ofMinutes(minutes));
    }

    public static Policy policy(int minimum, int maximum, ScaleOutRule rule) {
        return new Policy(minimum, maximum, LIMIT, 0, rule, ScaleInRule.IDLE);
    }

    /** On demand: minimum 0, at most 10 containers, the first text's rule. */
    public static Pool acme() {
        return Pool.fresh(
                ACME_POOL,
                policy(0, 10, ScaleOutRule.PLUS_ONE),
                ACME_SERVICE,
                "wss://acme.streams.example.com",
                NOW.minus(Duration.ofHours(1)));
    }

    public static Pool acme(ScaleOutRule rule, int desired) {
        return desired(
                Pool.fresh(
                        ACME_POOL,
                        policy(0, 10, rule),
                        ACME_SERVICE,
                        "wss://acme.streams.example.com",
                        NOW.minus(Duration.ofHours(1))),
                desired);
    }

    /** Three always-on containers. */
    public static Pool gateway() {
        return Pool.fresh(
                PoolId.GATEWAY,
                new Policy(3, 20, LIMIT, 6, ScaleOutRule.DEMAND, ScaleInRule.IDLE),
                GATEWAY_SERVICE,
                "wss://gateway.streams.example.com",
                NOW.minus(Duration.ofHours(1)));
    }

    /** The same pool with another desired count, asked for long ago. */
    public static Pool desired(Pool pool, int desired) {
        return pool.with(next -> next.desired = desired);
    }

    /** A pool of which all is said but its calls out: it makes none. */
    public static Pool pool(
            PoolId id,
            Policy policy,
            String service,
            String streamUrl,
            int desired,
            long version,
            Instant launchSince,
            Instant idleSince,
            Instant scaleInLockedUntil,
            Map<ContainerId, Instant> lowered,
            Pool.Launches launches,
            Pool.Decision lastDecision,
            Instant silentSince,
            Instant heardAgainAt) {
        return Pool.fresh(id, policy, service, streamUrl, idleSince).with(next -> {
            next.desired = desired;
            next.version = version;
            next.launchSince = launchSince;
            next.scaleInLockedUntil = scaleInLockedUntil;
            next.lowered = lowered;
            next.launches = launches;
            next.lastDecision = lastDecision;
            next.silentSince = silentSince;
            next.heardAgainAt = heardAgainAt;
        });
    }

    /** READY, heard just now, protected for half an hour, revision {@code r1}, no claims, started an hour ago. */
    public static Container ready(PoolId pool, String name) {
        return in(ContainerState.READY, pool, name);
    }

    /** As {@link #ready}, in another state. */
    public static Container in(ContainerState state, PoolId pool, String name) {
        Instant started = NOW.minus(Duration.ofHours(1));
        return new Container(
                pool,
                new ContainerId(name),
                "boot-" + name,
                state,
                "as the test says",
                started,
                "10.0.0.1:8080",
                "r1",
                LIMIT,
                Map.of(),
                Report.empty(started),
                NOW.plusSeconds(30),
                NOW.plus(Duration.ofMinutes(30)),
                started,
                false);
    }

    /** The container with that many more connected calls of the tenant, numbered from {@code firstCall}. */
    public static Container withCalls(Container container, TenantId tenant, int firstCall, int count) {
        Map<ClaimKey, Claim> claims = new HashMap<>(container.claims());
        for (int n = firstCall; n < firstCall + count; n++) {
            claims.put(call(n), Claim.connected(generation(1, n), tenant, NOW.plusSeconds(n), NOW.plusSeconds(n)));
        }
        return container.withClaims(claims);
    }

    /** Alive until then. */
    public static Container aliveUntil(Container container, Instant until) {
        return container.heard(container.report(), until, container.protectedUntil());
    }

    /** Started (and, if it is STARTING, registered) then. */
    public static Container startedAt(Container container, Instant startedAt) {
        return new Container(
                container.pool(),
                container.id(),
                container.bootId(),
                container.state(),
                container.stateReason(),
                container.stateSince(),
                container.address(),
                container.revision(),
                container.limit(),
                container.claims(),
                container.report(),
                container.aliveUntil(),
                container.protectedUntil(),
                startedAt,
                container.mayExit());
    }

    public static Container protectedUntil(Container container, Instant until) {
        return container.heard(container.report(), container.aliveUntil(), until);
    }

    /** From another task definition. */
    public static Container revision(Container container, String revision) {
        return new Container(
                container.pool(),
                container.id(),
                container.bootId(),
                container.state(),
                container.stateReason(),
                container.stateSince(),
                container.address(),
                revision,
                container.limit(),
                container.claims(),
                container.report(),
                container.aliveUntil(),
                container.protectedUntil(),
                container.startedAt(),
                container.mayExit());
    }

    public static Answer.Stream stream(PoolId pool, String container, int hop, int n, Instant now) {
        return new Answer.Stream(pool, new ContainerId(container), generation(hop, n), now.plusSeconds(60), now);
    }

    public static Tenant tenant(TenantId id) {
        return new Tenant(
                id,
                Set.of("+15005550006"),
                "AC00000000000000000000000000000000",
                "spillway/" + id,
                new Persona("scripted", "plain", "Hello, this is " + id + ".", "Where were we?", "Goodbye."));
    }

    public static Tenant withCallers(Tenant tenant, Principal... callers) {
        return new Tenant(
                tenant.id(),
                tenant.numbers(),
                tenant.accountSid(),
                tenant.secretName(),
                tenant.persona(),
                Set.of(callers));
    }

    /** One decision more; the oldest is forgotten when there are too many. */
    public static void decide(Pool.Draft next, Pool.Decision decision) {
        next.earlier = Stream.concat(Stream.of(next.lastDecision), next.earlier.stream())
                .filter(Pool.Decision::isAny)
                .limit(Pool.MOST_EARLIER)
                .toList();
        next.lastDecision = decision;
    }
}
