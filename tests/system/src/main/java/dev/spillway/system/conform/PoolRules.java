package dev.spillway.system.conform;

import static dev.spillway.system.conform.Trial.demand;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamAddress.Parsed;
import dev.spillway.localcloud.LocalHttpServer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a container does as one of a pool: for its neighbours' calls, and when it is told to stand back for a while. */
final class PoolRules {
    private static final Duration SOON = Duration.ofSeconds(5);
    /** Nobody listens there. */
    private static final String NOWHERE = "127.0.0.1:9";

    private PoolRules() {}

    static final List<Rule> ALL = List.of(
            new Rule(
                    "adopt",
                    "a stream of another container's call is served here if there is room, and the call moved here",
                    PoolRules::adopt),
            new Rule(
                    "relay",
                    "a stream of another container's call is passed on to that one if there is no room, once",
                    PoolRules::relay),
            new Rule(
                    "closed",
                    "while its item is closed it takes no new call, and afterwards it does again",
                    PoolRules::closed),
            new Rule(
                    "again",
                    "told READY again while it drains, it takes calls as if nothing had been",
                    PoolRules::again));

    private static void adopt(Trial trial) throws Violation, IOException, InterruptedException {
        ContainerId neighbour = trial.neighbour(NOWHERE);
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.placeAt(neighbour, call);
        try (Caller caller =
                trial.talking(call, answer, "the stream of a neighbour's call, for which there is room here,")) {
            trial.within(
                    SOON,
                    "the call talks here, and its record still names the neighbour",
                    () -> trial.recordOf(call)
                            .flatMap(record -> record.current())
                            .filter(Answer.Stream.class::isInstance)
                            .map(Answer.Stream.class::cast)
                            .filter(stream -> trial.id().equals(stream.container()))
                            .isPresent());
            trial.within(
                    SOON,
                    "the call talks here, and the neighbour's claim is still there",
                    () -> trial.containers()
                            .find(trial.pool(), neighbour)
                            .filter(item -> !item.claims().containsKey(call))
                            .isPresent());
            trial.hangUp(caller, call);
        }
    }

    private static void relay(Trial trial) throws Violation, IOException, InterruptedException {
        List<String> came = new CopyOnWriteArrayList<>();
        try (LocalHttpServer there = new LocalHttpServer("neighbour", 0, request -> {
            came.add(request.target());
            return LocalHttpServer.Response.json(404, "{}");
        })) {
            ContainerId neighbour = trial.neighbour("127.0.0.1:" + there.port());
            trial.fill();
            CallSid call = trial.newCall();
            Answer.Stream answer = trial.placeAt(neighbour, call);
            StreamAddress address = StreamAddress.of(trial.tenant(), call, answer);
            try (Caller.Opened opened = Caller.open(trial.address(call, answer))) {
                demand(
                        !came.isEmpty(),
                        "a full container answered the stream of a neighbour's call " + opened.status()
                                + ", and asked nobody at the neighbour's address");
                demand(
                        opened.status() >= 400,
                        "the neighbour refused the stream, and the caller was answered " + opened.status());
            }
            Parsed passed = StreamAddress.parse(came.getFirst(), Ground.key(trial.tenant()), Instant.now());
            demand(
                    passed.equals(new Parsed.Valid(address.relayed())),
                    "what came to the neighbour is not that call's address under /relay/ with a MAC of its own: "
                            + (passed instanceof Parsed.Invalid invalid ? invalid.reason() : passed));
            came.clear();
            String twice = address.relayed().path(Ground.key(trial.tenant()));
            try (Caller.Opened opened = Caller.open(trial.address(twice))) {
                demand(
                        opened.status() >= 400 && came.isEmpty(),
                        "a stream that had been passed on was answered " + opened.status()
                                + (came.isEmpty() ? "" : " and passed on again"));
            }
        }
    }

    private static void closed(Trial trial) throws Violation, IOException, InterruptedException {
        Instant open = trial.container().closedUntil();
        Instant until = Instant.now().plus(Duration.ofMinutes(10));
        demand(
                trial.containers().closeUntil(trial.pool(), trial.id(), open, until),
                "its item could not be closed: closedUntilMillis is not what it was");
        trial.within(
                trial.beats(),
                "/health is not 503 though closedUntilMillis is in the future",
                () -> trial.get("/health").statusCode() == 503);
        takesNoCall(trial, "a closed container");
        demand(
                trial.containers()
                        .closeUntil(trial.pool(), trial.id(), trial.container().closedUntil(), Instant.EPOCH),
                "its item could not be opened again: it wrote closedUntilMillis itself");
        takesCallsAgain(trial, "closedUntilMillis is 0 again");
    }

    private static void again(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call);
        try (Caller caller = trial.talking(call, answer)) {
            trial.become(ContainerState.READY, ContainerState.DRAINING);
            trial.within(
                    trial.beats(),
                    "/health is not 503 though the table says DRAINING",
                    () -> trial.get("/health").statusCode() == 503);
            trial.become(ContainerState.DRAINING, ContainerState.READY);
            takesCallsAgain(trial, "the table says READY again");
            demand(caller.isOpen(), "the call that was up all the time was closed");
            trial.hangUp(caller, call);
        }
    }

    private static void takesNoCall(Trial trial, String which) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        int status = trial.voice(Webhook.of(call)).statusCode();
        demand(status == 503, which + " answered a new call " + status + ", not 503");
        demand(trial.claimOf(call).isEmpty(), which + " claimed a slot for a new call");
    }

    private static void takesCallsAgain(Trial trial, String since) throws Violation, IOException, InterruptedException {
        trial.within(
                trial.beats(),
                "/health is not 200 though " + since,
                () -> trial.get("/health").statusCode() == 200);
        CallSid call = trial.newCall();
        int status = trial.voice(Webhook.of(call)).statusCode();
        demand(status == 200, "a new call was answered " + status + ", not 200, though " + since);
        demand(trial.claimOf(call).isPresent(), "a call was taken without a claim");
    }
}
