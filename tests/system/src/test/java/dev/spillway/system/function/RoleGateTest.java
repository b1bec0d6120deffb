package dev.spillway.system.function;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.adapters.aws.ContainerAccess;
import dev.spillway.core.pool.PoolId;
import dev.spillway.localcloud.LocalHttpServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RoleGateTest {
    private static final PoolId ACME = new PoolId("acme");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @SuppressWarnings("NullAway.Init") // set before any test
    private static LocalHttpServer aws;

    @BeforeAll
    static void open() {
        aws = new LocalHttpServer("aws", 0, request -> LocalHttpServer.Response.json(200, "{\"is\":\"done\"}"));
    }

    @AfterAll
    static void close() {
        aws.close();
        HTTP.close();
    }

    private static RoleGate gate(List<String> role) {
        URI url = aws.url();
        return new RoleGate("acme", role, Map.of("dynamodb", url, "events", url, "secretsmanager", url));
    }

    private static HttpResponse<String> ask(RoleGate gate, String action, String input)
            throws IOException, InterruptedException {
        String[] parts = action.split(":");
        String service = switch (parts[0]) {
            case "dynamodb" -> "DynamoDB_20120810";
            case "events" -> "AWSEvents";
            default -> parts[0];
        };
        return HTTP.send(
                HttpRequest.newBuilder(gate.url())
                        .header("x-amz-target", service + "." + parts[1])
                        .POST(BodyPublishers.ofString(input))
                        .build(),
                BodyHandlers.ofString());
    }

    private static String about(String action, String key) {
        return switch (action) {
            case "dynamodb:PutItem" -> "{\"Item\":{\"pk\":{\"S\":\"" + key + "\"},\"sk\":{\"S\":\"call\"}}}";
            case "dynamodb:Query" -> "{\"ExpressionAttributeValues\":{\":pk\":{\"S\":\"" + key + "\"}}}";
            default -> "{\"Key\":{\"pk\":{\"S\":\"" + key + "\"},\"sk\":{\"S\":\"call\"}}}";
        };
    }

    static List<String> permissions() {
        return ContainerAccess.of(ACME).actions();
    }

    @ParameterizedTest
    @MethodSource("permissions")
    void what_needs_a_permission_that_is_taken_away_is_refused_and_named(String taken) throws Exception {
        List<String> others = new ArrayList<>(permissions());
        others.remove(taken);
        String[] parts = taken.split(" ");
        String key = parts.length == 1 ? "" : parts[1].replace("*", "CA1");
        String asked = (parts[0] + " " + key).strip();

        try (RoleGate whole = gate(permissions());
                RoleGate lacking = gate(others)) {
            assertThat(ask(whole, parts[0], about(parts[0], key)).body()).isEqualTo("{\"is\":\"done\"}");
            HttpResponse<String> refused = ask(lacking, parts[0], about(parts[0], key));

            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("AccessDeniedException").contains(parts[0]);
            assertThat(lacking.refused()).containsExactly(asked);
            assertThat(whole.used()).containsExactly(taken);
            assertThat(whole.refused()).isEmpty();
        }
    }

    @Test
    void a_tenants_role_reaches_no_other_tenants_keys_and_no_index() throws Exception {
        try (RoleGate gate = gate(permissions())) {
            for (String key :
                    List.of("globex#pool", "globex#call#CA1", "acme#jobs", "spillway#tenants", "xacme#pool")) {
                assertThat(ask(gate, "dynamodb:GetItem", about("dynamodb:GetItem", key))
                                .statusCode())
                        .as(key)
                        .isEqualTo(400);
            }
            String listing =
                    "{\"IndexName\":\"attempts\",\"ExpressionAttributeValues\":{\":pk\":{\"S\":\"acme#pool\"}}}";
            assertThat(ask(gate, "dynamodb:Query", listing).statusCode()).isEqualTo(400);
            assertThat(gate.refused()).contains("dynamodb:Query index attempts").hasSize(6);
        }
    }
}
