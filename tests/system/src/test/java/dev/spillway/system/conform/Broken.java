package dev.spillway.system.conform;

import static dev.spillway.system.conform.BrokenDoor.answer;

import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.PoolId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Our container with one rule broken: what it writes or reads is bent, or somebody at its door answers in its place.
 *
 * @param decoyAgent whether it asks another ECS agent for protection than its own
 * @param door the wrong answer to a request with that head; empty for all that are passed on
 * @param found a part of what the conformance test has to find
 */
record Broken(
        String rule,
        UnaryOperator<Containers> containers,
        UnaryOperator<Announcements> announcements,
        boolean decoyAgent,
        Function<String, Optional<String>> door,
        String found) {
    private static final String TWIML = "<Response><Connect><Stream url=\"wss://x/stream/a/b/c\"/></Connect>"
            + "<Redirect>https://api.example.com</Redirect></Response>";

    static final List<Broken> EACH_RULE = List.of(
            writing("register", "nobody is reached", "register", (real, arguments) -> {
                Container given = (Container) arguments[0];
                return real.register(bent(given, given.state(), "127.0.0.1:1", given.claims(), given.mayExit()));
            }),
            new Broken(
                    "protect",
                    real -> real,
                    real -> real,
                    true,
                    head -> Optional.empty(),
                    "never asked for protection"),
            new Broken(
                    "announce",
                    real -> real,
                    real -> announcement -> announcement instanceof ContainerReady || real.publish(announcement),
                    false,
                    head -> Optional.empty(),
                    "ContainerReady did not come"),
            writing(
                    "heartbeat",
                    "no heartbeat came",
                    "heartbeat",
                    (real, arguments) -> real.find((PoolId) arguments[0], (ContainerId) arguments[1])),
            atDoor(
                    "live",
                    "not 200",
                    head -> head.startsWith("GET /live")
                            ? Optional.of(answer(404, "text/plain", "no"))
                            : Optional.empty()),
            atDoor(
                    "signature",
                    "was answered 200, not 403",
                    head -> head.startsWith("POST /voice")
                            ? Optional.of(answer(200, "text/xml", TWIML))
                            : Optional.empty()),
            writing("claim", "no claim is in the item", "claim", (real, arguments) -> new ClaimResult.Claimed(null)),
            atDoor(
                    "address",
                    "with a wrong MAC was answered 101",
                    head -> head.contains("AAAAAAAAAAAAAAAAAAAAAA ")
                            ? Optional.of(BrokenDoor.upgrade(head))
                            : Optional.empty()),
            writing(
                    "connect",
                    "did not become connected",
                    "connect",
                    (real, arguments) -> real.find((PoolId) arguments[0], (ContainerId) arguments[1])
                            .map(item -> item.claims().get((ClaimKey) arguments[2]))),
            atDoor("once", "opened twice", letsInTwice()),
            writing("end", "still there after the call's stop", "end", (real, arguments) -> true),
            atDoor(
                    "full",
                    "not 503",
                    head -> head.startsWith("POST /voice")
                            ? Optional.of(answer(200, "text/xml", TWIML))
                            : Optional.empty()),
            atDoor(
                    "held",
                    "was answered 503, not 101",
                    head -> head.startsWith("GET /stream")
                            ? Optional.of(answer(503, "text/plain", "full"))
                            : Optional.empty()),
            reading("handoff", "still open", item -> {
                Map<ClaimKey, Claim> claims = new HashMap<>();
                item.claims()
                        .forEach((key, claim) -> claims.put(
                                key,
                                new Claim(
                                        claim.generation(),
                                        claim.phase(),
                                        claim.tenant(),
                                        claim.arrivedAt(),
                                        claim.claimedAt(),
                                        null)));
                return bent(item, item.state(), item.address(), claims, item.mayExit());
            }),
            writing(
                    "adopt",
                    "for which there is room here, was answered",
                    "claim",
                    (real, arguments) -> new ClaimResult.Refused("never")),
            atDoor(
                    "relay",
                    "asked nobody at the neighbour's address",
                    head -> head.startsWith("GET /stream")
                            ? Optional.of(answer(503, "text/plain", "full"))
                            : Optional.empty()),
            reading(
                    "closed",
                    "though closedUntilMillis is in the future",
                    item -> bent(item, item.state(), item.address(), item.claims(), item.mayExit())),
            reading("again", "though the table says READY again", neverReadyAgain()),
            reading(
                    "drain",
                    "though the table says DRAINING",
                    item -> bent(item, ContainerState.READY, item.address(), item.claims(), item.mayExit())),
            reading("exit", "still answers", item -> bent(item, item.state(), item.address(), item.claims(), false)));

    @FunctionalInterface
    private interface Instead {
        Object of(Containers real, Object[] arguments);
    }

    /** One method of the table's port does something else. */
    private static Broken writing(String rule, String found, String method, Instead instead) {
        return new Broken(
                rule,
                real -> (Containers) Proxy.newProxyInstance(
                        Containers.class.getClassLoader(), new Class<?>[] {Containers.class}, (self, called, given) -> {
                            if (called.getName().equals(method)) {
                                return instead.of(real, given);
                            }
                            try {
                                return called.invoke(real, given);
                            } catch (InvocationTargetException e) {
                                throw e.getTargetException();
                            }
                        }),
                real -> real,
                false,
                head -> Optional.empty(),
                found);
    }

    /** It reads something else in its heartbeat's answer. */
    private static Broken reading(String rule, String found, UnaryOperator<Container> misread) {
        return writing(
                rule,
                found,
                "heartbeat",
                (real, arguments) -> real.heartbeat(
                                (PoolId) arguments[0],
                                (ContainerId) arguments[1],
                                (String) arguments[2],
                                (dev.spillway.core.pool.Report) arguments[3],
                                (Instant) arguments[4],
                                (Instant) arguments[5])
                        .map(misread));
    }

    private static Broken atDoor(String rule, String found, Function<String, Optional<String>> door) {
        return new Broken(rule, real -> real, real -> real, false, door, found);
    }

    private static Function<String, Optional<String>> letsInTwice() {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        return head -> {
            String line = head.lines().findFirst().orElse("");
            boolean again = line.startsWith("GET /stream") && !seen.add(line);
            return again ? Optional.of(BrokenDoor.upgrade(head)) : Optional.empty();
        };
    }

    private static UnaryOperator<Container> neverReadyAgain() {
        AtomicBoolean drains = new AtomicBoolean();
        return item -> {
            if (item.state() == ContainerState.DRAINING) {
                drains.set(true);
            }
            return drains.get()
                    ? bent(item, ContainerState.DRAINING, item.address(), item.claims(), item.mayExit())
                    : item;
        };
    }

    /** It is never closed. */
    private static Container bent(
            Container item, ContainerState state, String address, Map<ClaimKey, Claim> claims, boolean mayExit) {
        return new Container(
                item.pool(),
                item.id(),
                item.bootId(),
                state,
                item.stateReason(),
                item.stateSince(),
                address,
                item.revision(),
                item.limit(),
                claims,
                item.report(),
                item.aliveUntil(),
                item.protectedUntil(),
                item.startedAt(),
                Instant.EPOCH,
                mayExit);
    }

    @Override
    public String toString() {
        return rule;
    }
}
