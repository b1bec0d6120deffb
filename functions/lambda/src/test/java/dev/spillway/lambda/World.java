package dev.spillway.lambda;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.NOW;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.background.Background;
import dev.spillway.core.background.Lease;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.memory.MemoryDials;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.MemoryTelephony;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.Access;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import dev.spillway.core.tenant.TwilioTokens;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The functions over a table in memory: two tenants with pools of their own and an empty gateway. */
final class World {
    static final String TOKEN = "12345678901234567890123456789012";
    static final String PUBLIC_URL = "https://api.example.com";
    static final String ACCOUNT = "AC00000000000000000000000000000001";
    static final String NUMBER = "+15005550001";

    final MemoryTable table = new MemoryTable();
    final MemoryDials twilio = new MemoryDials();
    final Tokens tokens = new Tokens();
    final MemoryTelephony telephony = new MemoryTelephony();
    final List<Duration> slept = new CopyOnWriteArrayList<>();
    Duration deadline = Duration.ofSeconds(10);
    Duration lookupBound = Duration.ofSeconds(10);

    @Nullable
    String gatewayStreamUrl = "wss://gateway.streams.example.com";

    @Nullable
    Tenants tenants;

    String tenantSecrets = "spillway/tenant/";

    Runnable whileSleeping = () -> {};
    Function<PoolId, StreamKey> streamKeys = pool -> StreamKey.derive(new byte[32], pool);

    World() {
        table.put(Sample.withCallers(tenant(ACME, ACCOUNT, NUMBER), Caller.OF_ACME));
        table.put(Sample.withCallers(
                tenant(BLOOM, "AC00000000000000000000000000000002", "+15005550002"), Caller.OF_BLOOM));
        table.put(Sample.acme());
        table.put(Pool.fresh(
                Sample.BLOOM_POOL, Sample.acme().policy(), "spillway-bloom", "wss://bloom.streams.example.com", NOW));
        table.put(Sample.gateway());
        tokens.secrets.put("spillway/tenant/acme", List.of(TOKEN));
        tokens.secrets.put("spillway/tenant/bloom", List.of("bloombloombloombloombloombloom00"));
    }

    static Tenant tenant(TenantId id, String account, String number) {
        return new Tenant(
                id,
                Set.of(number),
                account,
                "spillway/tenant/" + id,
                new Persona("scripted", "plain", "Hello, this is " + id + ".", "Where were we?", "Goodbye."));
    }

    /** With three empty gateway containers, each with six slots. */
    World withGateway() {
        for (String name : List.of("g1", "g2", "g3")) {
            table.put(Sample.ready(PoolId.GATEWAY, name));
        }
        return this;
    }

    /** The last complete visit of the pool's background work was then. */
    void lastVisited(PoolId pool, Instant at) {
        table.put(table.look(pool)
                .pool()
                .with(next ->
                        next.background = new Background(Lease.NONE, at.plus(Timing.STANDARD.controllerExpiry()))));
    }

    Functions functions() {
        Tenants directory = tenants == null ? table.tenants() : tenants;
        Ports ports = new Ports(
                table.pools(),
                table.containers(),
                table.leases(),
                table.calls(),
                table.conversations(),
                table.listing(),
                table.jobs(),
                table.lines(),
                twilio,
                directory,
                tokens,
                telephony,
                table.fleet(),
                (pool, container) -> false,
                table.announcements(),
                table.orders(),
                table.generations(),
                (pool, since) -> List.of());
        Functions.Surroundings around = new Functions.Surroundings(
                PUBLIC_URL,
                gatewayStreamUrl,
                pool -> streamKeys.apply(pool),
                new Access(Set.of(Caller.OPERATOR)),
                Timing.STANDARD,
                () -> NOW,
                duration -> {
                    slept.add(duration);
                    whileSleeping.run();
                },
                deadline,
                lookupBound,
                tenantSecrets);
        return new Functions(ports, around, table.journal(), Functions.Clients.NONE);
    }

    APIGatewayV2HTTPResponse fallback(Request request) {
        return checked(request, new FallbackHandler(functions())::handleRequest);
    }

    APIGatewayV2HTTPResponse continued(Request request) {
        return checked(request, new ContinueHandler(functions())::handleRequest);
    }

    private static APIGatewayV2HTTPResponse checked(
            Request request, BiFunction<APIGatewayV2HTTPEvent, @Nullable Context, APIGatewayV2HTTPResponse> handler) {
        APIGatewayV2HTTPEvent event = request.event();
        String method = event.getRequestContext().getHttp().getMethod();
        return OpenApi.check(method, event.getRawPath(), null, handler.apply(event, null));
    }

    /** Writes to the table and to ECS so far. */
    long writes() {
        return table.operations().log().stream()
                .filter(operation -> operation.changes())
                .count();
    }

    /** The one line that was logged. */
    Journal.Entry line() {
        if (table.written().size() != 1) {
            throw new AssertionError("want one log line, and there are " + table.written());
        }
        return table.written().getFirst();
    }

    static CallSid call() {
        return new CallSid("CA00000000000000000000000000000001");
    }

    /** The secret store. */
    static final class Tokens implements TwilioTokens {
        final Map<String, List<String>> secrets = new HashMap<>();
        final Map<String, List<String>> afterRefresh = new HashMap<>();
        int refreshes;
        boolean down;

        @Override
        public List<String> of(Tenant tenant) {
            List<String> tokens = secrets.get(tenant.secretName());
            if (down || tokens == null) {
                throw new DependencyException(
                        "secrets", "cannot be read", new IllegalStateException("as the test says"));
            }
            return tokens;
        }

        @Override
        public void refresh(Tenant tenant) {
            refreshes++;
            secrets.putAll(afterRefresh);
        }
    }
}
