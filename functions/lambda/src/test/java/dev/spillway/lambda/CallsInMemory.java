package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.adapters.RandomGenerations;
import dev.spillway.adapters.journal.JsonLines;
import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.core.Timing;
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
import dev.spillway.core.tenant.Access;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The fallback function over a table in memory, for benchmarks: the webhook is read, verified, recorded, placed on the
 * gateway and answered with TwiML, its journal is written to nowhere, and no byte leaves the process.
 */
public final class CallsInMemory {
    private static final int LIMIT = 6;

    private final MemoryTable table = new MemoryTable();
    private final FallbackHandler handler;

    /**
     * @param publicUrl the base of the URLs that Twilio is given
     * @param tenant whose pool is empty
     * @param token signs its webhooks
     */
    public CallsInMemory(String publicUrl, Tenant tenant, String token) {
        table.put(tenant);
        Policy policy = new Policy(0, 10, LIMIT, 0, Policy.ScaleOutRule.DEMAND, Policy.ScaleInRule.IDLE);
        table.put(Pool.fresh(PoolId.of(tenant.id()), policy, "spillway-pool", "wss://pool.example.com", Instant.now()));
        table.put(Pool.fresh(PoolId.GATEWAY, policy, "spillway-gateway", "wss://gateway.example.com", Instant.now()));
        freeSlots();
        Map<PoolId, StreamKey> keys = new ConcurrentHashMap<>();
        Functions.Surroundings around = new Functions.Surroundings(
                publicUrl,
                null,
                pool -> keys.computeIfAbsent(pool, id -> StreamKey.derive(new byte[32], id)),
                new Access(Set.of()),
                Timing.STANDARD,
                InstantSource.system(),
                Thread::sleep,
                Switchboard.DEADLINE,
                TenantLookup.BOUND,
                "spillway/tenant/");
        JsonLines journal = new JsonLines(
                OutputStream.nullOutputStream(), InstantSource.system(), Map.of(MetricNames.SERVICE, "fallback"));
        this.handler = new FallbackHandler(new Functions(ports(token), around, journal, Functions.Clients.NONE));
    }

    private Ports ports(String token) {
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
                new Token(token),
                new MemoryTelephony(),
                table.fleet(),
                (pool, container) -> false,
                announcement -> true,
                table.orders(),
                new RandomGenerations(),
                (pool, since) -> List.of());
    }

    /** The gateway's three containers, without a call. */
    public void freeSlots() {
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

    /** @throws IllegalStateException if the call is not given a slot: then something else would be timed */
    public void answer(APIGatewayV2HTTPEvent webhook) {
        APIGatewayV2HTTPResponse answer = handler.handleRequest(webhook, null);
        if (answer.getStatusCode() != 200 || !answer.getBody().contains("wss://gateway.example.com/stream/")) {
            throw new IllegalStateException(
                    "want the gateway's stream, not " + answer.getStatusCode() + " " + answer.getBody());
        }
    }

    private record Token(String text) implements TwilioTokens {
        @Override
        public List<String> of(Tenant tenant) {
            return List.of(text);
        }

        @Override
        public void refresh(Tenant tenant) {}

        @Override
        public String toString() {
            return "Token";
        }
    }
}
