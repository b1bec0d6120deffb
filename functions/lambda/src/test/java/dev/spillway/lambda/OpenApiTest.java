package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.order.Order;
import dev.spillway.core.pool.Gauges;
import dev.spillway.core.tenant.TenantId;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The document and the code say the same; what handlers answer is checked against it by the handlers' own tests. */
class OpenApiTest {
    private static final Set<String> METHODS =
            Set.of("get", "post", "put", "patch", "delete", "head", "options", "trace");

    static List<HttpFunction.Route> routes() {
        return Arrays.stream(HttpFunction.values())
                .flatMap(function -> function.routes().stream())
                .toList();
    }

    private static JsonNode operation(HttpFunction.Route route) {
        return OpenApi.DOCUMENT
                .path("paths")
                .path(route.path())
                .path(route.method().toLowerCase(Locale.ROOT));
    }

    @Test
    void the_document_has_every_route_and_no_other() {
        Set<String> documented = new TreeSet<>();
        OpenApi.DOCUMENT
                .path("paths")
                .properties()
                .forEach(path -> path.getValue().fieldNames().forEachRemaining(method -> {
                    if (METHODS.contains(method)) {
                        documented.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey());
                    }
                }));

        assertThat(documented)
                .containsExactlyInAnyOrderElementsOf(
                        routes().stream().map(HttpFunction.Route::key).toList());
    }

    @ParameterizedTest
    @MethodSource("routes")
    void each_route_is_secured_as_documented(HttpFunction.Route route) {
        JsonNode security = operation(route).has("security")
                ? operation(route).path("security")
                : OpenApi.DOCUMENT.path("security");

        assertThat(security).hasSize(1);
        assertThat(security.get(0).fieldNames().next()).isEqualTo(route.iam() ? "sigV4" : "twilioSignature");
        if (route.iam()) {
            assertThat(texts(operation(route).path("responses").fieldNames())).contains("401", "403", "503");
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void each_parameter_of_a_path_is_documented(HttpFunction.Route route) {
        Set<String> documented = new HashSet<>();
        for (JsonNode owner : List.of(OpenApi.DOCUMENT.path("paths").path(route.path()), operation(route))) {
            owner.path("parameters").forEach(parameter -> {
                JsonNode resolved = OpenApi.resolved(parameter);
                if (resolved.path("in").asText().equals("path")) {
                    documented.add(resolved.path("name").asText());
                }
            });
        }

        assertThat(documented)
                .isEqualTo(Arrays.stream(route.path().split("/"))
                        .filter(part -> part.startsWith("{"))
                        .map(part -> part.substring(1, part.length() - 1))
                        .collect(Collectors.toSet()));
    }

    @Test
    void a_function_s_name_is_in_lower_case_with_hyphens() {
        assertThat(HttpFunction.POOL_STATUS.functionName()).isEqualTo("pool-status");
    }

    static Stream<Arguments> records() {
        return Stream.of(
                Arguments.of("/Pool", PoolStatus.class),
                Arguments.of("/Pool/properties/policy", PoolStatus.Policy.class),
                Arguments.of("/Pool/properties/slots", Gauges.class),
                Arguments.of("/Pool/properties/held/items", PoolStatus.Held.class),
                Arguments.of("/Pool/properties/desired", PoolStatus.Desired.class),
                Arguments.of("/Pool/properties/ecs", PoolStatus.Ecs.class),
                Arguments.of("/Pool/properties/launches", PoolStatus.Launches.class),
                Arguments.of("/Pool/properties/lastDecision", PoolStatus.LastDecision.class),
                Arguments.of("/Pool/properties/gateway", PoolStatus.Gateway.class),
                Arguments.of("/Container", PoolStatus.ContainerStatus.class),
                Arguments.of("/Container/properties/slots", PoolStatus.Slots.class),
                Arguments.of("/Order", OrderView.class),
                Arguments.of("/Orders", OrderView.Log.class),
                Arguments.of("/Attempts", AttemptsAnswer.class),
                Arguments.of("/Summary", AttemptsAnswer.Summary.class),
                Arguments.of("/Summary/properties/inbound", AttemptsAnswer.Inbound.class),
                Arguments.of("/Summary/properties/outbound", AttemptsAnswer.Outbound.class),
                Arguments.of("/ConsoleState", ConsoleState.class),
                Arguments.of("/Decision", ConsoleState.Decision.class),
                Arguments.of("/ConsoleTenants", ConsoleState.TenantList.class),
                Arguments.of("/Attempt", AttemptsAnswer.One.class),
                Arguments.of("/Attempt/properties/steps/items", AttemptsAnswer.Step.class),
                Arguments.of("/Slots", AttemptsAnswer.Slots.class));
    }

    @ParameterizedTest
    @MethodSource("records")
    void each_answer_has_the_fields_that_are_documented(String schema, Class<?> answer) {
        assertThat(fields(OpenApi.DOCUMENT.at("/components/schemas" + schema)))
                .isEqualTo(Arrays.stream(answer.getRecordComponents())
                        .map(OpenApiTest::name)
                        .collect(Collectors.toSet()));
    }

    private static String name(RecordComponent component) {
        JsonProperty renamed = component.getAccessor().getAnnotation(JsonProperty.class);
        return renamed == null ? component.getName() : renamed.value();
    }

    @Test
    void requests_have_the_fields_that_are_read() {
        assertThat(fields(OpenApi.schema("CallWish"))).isEqualTo(JobBody.FIELDS);
        assertThat(fields(OpenApi.schema("OrderRequest"))).isEqualTo(OrderBody.FIELDS);
    }

    @Test
    void words_are_those_of_the_code() {
        assertThat(words("Cause"))
                .isEqualTo(Arrays.stream(Cause.values()).map(Cause::text).collect(Collectors.toSet()));
        assertThat(words("Outcome"))
                .isEqualTo(Arrays.stream(Outcome.values()).map(Outcome::text).collect(Collectors.toSet()));
        assertThat(words("Subject"))
                .isEqualTo(Arrays.stream(Order.Subject.values())
                        .map(Order.Subject::text)
                        .collect(Collectors.toSet()));
        assertThat(words("OrderName"))
                .isEqualTo(Stream.of(
                                new Order.Pause(),
                                new Order.Pin(1),
                                new Order.Drain(),
                                new Order.ToGateway(),
                                new Order.StopOutbound())
                        .map(Order.What::text)
                        .collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acme",
                "a",
                "a-1",
                "gateway",
                "api",
                "apis",
                "Acme",
                "1a",
                "",
                "a_b",
                "abcdefghijklmnopqrstuvwxyz012345"
            })
    void a_tenants_id_is_what_the_document_says(String text) {
        JsonNode schema = OpenApi.schema("TenantId");

        assertThat(text.matches(schema.path("pattern").asText())
                        && !texts(schema.at("/not/enum")).contains(text))
                .isEqualTo(TenantId.parse(text).isPresent());
    }

    private static Set<String> fields(JsonNode schema) {
        return texts(schema.path("properties").fieldNames());
    }

    private static Set<String> words(String schema) {
        return texts(OpenApi.schema(schema).path("enum"));
    }

    private static Set<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.toSet());
    }

    private static Set<String> texts(Iterator<String> names) {
        Set<String> all = new HashSet<>();
        names.forEachRemaining(all::add);
        return all;
    }
}
