package dev.spillway.adapters.dynamodb;

import dev.spillway.core.background.Lease;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Offer;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Claim.Phase;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The containers' items: claims, states, heartbeats. A claim and its release are
 *
 * <pre>{@code
 * SET claims.#call = {generation, phase: reserved, …}
 * IF  attribute_not_exists(claims.#call) AND size(claims) < :limit AND state = ready AND aliveUntilMillis > :now
 *     AND closedUntilMillis <= :now
 *
 * REMOVE claims.#call  IF claims.#call.generation = :g AND claims.#call.phase = reserved
 * }</pre>
 *
 * <p>Each write that gives a slot back also appends its time to {@code freed}, and the next claim moves the first of them to
 * {@code tookFreedAtMillis} in the same write and reads it from the answer: how long slots lie free costs no write of its
 * own. A claim takes one for each slot that it takes, so that there are no more of them than slots. Functions of the version
 * before take none: so {@value #MOST_FREED} are kept at most, and a slot that is given back beyond that is not timed.
 */
public final class DynamoContainers implements Containers {
    private static final String HELD = "#claims.#call.#generation = :generation";

    /** Taking a slot: with it goes the time at which one was given back, the longest ago if there are several. */
    private static final String TAKE =
            "SET #claims.#call = :claim, #tookFreedAtMillis = if_not_exists(#freed[0], :never) REMOVE #freed[0]";

    /** On an item from before these times were kept; DynamoDB removes nothing from a list that is not there. */
    private static final String TAKE_UNTOLD = "SET #claims.#call = :claim, #tookFreedAtMillis = :never";

    private static final String FREE =
            "SET #freed = list_append(if_not_exists(#freed, :none), :freed) REMOVE #claims.#call";

    private static final int MOST_FREED = 100;
    private static final String FREE_UNTOLD = "REMOVE #claims.#call";

    private final Table table;
    private final DynamoLives lives;
    private final InstantSource clock;
    private final @Nullable Fence fence;

    public DynamoContainers(DynamoDbClient client, String table) {
        this(client, table, InstantSource.system());
    }

    /** @param clock dates the slots that are given back */
    public DynamoContainers(DynamoDbClient client, String table, InstantSource clock) {
        this(new Table(client, table), clock, null);
    }

    private DynamoContainers(Table table, InstantSource clock, @Nullable Fence fence) {
        this.table = table;
        this.lives = new DynamoLives(table);
        this.clock = clock;
        this.fence = fence;
    }

    @Override
    public Containers under(PoolId pool, Lease lease) {
        return new DynamoContainers(table, clock, new Fence(pool, lease));
    }

    private Written update(PoolId pool, ContainerId id, Change change, Table.Own own) {
        return table.update(Key.of(pool, id), fence == null ? change : fence.onContainer(pool, change), own);
    }

    @Override
    public Optional<Container> find(PoolId pool, ContainerId id) {
        return table.get(Key.of(pool, id)).map(item -> item.decode(ContainerCodec::decode));
    }

    @Override
    public ClaimResult claim(PoolId pool, ContainerId id, ClaimKey call, Claim claim, int limit, Instant now) {
        String condition = "attribute_not_exists(#claims.#call) AND size(#claims) < :limit AND #state = :ready"
                + " AND #aliveUntilMillis > :now"
                + " AND (attribute_not_exists(#closedUntilMillis) OR #closedUntilMillis <= :now)";
        UnaryOperator<Change> values = change -> taking(change, call, claim, limit)
                .value(":ready", ContainerCodec.encode(ContainerState.READY))
                .value(":now", now);
        Found found = new Found(holds(call, claim.generation()));
        return switch (take(pool, id, condition, values, found)) {
            case Written.Applied applied -> found.claimed(applied.item());
            case Written.Refused refused -> new ClaimResult.Refused(reason(refused.found(), id, call, limit, now));
        };
    }

    private static Change taking(Change change, ClaimKey call, Claim claim, int limit) {
        return change.name("#call", call.value())
                .value(":claim", ClaimCodec.encode(claim))
                .value(":limit", limit)
                .value(":never", 0);
    }

    private Written take(PoolId pool, ContainerId id, String condition, UnaryOperator<Change> values, Table.Own own) {
        Change change = Change.of(TAKE, condition + " AND attribute_exists(#freed)");
        Written written = update(pool, id, values.apply(change), own);
        boolean old = written instanceof Written.Refused(Optional<Item> there)
                && there.filter(item -> !item.names().contains("freed")).isPresent();
        return old ? update(pool, id, values.apply(Change.of(TAKE_UNTOLD, condition)), own) : written;
    }

    /** Remembers whether a claim was found made: what its item says then of a freed slot may be a later claim's. */
    private static final class Found implements Table.Own {
        private final Table.Own own;
        private boolean made;

        Found(Table.Own own) {
            this.own = own;
        }

        @Override
        public boolean in(Optional<Item> found, boolean replyLost) {
            made = own.in(found, replyLost);
            return made;
        }

        ClaimResult.Claimed claimed(Item item) {
            return new ClaimResult.Claimed(made ? null : freedAt(item));
        }
    }

    private static @Nullable Instant freedAt(Item claimed) {
        return claimed.optionalNumber("tookFreedAtMillis")
                .filter(millis -> millis > 0)
                .map(Instant::ofEpochMilli)
                .orElse(null);
    }

    /** Why, as far as the item tells a moment later. */
    private static String reason(Optional<Item> found, ContainerId id, ClaimKey call, int limit, Instant now) {
        if (found.isEmpty()) {
            return "no container " + id;
        }
        Container container = found.get().decode(ContainerCodec::decode);
        if (container.claims().containsKey(call)) {
            return "the call has a claim there already";
        }
        if (container.state() != ContainerState.READY) {
            return "container " + id + " is " + container.state();
        }
        if (!container.isAlive(now)) {
            return "container " + id + " is silent";
        }
        if (container.isClosed(now)) {
            return "container " + id + " is closed by an order";
        }
        return "container " + id + " had " + limit + " claims";
    }

    @Override
    public boolean release(PoolId pool, ContainerId id, ClaimKey call, Generation generation) {
        return free(
                pool,
                id,
                call,
                generation,
                HELD + " AND #claims.#call.#phase = :reserved",
                change -> change.value(":reserved", ClaimCodec.encode(Phase.RESERVED)));
    }

    @Override
    public boolean rename(PoolId pool, ContainerId id, JobId job, CallSid call, Generation generation) {
        Change change = Change.of(
                        "SET #claims.#call = #claims.#job REMOVE #claims.#job",
                        "#claims.#job.#generation = :generation AND #claims.#job.#phase = :reserved"
                                + " AND attribute_not_exists(#claims.#call)")
                .name("#call", call.value())
                .name("#job", job.value())
                .value(":generation", generation.toString())
                .value(":reserved", ClaimCodec.encode(Phase.RESERVED));
        return update(pool, id, change, holds(call, generation)).isApplied();
    }

    @Override
    public boolean coolDown(PoolId pool, ContainerId id, CallSid call, Generation generation) {
        Change change = Change.of(
                        "SET #claims.#call.#phase = :cooldown", HELD + " AND #claims.#call.#phase = :connected")
                .name("#call", call.value())
                .value(":generation", generation.toString())
                .value(":connected", ClaimCodec.encode(Phase.CONNECTED))
                .value(":cooldown", ClaimCodec.encode(Phase.COOLDOWN));
        Table.Own own = (found, replyLost) -> replyLost
                && claimIn(found, call)
                        .filter(claim -> claim.generation().equals(generation))
                        .filter(claim -> claim.phase() == Phase.COOLDOWN)
                        .isPresent();
        return update(pool, id, change, own).isApplied();
    }

    @Override
    public boolean announce(PoolId pool, ContainerId id, CallSid call, Generation generation, Offer offer) {
        Change change = Change.of("SET #claims.#call.#offer = :offer", HELD)
                .name("#call", call.value())
                .value(":generation", generation.toString())
                .value(":offer", ClaimCodec.encode(offer));
        Table.Own own = (found, replyLost) -> claimIn(found, call)
                .map(Claim::offer)
                .filter(there -> there.generation().equals(offer.generation()))
                .isPresent();
        return update(pool, id, change, own).isApplied();
    }

    /** @throws IllegalArgumentException if the states never follow each other */
    @Override
    public boolean become(
            PoolId pool,
            ContainerId id,
            ContainerState from,
            ContainerState to,
            boolean onlyWithoutClaims,
            String reason,
            Instant now) {
        if (!from.mayBecome(to)) {
            throw new IllegalArgumentException(from + " never becomes " + to);
        }
        Mark mark = Mark.fresh();
        Change change = Change.of(
                        "SET #state = :to, #stateReason = :reason, #stateSinceMillis = :now, #stateMark = :mark",
                        "#state = :from" + (onlyWithoutClaims ? " AND size(#claims) = :none" : ""))
                .value(":from", ContainerCodec.encode(from))
                .value(":to", ContainerCodec.encode(to))
                .value(":reason", reason)
                .value(":now", now)
                .value(":mark", mark.text());
        if (onlyWithoutClaims) {
            change.value(":none", 0);
        }
        return update(pool, id, change, mark.in("stateMark")).isApplied();
    }

    @Override
    public void allowExit(PoolId pool, ContainerId id) {
        update(
                pool,
                id,
                Change.of("SET #mayExit = :true", "attribute_exists(#pk)").value(":true", true),
                Table.Own.NOTHING);
    }

    @Override
    public boolean closeUntil(PoolId pool, ContainerId id, Instant seen, Instant until) {
        String open = seen.equals(Instant.EPOCH) ? "attribute_not_exists(#closedUntilMillis) OR " : "";
        Change change = Change.of(
                        "SET #closedUntilMillis = :until",
                        "attribute_exists(#pk) AND (" + open + "#closedUntilMillis = :seen)")
                .value(":seen", seen)
                .value(":until", until);
        Table.Own own = (found, replyLost) -> replyLost
                && found.flatMap(item -> item.optionalNumber("closedUntilMillis"))
                        .filter(millis -> Attributes.ofMillis(millis).equals(until))
                        .isPresent();
        return update(pool, id, change, own).isApplied();
    }

    @Override
    public void remove(PoolId pool, ContainerId id) {
        // Recorded first: what is recorded twice is the same, and what is removed first would be recorded by nobody.
        find(pool, id)
                .filter(container ->
                        container.state() == ContainerState.STOPPING || container.state() == ContainerState.LOST)
                .ifPresent(lives::record);
        Change change = Change.onlyIf("#state IN (:stopping, :lost)")
                .value(":stopping", ContainerCodec.encode(ContainerState.STOPPING))
                .value(":lost", ContainerCodec.encode(ContainerState.LOST));
        table.delete(Key.of(pool, id), fence == null ? change : fence.onDeletion(pool, change), Table.Own.NOTHING);
    }

    @Override
    public boolean register(Container container) {
        Table.Own own = (found, replyLost) -> replyLost
                && found.flatMap(item -> item.optionalText("bootId"))
                        .filter(container.bootId()::equals)
                        .isPresent();
        return table.put(
                        Key.of(container.pool(), container.id()),
                        ContainerCodec.encode(container),
                        Change.onlyIf("attribute_not_exists(#pk)"),
                        own)
                .isApplied();
    }

    @Override
    public Optional<Container> heartbeat(
            PoolId pool, ContainerId id, String bootId, Report report, Instant aliveUntil, Instant protectedUntil) {
        Change change = Change.of(
                        "SET #report = :report, #aliveUntilMillis = :alive, #protectedUntilMillis = :protected,"
                                + " #expiresAt = :expires",
                        "attribute_exists(#pk) AND #bootId = :mine")
                .value(":report", ContainerCodec.encode(report))
                .value(":alive", aliveUntil)
                .value(":protected", protectedUntil)
                .value(":expires", ContainerCodec.expiresAtEpochSeconds(aliveUntil))
                .value(":mine", bootId);
        return switch (update(pool, id, change, Table.Own.NOTHING)) {
            case Written.Applied applied -> Optional.of(applied.item().decode(ContainerCodec::decode));
            case Written.Refused refused -> Optional.empty();
        };
    }

    /** A repeated stream finds the claim connected and is refused: the mark tells it from the own lost reply. */
    @Override
    public Optional<Claim> connect(PoolId pool, ContainerId id, CallSid call, Generation generation) {
        Mark mark = Mark.fresh();
        Change change = Change.of(
                        "SET #claims.#call.#phase = :connected, #claims.#call.#connectMark = :mark",
                        HELD + " AND #claims.#call.#phase = :reserved")
                .name("#call", call.value())
                .value(":generation", generation.toString())
                .value(":reserved", ClaimCodec.encode(Phase.RESERVED))
                .value(":connected", ClaimCodec.encode(Phase.CONNECTED))
                .value(":mark", mark.text());
        Table.Own own = (found, replyLost) ->
                mark.in("connectMark").in(found.flatMap(item -> claimItem(item, call)), replyLost);
        return switch (update(pool, id, change, own)) {
            case Written.Applied applied -> claimIn(Optional.of(applied.item()), call);
            case Written.Refused refused -> Optional.empty();
        };
    }

    @Override
    public ClaimResult admit(PoolId pool, ContainerId id, String bootId, CallSid call, Claim claim, int limit) {
        String condition = "attribute_not_exists(#claims.#call) AND size(#claims) < :limit AND #bootId = :mine";
        UnaryOperator<Change> values =
                change -> taking(change, call, claim, limit).value(":mine", bootId);
        Found found = new Found((item, replyLost) -> item.flatMap(there -> there.optionalText("bootId"))
                        .filter(bootId::equals)
                        .isPresent()
                && holds(call, claim.generation()).in(item, replyLost));
        return switch (take(pool, id, condition, values, found)) {
            case Written.Applied applied -> found.claimed(applied.item());
            case Written.Refused refused ->
                new ClaimResult.Refused(
                        "container " + id + " has no room, the call a claim there, or this is a new boot");
        };
    }

    @Override
    public boolean end(PoolId pool, ContainerId id, CallSid call, Generation generation) {
        return free(pool, id, call, generation, HELD, UnaryOperator.identity());
    }

    private boolean free(
            PoolId pool,
            ContainerId id,
            ClaimKey call,
            Generation generation,
            String condition,
            UnaryOperator<Change> values) {
        UnaryOperator<Change> named =
                change -> values.apply(change.name("#call", call.value()).value(":generation", generation.toString()));
        Change told = named.apply(
                        Change.of(FREE, condition + " AND (attribute_not_exists(#freed) OR size(#freed) < :most)"))
                .value(":none", AttributeValue.fromL(List.of()))
                .value(":freed", AttributeValue.fromL(List.of(Attributes.millis(clock.instant()))))
                .value(":most", MOST_FREED);
        Written written = update(pool, id, told, isGone(call, generation));
        boolean full = written instanceof Written.Refused(Optional<Item> there)
                && holds(call, generation).in(there, false);
        return full
                ? update(pool, id, named.apply(Change.of(FREE_UNTOLD, condition)), isGone(call, generation))
                        .isApplied()
                : written.isApplied();
    }

    private static Table.Own holds(ClaimKey call, Generation generation) {
        return (found, replyLost) -> claimIn(found, call)
                .map(Claim::generation)
                .filter(generation::equals)
                .isPresent();
    }

    /** After a lost reply, a container without that claim is what was wanted, whoever saw to it. */
    private static Table.Own isGone(ClaimKey call, Generation generation) {
        return (found, replyLost) ->
                replyLost && found.isPresent() && !holds(call, generation).in(found, true);
    }

    private static Optional<Claim> claimIn(Optional<Item> found, ClaimKey call) {
        return found.flatMap(item -> claimItem(item, call)).map(claim -> claim.decode(ClaimCodec::decodeClaim));
    }

    private static Optional<Item> claimItem(Item container, ClaimKey call) {
        return container.optionalMap("claims").flatMap(claims -> claims.optionalMap(call.value()));
    }
}
