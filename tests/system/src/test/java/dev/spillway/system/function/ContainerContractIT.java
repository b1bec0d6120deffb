package dev.spillway.system.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.adapters.aws.ContainerAccess;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Offer;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a container asks of AWS is what its task role allows: nothing is missing, and nothing is allowed that nobody needs.
 * That the roles say what is declared is tested with the templates; that a permission which is taken away is refused and
 * named, in {@link RoleGateTest}.
 */
class ContainerContractIT {
    private static final PoolId ACME = PoolId.of(FunctionGround.ACME);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HttpClient http = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init") // set before each test
    private FunctionGround ground;

    @BeforeEach
    void open(@TempDir Path work) {
        Path dynalite = Path.of(System.getProperty("spillway.home")).resolve("tests/localcloud/dynalite");
        ground = new FunctionGround(dynalite, work);
    }

    @AfterEach
    void close() {
        http.shutdownNow();
        ground.close();
    }

    private RoleGate role(PoolId pool) {
        return RoleGate.of(
                pool,
                Map.of(
                        "dynamodb", endpoint("DYNAMODB"),
                        "events", endpoint("EVENTBRIDGE"),
                        "secretsmanager", endpoint("SECRETS_MANAGER")));
    }

    private URI endpoint(String service) {
        return URI.create(String.valueOf(ground.environment().get("AWS_ENDPOINT_URL_" + service)));
    }

    private LoneContainer container(PoolId pool, RoleGate role) throws Exception {
        Map<String, String> endpoints = new TreeMap<>();
        for (String service : new String[] {"DYNAMODB", "EVENTBRIDGE", "SECRETS_MANAGER"}) {
            endpoints.put("AWS_ENDPOINT_URL_" + service, role.url().toString());
        }
        return new LoneContainer(ground, pool, endpoints);
    }

    private static void usesItsWholeRoleAndNoMore(PoolId pool, RoleGate role) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(role.used())
                        .containsExactlyElementsOf(ContainerAccess.of(pool).actions()));
        assertThat(role.refused()).isEmpty();
    }

    @Test
    void a_tenants_container_uses_what_its_role_allows_and_all_of_it() throws Exception {
        // given another container of the pool, which has kept a slot for a call
        CallSid call = new CallSid("CA%032d".formatted(22));
        Generation generation = new Generation(1, "reserved00000001");
        Instant now = Instant.now();
        ground.container(
                ACME,
                "other",
                ContainerState.READY,
                "",
                Map.of(call, Claim.reserved(generation, FunctionGround.ACME, now, now)),
                now.plus(Duration.ofMinutes(10)),
                false);
        try (RoleGate role = role(ACME);
                LoneContainer container = container(ACME, role)) {
            // when one call comes straight to this one, and the stream of the other arrives here
            talk(container, container.call("CA%032d".formatted(21)), "CA%032d".formatted(21));
            talk(
                    container,
                    address(new ContainerId("other"), call, generation).path(LoneContainer.key(ACME)),
                    call.value());
            // then
            usesItsWholeRoleAndNoMore(ACME, role);
        }
    }

    @Test
    void the_gateways_container_uses_what_its_role_allows_and_all_of_it() throws Exception {
        Play play = new Play(ground);
        try (RoleGate role = role(PoolId.GATEWAY);
                LoneContainer container = container(PoolId.GATEWAY, role)) {
            // when a call comes that nobody could record
            CallSid unknown = new CallSid("CA%032d".formatted(31));
            talk(
                    container,
                    address(null, unknown, new Generation(1, "unclaimed0000001"))
                            .path(LoneContainer.key(PoolId.GATEWAY)),
                    unknown.value());
            // and one whose caller hangs up while a slot of the tenant's own pool is offered to it
            CallSid held = new CallSid("CA%032d".formatted(32));
            String answer = play.fallback(held.value()).getBody();
            int start = answer.indexOf("/stream/");
            WebSocket stream = opened(container, answer.substring(start, answer.indexOf('"', start)), held.value());
            Offer offer = new Offer(new ContainerId("other"), new Generation(2, "offered000000001"), Instant.now());
            assertThat(calls().offer(FunctionGround.ACME, held, 1, offer)).isTrue();
            stop(stream);
            // and somebody asks after another container
            http.send(
                    HttpRequest.newBuilder(container.url("http").resolve("/live/nobody"))
                            .timeout(PATIENCE)
                            .build(),
                    BodyHandlers.discarding());
            // then
            usesItsWholeRoleAndNoMore(PoolId.GATEWAY, role);
        } finally {
            play.functions().close();
        }
    }

    private static StreamAddress address(@Nullable ContainerId container, CallSid call, Generation generation) {
        return new StreamAddress(
                StreamAddress.Kind.STREAM,
                FunctionGround.ACME,
                container,
                call,
                generation,
                Instant.now().plus(Duration.ofMinutes(5)));
    }

    /** A caller who says nothing and hangs up. */
    private void talk(LoneContainer container, String path, String call) {
        stop(opened(container, path, call));
    }

    private DynamoCalls calls() {
        return new DynamoCalls(ground.clients().dynamoDb(), "spillway");
    }

    /** Returns when the table knows that the call is connected. */
    private WebSocket opened(LoneContainer container, String path, String call) {
        WebSocket stream = http.newWebSocketBuilder()
                .buildAsync(container.url("ws").resolve(path), new WebSocket.Listener() {})
                .join();
        stream.sendText("{\"event\":\"connected\",\"protocol\":\"Call\",\"version\":\"1.0.0\"}", true)
                .join();
        stream.sendText(
                        "{\"event\":\"start\",\"sequenceNumber\":\"1\",\"streamSid\":\"MZ1\",\"start\":{\"streamSid\":\"MZ1\","
                                + "\"callSid\":\"" + call + "\",\"customParameters\":{\"tenant\":\"acme\"}}}",
                        true)
                .join();
        await().atMost(PATIENCE)
                .until(() -> calls().find(FunctionGround.ACME, new CallSid(call))
                        .filter(known -> known.connectedHop() == 1)
                        .isPresent());
        return stream;
    }

    private static void stop(WebSocket stream) {
        stream.sendText("{\"event\":\"stop\",\"stop\":{}}", true).join();
    }
}
