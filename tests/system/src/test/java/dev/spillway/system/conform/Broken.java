package dev.spillway.system.conform;

import static dev.spillway.system.conform.BrokenDoor.answer;
import static dev.spillway.system.conform.BrokenDoor.upgrade;

import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.PoolId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Containers that break the rules, each in one of the ways in which another language's may. */
final class Broken {
    private static final String TWIML = "<Response><Connect><Stream url=\"wss://x/stream/a/b/c\"/></Connect>"
            + "<Redirect>https://api.example.com</Redirect></Response>";
    private static final String FULL = answer(503, "text/plain", "full");
    private static final Pattern EXPIRY = Pattern.compile("^GET /stream/[^/]+/[^/]+/[^/]+/[^/]+/([0-9]+)/");

    private Broken() {}

    static final List<BrokenContainer> EACH_RULE = List.of(
            rule("register", "/revision is missing").without("revision", "bootId"),
            rule("register", "/startedAtMillis is missing").without("startedAtMillis", "bootId"),
            rule("register", "nobody is reached").writing("register", (real, arguments) -> {
                Container given = (Container) arguments[0];
                return real.register(
                        bent(given, given.state(), "127.0.0.1:1", given.claims(), given.closedUntil(), false));
            }),
            rule("protect", "never asked for protection").told(Broken::ofAnotherTask),
            protectedLate(),
            rule("announce", "ContainerReady did not come").telling("ContainerReady", detail -> Optional.empty()),
            rule("announce", "ContainerReady.json: /container is missing")
                    .telling("ContainerReady", without("container")),
            rule("heartbeat", "no heartbeat came")
                    .writing(
                            "heartbeat",
                            (real, arguments) -> real.find((PoolId) arguments[0], (ContainerId) arguments[1])),
            rule("live", "not 200").atDoor(to("GET /live", answer(404, "text/plain", "no"))),
            rule("signature", "was answered 200, not 403").atDoor(to("POST /voice", answer(200, "text/xml", TWIML))),
            rule("signature", "of another account was answered 200")
                    .atDoor(when(
                            request -> request.contains("AccountSid=ACffff"), to -> answer(200, "text/xml", TWIML))),
            rule("signature", "for a number that is not the tenant's was answered 200")
                    .atDoor(when(request -> request.contains("%2B15005550099"), to -> answer(200, "text/xml", TWIML))),
            rule("claim", "no claim is in the item")
                    .writing("claim", (real, arguments) -> new ClaimResult.Claimed(null)),
            rule("claim", "not https://api.example.com/twilio/continue/")
                    .told("SPILLWAY_PUBLIC_URL", "https://elsewhere.example.com"),
            rule("claim", "the TwiML has no Connect that a Redirect follows")
                    .atDoor(to("POST /voice", answer(200, "text/xml", "<Response><Redirect>x</Redirect></Response>"))),
            rule("claim", "the stream's URL does not begin with the pool's")
                    .atDoor(to("POST /voice", answer(200, "text/xml", TWIML))),
            rule("claim", "call-item.json: /connectedHop is missing").without("connectedHop", "callSid"),
            rule("claim", "in no list of attempts: its listing is ''").without("listing", "callSid"),
            rule("address", "with a wrong MAC was answered 101").atDoor(when(Broken::hasWrongMac, BrokenDoor::upgrade)),
            rule("address", "with a wrong MAC was answered 503, not 4xx").atDoor(when(Broken::hasWrongMac, to -> FULL)),
            rule("address", "that has expired was answered 101").atDoor(when(Broken::isExpired, BrokenDoor::upgrade)),
            rule("start", "whose start names another").atDoor(when(opens(), BrokenDoor::upgrade)),
            rule("connect", "did not become connected")
                    .writing(
                            "connect",
                            (real, arguments) -> real.find((PoolId) arguments[0], (ContainerId) arguments[1])
                                    .map(item -> item.claims().get((ClaimKey) arguments[2]))),
            rule("once", "that is open already was answered 101").atDoor(letsIn(2)),
            rule("once", "of a call that is over was answered 101").atDoor(letsIn(3)),
            rule("end", "still there after the call's stop").writing("end", (real, arguments) -> true),
            rule("end", "SlotFreed was not announced").telling("SlotFreed", detail -> Optional.empty()),
            rule("end", "SlotFreed.json: /at is missing").telling("SlotFreed", without("at")),
            rule("full", "not 503").atDoor(to("POST /voice", answer(200, "text/xml", TWIML))),
            rule("held", "was answered 503, not 101").atDoor(to("GET /stream", FULL)),
            rule("handoff", "still open").reading(item -> {
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
                return bent(item, item.state(), item.address(), claims, item.closedUntil(), item.mayExit());
            }),
            rule("handoff", "was closed while the caller spoke").waiting(Duration.ZERO),
            rule("adopt", "for which there is room here, was answered")
                    .writing("claim", (real, arguments) -> new ClaimResult.Refused("never")),
            rule("relay", "asked nobody at the neighbour's address").atDoor(to("GET /stream", FULL)),
            neverClosed(),
            neverReadyAgain(),
            neverDrains(),
            refusesWhileItDrains(),
            rule("drain", "ContainerDrained was not announced").telling("ContainerDrained", detail -> Optional.empty()),
            rule("drain", "ContainerDrained.json: /at is missing").telling("ContainerDrained", without("at")),
            rule("exit", "still answers")
                    .reading(item -> item.mayExit()
                            ? bent(item, item.state(), item.address(), item.claims(), item.closedUntil(), false)
                            : item),
            rule("exit", "still answers").atDoor(to("GET /live", "")),
            rule("exit", "ended with exit code 1").exitingWith(1));

    /** Broken rules that leave the most behind, and which of all the rules such a container cannot keep. */
    static final Map<BrokenContainer, Set<String>> WITH_ALL_RULES = Map.of(
            rule("full", "not 503").atDoor(to("POST /voice", answer(200, "text/xml", TWIML))),
            Set.of("signature", "claim", "full", "closed", "again", "drain"),
            neverClosed(),
            Set.of("closed"),
            neverReadyAgain(),
            Set.of("again"),
            neverDrains(),
            Set.of("again", "drain"));

    private static BrokenContainer rule(String name, String found) {
        return new BrokenContainer(name, found);
    }

    private static BrokenContainer neverClosed() {
        return rule("closed", "though closedUntilMillis is in the future").reading(item -> bent(item, Instant.EPOCH));
    }

    private static BrokenContainer neverDrains() {
        return rule("drain", "though the table says DRAINING")
                .reading(item -> item.state() == ContainerState.DRAINING ? bent(item, ContainerState.READY) : item);
    }

    private static BrokenContainer neverReadyAgain() {
        AtomicBoolean drained = new AtomicBoolean();
        return rule("again", "though the table says READY again").reading(item -> {
            if (item.state() == ContainerState.DRAINING) {
                drained.set(true);
            }
            return drained.get() && item.state() == ContainerState.READY
                    ? bent(item, Instant.now().plusSeconds(60))
                    : item;
        });
    }

    private static BrokenContainer refusesWhileItDrains() {
        AtomicBoolean drains = new AtomicBoolean();
        return rule("drain", "while it drains was answered 503, not 101")
                .reading(item -> {
                    drains.set(item.state() == ContainerState.DRAINING);
                    return item;
                })
                .atDoor(when(opens().and(request -> drains.get()), to -> FULL));
    }

    /** It asks another ECS agent than its own, until it is READY. */
    private static BrokenContainer protectedLate() {
        AtomicReference<String> own = new AtomicReference<>("");
        return rule("protect", "only after READY")
                .told(given -> {
                    own.set(String.valueOf(given.get("ECS_AGENT_URI")));
                    return ofAnotherTask(given);
                })
                .writing("become", (real, arguments) -> {
                    boolean became = real.become(
                            (PoolId) arguments[0],
                            (ContainerId) arguments[1],
                            (ContainerState) arguments[2],
                            (ContainerState) arguments[3],
                            (Boolean) arguments[4],
                            (String) arguments[5],
                            (Instant) arguments[6]);
                    protect(URI.create(own.get() + "/task-protection/v1/state"));
                    return became;
                });
    }

    private static Map<String, String> ofAnotherTask(Map<String, String> given) {
        return BrokenContainer.with(given, "ECS_AGENT_URI", given.get("ECS_AGENT_URI") + "-other");
    }

    private static void protect(URI agent) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            client.send(
                    HttpRequest.newBuilder(agent)
                            .PUT(HttpRequest.BodyPublishers.ofString("{\"ProtectionEnabled\":true}"))
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
        }
    }

    private static Function<String, Optional<String>> without(String property) {
        return detail -> Optional.of(
                detail.replaceFirst("\"" + property + "\":\"[^\"]*\",?", "").replace(",}", "}"));
    }

    private static Function<String, Optional<String>> to(String beginning, String answer) {
        return when(request -> request.startsWith(beginning), request -> answer);
    }

    private static Function<String, Optional<String>> when(
            Predicate<String> condition, Function<String, String> answer) {
        return request -> condition.test(request) ? Optional.of(answer.apply(request)) : Optional.empty();
    }

    private static Predicate<String> opens() {
        return request -> request.startsWith("GET /stream");
    }

    private static boolean hasWrongMac(String request) {
        return request.contains("AAAAAAAAAAAAAAAAAAAAAA ");
    }

    private static boolean isExpired(String request) {
        Matcher expiry = EXPIRY.matcher(request);
        return expiry.find() && Long.parseLong(expiry.group(1)) < Instant.now().getEpochSecond();
    }

    /** @param time which one of the same stream's handshakes it accepts, though it was accepted before */
    private static Function<String, Optional<String>> letsIn(int time) {
        Map<String, Integer> seen = new ConcurrentHashMap<>();
        return request -> {
            String line = request.lines().findFirst().orElse("");
            boolean again = line.startsWith("GET /stream") && seen.merge(line, 1, Integer::sum) == time;
            return again ? Optional.of(upgrade(request)) : Optional.empty();
        };
    }

    private static Container bent(Container item, ContainerState state) {
        return bent(item, state, item.address(), item.claims(), item.closedUntil(), item.mayExit());
    }

    private static Container bent(Container item, Instant closedUntil) {
        return bent(item, item.state(), item.address(), item.claims(), closedUntil, item.mayExit());
    }

    private static Container bent(
            Container item,
            ContainerState state,
            String address,
            Map<ClaimKey, Claim> claims,
            Instant closedUntil,
            boolean mayExit) {
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
                closedUntil,
                mayExit);
    }
}
