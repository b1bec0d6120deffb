package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.Outbound;
import dev.spillway.core.outbound.OutboundPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who comes in by the routes that IAM guards, and that whoever does not leaves no trace. */
class GateTest {
    private static final String ACME_SESSION = "arn:aws:sts::123456789012:assumed-role/acme/nightly";

    private final World world = new World().withGateway();

    GateTest() {
        world.table.put(Sample.acme()
                .withOutbound(Outbound.of(new OutboundPolicy(
                        3,
                        0,
                        1_000,
                        1,
                        100,
                        Map.of(),
                        List.of(Country.always("+1")),
                        Set.of(),
                        OutboundPolicy.Warmth.USUAL))));
    }

    static Stream<HttpFunction.Route> guarded() {
        return Arrays.stream(HttpFunction.values())
                .flatMap(function -> function.routes().stream())
                .filter(HttpFunction.Route::iam);
    }

    /** A request of that route that is about acme and in order. */
    private APIGatewayV2HTTPResponse ask(HttpFunction.Route route, @Nullable String arn) {
        String id = route.path().startsWith("/calls")
                ? "acme.00000000000000000009"
                : World.call().value();
        String path =
                route.path().replace("{tenant}", "acme").replace("{id}", id).replace("{subject}", "pool");
        Map<String, String> query =
                path.startsWith("/attempts") || path.startsWith("/console") ? Map.of("tenant", "acme") : Map.of();
        APIGatewayV2HTTPEvent event = Caller.request(
                arn, route.method(), path, query, Map.of("content-type", "application/json"), body(route));
        APIGatewayV2HTTPResponse response = Arrays.stream(HttpFunction.values())
                .filter(function -> function.routes().contains(route))
                .findFirst()
                .orElseThrow()
                .handler(world.functions())
                .handleRequest(event, null);
        return OpenApi.check(route.method(), path, body(route), response);
    }

    private static @Nullable String body(HttpFunction.Route route) {
        return switch (route.key()) {
            case "POST /calls" -> "{\"tenant\":\"acme\",\"to\":\"+15005551001\"}";
            case "POST /pools/{tenant}/orders" -> "{\"order\":\"pause\",\"reason\":\"a test\"}";
            default -> null;
        };
    }

    private void refused(APIGatewayV2HTTPResponse response, int status) {
        assertThat(response.getStatusCode()).isEqualTo(status);
        assertThat(response.getHeaders()).containsEntry("content-type", "application/problem+json");
        assertThat(response.getBody()).contains("\"status\":" + status).doesNotContain("acme");
        assertThat(world.writes()).isZero();
        assertThat(world.table.announced()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("guarded")
    void without_an_identity_nobody_comes_in_and_nothing_is_read_or_written(HttpFunction.Route route) {
        APIGatewayV2HTTPResponse response = ask(route, null);

        refused(response, 401);
        assertThat(response.getHeaders()).containsEntry("www-authenticate", "AWS4-HMAC-SHA256");
        assertThat(world.table.operations().log()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("guarded")
    void a_header_is_not_an_identity(HttpFunction.Route route) {
        APIGatewayV2HTTPEvent event = Caller.request(
                null,
                route.method(),
                "/pools/acme",
                Map.of(),
                Map.of("authorization", "AWS4-HMAC-SHA256 Credential=x", "userArn", Caller.OPERATOR.arn()),
                null);

        refused(new PoolStatusHandler(world.functions()).handleRequest(event, null), 401);
    }

    /** All but the page, which is the same for everybody, and the list that is empty for all but operators. */
    static Stream<HttpFunction.Route> aboutTenant() {
        return guarded()
                .filter(route ->
                        !List.of("GET /console", "GET /console/tenants").contains(route.key()));
    }

    @ParameterizedTest
    @MethodSource("aboutTenant")
    void a_caller_of_another_tenant_is_turned_away_and_only_the_tenant_is_looked_up(HttpFunction.Route route) {
        refused(ask(route, Caller.OF_BLOOM.arn()), 403);

        assertThat(world.table.operations().log()).containsExactly(Operation.TENANTS_FIND);
        assertThat(world.table.written("api-refused")).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("guarded")
    void the_account_itself_and_federated_users_are_turned_away(HttpFunction.Route route) {
        refused(ask(route, "arn:aws:iam::123456789012:root"), 403);
        refused(ask(route, "arn:aws:sts::123456789012:federated-user/acme"), 403);
    }

    @ParameterizedTest
    @MethodSource("guarded")
    void a_caller_of_the_tenant_comes_in_as_a_session_of_its_role_and_an_operator_does_too(HttpFunction.Route route) {
        assertThat(ask(route, ACME_SESSION).getStatusCode()).isNotIn(401, 403);
        assertThat(ask(route, Caller.OPERATOR.arn()).getStatusCode()).isNotIn(401, 403);
    }

    @Test
    void only_an_operator_learns_that_a_tenant_does_not_exist() {
        PoolStatusHandler handler = new PoolStatusHandler(world.functions());

        assertThat(handler.handleRequest(Caller.get(Caller.OPERATOR.arn(), "/pools/nobody", Map.of()), null)
                        .getStatusCode())
                .isEqualTo(404);
        assertThat(handler.handleRequest(Caller.get(ACME_SESSION, "/pools/nobody", Map.of()), null)
                        .getStatusCode())
                .isEqualTo(403);
    }

    @Test
    void jobs_for_another_tenant_are_refused_whatever_else_is_wrong_with_them() {
        APIGatewayV2HTTPEvent event = Caller.request(
                Caller.OF_BLOOM.arn(),
                "POST",
                "/calls",
                Map.of(),
                Map.of("content-type", "application/json", "idempotency-key", "k1"),
                "{\"tenant\":\"acme\",\"to\":\"12\"}");

        refused(new CallsHandler(world.functions()).handleRequest(event, null), 403);
    }
}
