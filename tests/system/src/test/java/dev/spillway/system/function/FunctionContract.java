package dev.spillway.system.function;

import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.lambda.AttemptsHandler;
import dev.spillway.lambda.CallStatusHandler;
import dev.spillway.lambda.CallsHandler;
import dev.spillway.lambda.ConsoleHandler;
import dev.spillway.lambda.ContinueHandler;
import dev.spillway.lambda.DeployedFunction;
import dev.spillway.lambda.DialHandler;
import dev.spillway.lambda.DialerHandler;
import dev.spillway.lambda.GatewayScalerHandler;
import dev.spillway.lambda.HandOffHandler;
import dev.spillway.lambda.IdleSweeperHandler;
import dev.spillway.lambda.OrdersHandler;
import dev.spillway.lambda.OutboundStatusHandler;
import dev.spillway.lambda.OverflowScalerHandler;
import dev.spillway.lambda.PoolStatusHandler;
import dev.spillway.lambda.RegistrationHandler;
import dev.spillway.lambda.StreamStatusHandler;
import dev.spillway.lambda.UsageHandler;
import dev.spillway.lambda.ZombieReconcilerHandler;
import dev.spillway.localcloud.LocalHttpServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What a function does with AWS, found by having it do all that it is for; and whether a policy lets it. */
record FunctionContract(DeployedFunction function, SequencedSet<String> uses) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final PoolId ACME = PoolId.of(FunctionGround.ACME);

    /** @throws AssertionError naming each action that the function uses and the policy does not allow */
    void check(Collection<String> allowed) {
        SequencedSet<String> missing = new TreeSet<>(uses);
        missing.removeAll(allowed);
        if (!missing.isEmpty()) {
            throw new AssertionError("function " + function.id() + " uses " + missing
                    + ", which its policy does not allow: add it to DeployedFunction." + function);
        }
    }

    static FunctionContract of(DeployedFunction function, Path dynalite, Path work) throws Exception {
        try (FunctionGround ground = new FunctionGround(dynalite, work)) {
            Play others = new Play(ground);
            before(function, others);
            others.functions().close();
            // A function that has just been started has no copies of tenants and tokens.
            Play own = new Play(ground);
            SequencedSet<String> uses = RecordedActions.distinct(RecordedActions.during(() -> act(function, own)));
            if (function == DeployedFunction.DIAL) {
                uses.addAll(earlyDial(own));
            }
            own.functions().close();
            return new FunctionContract(function, uses);
        }
    }

    /** Twilio may ask what to do with a call before it has told the dialer that there is one. */
    private static List<String> earlyDial(Play play) {
        List<String> uses = new CopyOnWriteArrayList<>();
        play.ground().whileDialling(dial -> {
            try {
                uses.addAll(RecordedActions.during(() -> new DialHandler(play.functions())
                        .handleRequest(Play.aboutDial(dial, "Url", "in-progress", 102), null)));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        play.job("+15005550007");
        play.dial();
        return uses;
    }

    /** What has happened when the function's turn comes. */
    private static void before(DeployedFunction function, Play play) {
        FunctionGround ground = play.ground();
        switch (function) {
            case CONTINUE, CALL_STATUS, STREAM_STATUS, ATTEMPTS, USAGE, CONSOLE -> play.fallback(Play.CALL);
            case OVERFLOW_SCALER -> {
                play.fallback(Play.CALL);
                ground.draining(ACME, "acme-d");
            }
            case HAND_OFF -> {
                // More calls are held than two containers have room for: one takes back its drain, and the pool grows.
                fallbacks(play, 1, 15);
                ground.ready(ACME, "acme-1");
                ground.draining(ACME, "acme-d");
            }
            case GATEWAY_SCALER -> {
                ground.draining(PoolId.GATEWAY, "gateway-d");
                ground.change(PoolId.GATEWAY, 2, 0, 700);
            }
            case IDLE_SWEEPER -> {
                ground.change(ACME, 2, 0, 0);
                ground.ready(ACME, "acme-1");
                ground.container(
                        ACME,
                        "acme-2",
                        ContainerState.DRAINED,
                        ScaleIn.IDLE,
                        Map.of(),
                        Instant.now().plus(Duration.ofHours(1)),
                        false);
            }
            case ZOMBIE_RECONCILER -> {
                play.fallback(Play.CALL);
                ground.change(ACME, 1, 0, 0);
                ground.container(ACME, "acme-1", ContainerState.STOPPING, ScaleIn.IDLE, Map.of(), Instant.now(), true);
                ground.draining(ACME, "acme-d");
                ground.container(
                        PoolId.GATEWAY,
                        "gateway-3",
                        ContainerState.READY,
                        "",
                        Map.of(
                                new CallSid(Play.CALL),
                                Claim.connected(
                                        new Generation(1, "lost000000000001"),
                                        FunctionGround.ACME,
                                        Instant.now(),
                                        Instant.now())),
                        Instant.now().minus(Duration.ofMinutes(10)),
                        false);
            }
            case DIALER -> {
                play.job();
                ground.ready(ACME, "acme-1");
            }
            case DIAL, OUTBOUND_STATUS -> {
                play.job();
                ground.ready(ACME, "acme-1");
                play.dial();
                if (function == DeployedFunction.OUTBOUND_STATUS) {
                    play.twiml();
                }
            }
            case POOL_STATUS ->
                ground.clients()
                        .ecs()
                        .updateService(request -> request.cluster("spillway")
                                .service("spillway-acme")
                                .desiredCount(1));
            case FALLBACK, CALLS, ORDERS, REGISTRATION -> {}
        }
    }

    private static void pin(Play play) {
        new OrdersHandler(play.functions())
                .handleRequest(
                        Play.request(
                                "POST",
                                "/pools/acme/orders",
                                "{\"order\":\"pin\",\"containers\":3,\"reason\":\"a test\"}"),
                        null);
    }

    private static void fallbacks(Play play, int from, int to) {
        for (int i = from; i <= to; i++) {
            play.fallback("CA%032d".formatted(i));
        }
    }

    private static void act(DeployedFunction function, Play play) throws Exception {
        switch (function) {
            case FALLBACK -> play.fallback(Play.CALL);
            case CONTINUE -> {
                ContinueHandler handler = new ContinueHandler(play.functions());
                handler.handleRequest(Play.webhook("/twilio/continue/acme/1", Map.of()), null);
                // One that nobody has recorded yet.
                handler.handleRequest(
                        Play.webhook(
                                "/twilio/continue/acme/1", Map.of("CallSid", "CA00000000000000000000000000000008")),
                        null);
            }
            case CALL_STATUS -> {
                CallStatusHandler handler = new CallStatusHandler(play.functions());
                handler.handleRequest(Play.webhook("/twilio/status/acme/1", Map.of("CallStatus", "completed")), null);
                // One that nobody could record while it was up.
                handler.handleRequest(
                        Play.webhook(
                                "/twilio/status/acme/1",
                                Map.of("CallStatus", "completed", "CallSid", "CA00000000000000000000000000000008")),
                        null);
            }
            case STREAM_STATUS ->
                new StreamStatusHandler(play.functions())
                        .handleRequest(
                                Play.webhook(
                                        "/twilio/stream-status/acme/1",
                                        Map.of(
                                                "StreamEvent",
                                                "stream-error",
                                                "StreamError",
                                                "31920",
                                                "StreamSid",
                                                "MZ1")),
                                null);
            case DIAL -> play.twiml();
            case OUTBOUND_STATUS ->
                new OutboundStatusHandler(play.functions())
                        .handleRequest(
                                Play.aboutDial(play.ground().dials().getFirst(), "StatusCallback", "completed"), null);
            case CALLS -> {
                CallsHandler handler = new CallsHandler(play.functions());
                APIGatewayV2HTTPResponse made = play.job();
                String id = JSON.readTree(made.getBody()).findValue("id").asText();
                handler.handleRequest(Play.request("GET", "/calls/" + id, ""), null);
                handler.handleRequest(Play.request("DELETE", "/calls/" + id, ""), null);
                // One that has been dialled is hung up at Twilio, with the tenant's token.
                play.ground().ready(ACME, "acme-1");
                APIGatewayV2HTTPResponse dialled = play.job();
                String other = JSON.readTree(dialled.getBody()).findValue("id").asText();
                // The dialer is another function: what it does is none of this one's.
                RecordedActions.aside(play::dial);
                handler.handleRequest(Play.request("DELETE", "/calls/" + other, ""), null);
            }
            case POOL_STATUS ->
                new PoolStatusHandler(play.functions()).handleRequest(Play.request("GET", "/pools/acme", ""), null);
            case ORDERS -> {
                OrdersHandler handler = new OrdersHandler(play.functions());
                String path = "/pools/acme/orders";
                handler.handleRequest(
                        Play.request("POST", path, "{\"order\":\"pause\",\"for\":\"PT10M\",\"reason\":\"a test\"}"),
                        null);
                pin(play);
                handler.handleRequest(Play.request("GET", path, ""), null);
                handler.handleRequest(Play.request("DELETE", path + "/pool", ""), null);
            }
            case ATTEMPTS -> {
                AttemptsHandler handler = new AttemptsHandler(play.functions());
                handler.handleRequest(Play.query("/attempts", Map.of("tenant", "acme")), null);
                handler.handleRequest(Play.query("/attempts/" + Play.CALL, Map.of("tenant", "acme")), null);
            }
            case CONSOLE -> {
                ConsoleHandler handler = new ConsoleHandler(play.functions());
                handler.handleRequest(Play.query("/console/state", Map.of("tenant", "acme")), null);
                handler.handleRequest(Play.query("/console/tenants", Map.of()), null);
            }
            case USAGE -> new UsageHandler(play.functions()).handleRequest(Play.query("/usage/acme", Map.of()), null);
            case OVERFLOW_SCALER ->
                twice(
                        play,
                        new OverflowScalerHandler(play.functions()),
                        Play.announced(
                                "CallOverflowed",
                                Map.of("tenant", "acme", "call", Play.CALL, "hop", 1, "placed", "gateway")));
            case GATEWAY_SCALER -> twice(play, new GatewayScalerHandler(play.functions()), Play.due());
            case HAND_OFF ->
                twice(
                        play,
                        new HandOffHandler(play.functions()),
                        Play.announced("ContainerReady", Map.of("pool", "acme", "container", "acme-1")));
            case IDLE_SWEEPER -> {
                IdleSweeperHandler handler = new IdleSweeperHandler(play.functions());
                Play.ask(handler, Play.announced("ContainerDrained", Map.of("pool", "acme", "container", "acme-2")));
                Play.ask(handler, Play.due());
                // An operator wants more than there are, while one is being drained.
                RecordedActions.aside(() -> {
                    pin(play);
                    play.ground().draining(ACME, "acme-d");
                });
                Play.ask(handler, Play.due());
            }
            case ZOMBIE_RECONCILER -> {
                ZombieReconcilerHandler handler = new ZombieReconcilerHandler(play.functions());
                Play.ask(handler, Play.due());
                Play.ask(
                        handler,
                        Play.announced(
                                "StreamSilent",
                                Map.of("tenant", "acme", "call", Play.CALL, "hop", 1, "container", "acme-1")));
            }
            case DIALER -> {
                play.dial();
                // The slots go to callers: for the next job a drain is taken back, for the one after it the pool grows.
                RecordedActions.aside(() -> {
                    fallbacks(play, 1, 5);
                    play.ground().draining(ACME, "acme-d");
                    play.job("+15005550007");
                });
                play.dial();
                RecordedActions.aside(() -> {
                    fallbacks(play, 6, 11);
                    play.job("+15005550008");
                    endedLongAgo(play);
                });
                play.dial();
                Play.ask(new DialerHandler(play.functions()), Play.due());
            }
            case REGISTRATION -> register(play);
        }
    }

    /** First a drain is taken back, which is announced; then, with more callers, there is nothing left but to grow. */
    private static void twice(Play play, RequestHandler<ScheduledEvent, @Nullable Void> handler, ScheduledEvent event)
            throws Exception {
        Play.ask(handler, event);
        RecordedActions.aside(() -> fallbacks(play, 20, 30));
        Play.ask(handler, event);
    }

    /** A job that was canceled an hour ago: it is put by. */
    private static void endedLongAgo(Play play) throws Exception {
        String id = JSON.readTree(play.job("+15005550009").getBody())
                .findValue("id")
                .asText();
        new CallsHandler(play.functions()).handleRequest(Play.request("DELETE", "/calls/" + id, ""), null);
        play.ground()
                .clients()
                .dynamoDb()
                .updateItem(request -> request.tableName("spillway")
                        .key(Map.of(
                                "pk", AttributeValue.fromS("acme#jobs"),
                                "sk", AttributeValue.fromS(id.substring("acme.".length()))))
                        .updateExpression("SET #state.#at = :old")
                        .expressionAttributeNames(Map.of("#state", "state", "#at", "endedAtMillis"))
                        .expressionAttributeValues(Map.of(":old", AttributeValue.fromN("1000"))));
    }

    private static void register(Play play) throws Exception {
        RegistrationHandler handler = new RegistrationHandler(play.ground().environment());
        Path events = Path.of(System.getProperty("spillway.home")).resolve("events/cloud-formation");
        try (LocalHttpServer cloudFormation =
                new LocalHttpServer("cloudformation", 0, request -> LocalHttpServer.Response.json(200, ""))) {
            for (String kind : List.of("Create", "Update", "Delete")) {
                for (String file : List.of("pool.json", "listing.json")) {
                    @SuppressWarnings("unchecked") // a JSON object is a map with texts for names
                    Map<String, Object> event = JSON.readValue(Files.readString(events.resolve(file)), Map.class);
                    event.put("RequestType", kind);
                    event.put("ResponseURL", cloudFormation.url().toString());
                    handler.handleRequest(event, null);
                }
            }
        }
    }
}
