package dev.spillway.system.function;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.adapters.RandomGenerations;
import dev.spillway.adapters.journal.JsonLines;
import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.core.memory.MemoryDials;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.MemoryTelephony;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import dev.spillway.lambda.FallbackHandler;
import dev.spillway.lambda.Functions;
import dev.spillway.lambda.Ports;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The fallback function over a table in memory: the webhook is read, verified, recorded, placed on the gateway and answered
 * with TwiML, its journal is written to nowhere, and no byte leaves the process.
 */
final class PlayInMemory {
    private static final PoolId ACME = PoolId.of(FunctionGround.ACME);
    private static final int LIMIT = 6;

    private final MemoryTable table = new MemoryTable();
    private final FallbackHandler handler;

    PlayInMemory() {
        table.put(new Tenant(
                FunctionGround.ACME,
                Set.of("+15005550001"),
                FunctionGround.ACCOUNT,
                "spillway/tenant/acme",
                new Persona("scripted", "plain", "Hello, this is acme.", "Where were we?", "Goodbye.")));
        Policy policy = new Policy(0, 10, LIMIT, 0, Policy.ScaleOutRule.DEMAND, Policy.ScaleInRule.IDLE);
        table.put(Pool.fresh(ACME, policy, "spillway-acme", "wss://acme.example.com", Instant.now()));
        table.put(Pool.fresh(PoolId.GATEWAY, policy, "spillway-gateway", "wss://gateway.example.com", Instant.now()));
        freeSlots();
        this.handler = new FallbackHandler(Functions.over(
                ports(),
                FunctionGround.PUBLIC_URL,
                pool -> StreamKey.derive(new byte[32], pool),
                new JsonLines(
                        OutputStream.nullOutputStream(),
                        InstantSource.system(),
                        Map.of(MetricNames.SERVICE, "fallback"))));
    }

    private Ports ports() {
        return new Ports(
                table.pools(),
                table.containers(),
                table.leases(),
                table.calls(),
                table.conversations(),
                table.listing(),
                table.jobs(),
                table.lines(),
                new MemoryDials(),
                table.tenants(),
                new Tokens(),
                new MemoryTelephony(),
                table.fleet(),
                (pool, container) -> false,
                announcement -> true,
                table.orders(),
                new RandomGenerations(),
                (pool, since) -> List.of());
    }

    /** The gateway's three containers, without a call. */
    void freeSlots() {
        Instant now = Instant.now();
        for (String id : List.of("gateway-1", "gateway-2", "gateway-3")) {
            table.put(new Container(
                    PoolId.GATEWAY,
                    new ContainerId(id),
                    "boot-" + id,
                    ContainerState.READY,
                    "",
                    now,
                    "127.0.0.1",
                    "1",
                    LIMIT,
                    Map.of(),
                    Report.empty(now),
                    now.plus(Duration.ofHours(1)),
                    now.plus(Duration.ofHours(1)),
                    now,
                    Instant.EPOCH,
                    false));
        }
        table.operations().clearLog();
    }

    /** A webhook about a call that overflows. */
    static APIGatewayV2HTTPEvent webhook(String call) {
        return Play.webhook(
                "/twilio/fallback/acme",
                Map.of(
                        "CallSid", call,
                        "CallStatus", "ringing",
                        "ErrorCode", "11217",
                        "ErrorUrl", "https://acme.example.com/voice"));
    }

    /** @throws IllegalStateException if the call is not given a slot: then something else would be timed */
    void answer(APIGatewayV2HTTPEvent webhook) {
        APIGatewayV2HTTPResponse answer = handler.handleRequest(webhook, null);
        if (answer.getStatusCode() != 200 || !answer.getBody().contains("wss://gateway.example.com/stream/")) {
            throw new IllegalStateException(
                    "want the gateway's stream, not " + answer.getStatusCode() + " " + answer.getBody());
        }
    }

    private static final class Tokens implements TwilioTokens {
        @Override
        public List<String> of(Tenant tenant) {
            return List.of(FunctionGround.TOKEN);
        }

        @Override
        public void refresh(Tenant tenant) {}
    }
}
