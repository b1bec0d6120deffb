package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Pool;
import dev.spillway.localcloud.ApiGateway;
import dev.spillway.localcloud.Dynalite;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.SecretsStandIn;
import dev.spillway.localcloud.twilio.Signature;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Webhooks in, stories out: the functions behind the HTTP API with a real table, and no container at all. */
class StoryOverHttpIT {
    private static final LocalTenant ACME = LocalTenant.ACME;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void a_caller_who_gives_up_and_tries_again_is_told_as_one_caller_with_two_attempts(@TempDir Path work)
            throws Exception {
        try (Dynalite dynalite = Dynalite.start(Cli.home().resolve("tests/localcloud/dynalite"));
                SecretsStandIn secrets = new SecretsStandIn(0);
                EventBridgeStandIn bus = new EventBridgeStandIn(0, EventBridgeStandIn.Delivery.seeded(1));
                ApiGateway api = new ApiGateway(0);
                FunctionJournal journal = new FunctionJournal(work.resolve("functions.log"));
                LocalFunctions functions =
                        new LocalFunctions(environment(dynalite.url(), secrets.url(), bus.url(), api.url()), journal)) {
            secrets.put("spillway/stream", "{\"key\":\"" + Base64.getEncoder().encodeToString(new byte[32]) + "\"}");
            secrets.put(ACME.tenant().secretName(), "{\"authToken\":\"" + ACME.authToken() + "\"}");
            functions.createTable(
                    List.of(ACME),
                    id -> Pool.fresh(
                            id,
                            new Policy(0, 10, 6, 0, Policy.ScaleOutRule.PLUS_ONE, Policy.ScaleInRule.IDLE),
                            "spillway-" + id,
                            "ws://127.0.0.1:9",
                            Instant.now()));
            functions.route(api);
            api.user(LocalUsers.OPERATOR);
            String first = Sample.call(1).value();
            String second = Sample.call(2).value();

            // given a caller whom the pool's door turned away and who hung up before a stream came
            assertThat(post(api.url() + "/twilio/fallback/acme", turnedAway(first)))
                    .isEqualTo(200);
            assertThat(post(api.url() + "/twilio/status/acme/0", form(first, "completed")))
                    .isEqualTo(204);
            // when the same caller tries again
            assertThat(post(api.url() + "/twilio/fallback/acme", turnedAway(second)))
                    .isEqualTo(200);

            // then there are two attempts, and the summary adds up
            JsonNode listed = get(api.url(), "/attempts?tenant=acme", 200);
            assertThat(listed.at("/attempts/0/id").asText()).isEqualTo(first);
            assertThat(listed.at("/attempts/0/outcome").asText()).isEqualTo("abandoned");
            assertThat(listed.at("/attempts/1/first").asText()).isEqualTo(first);
            JsonNode summary = listed.at("/summary");
            assertThat(summary.at("/offered").asInt()).isEqualTo(2);
            assertThat(summary.at("/open").asInt()).isEqualTo(1);
            assertThat(summary.at("/outcomes/abandoned").asInt()).isEqualTo(1);
            assertThat(summary.at("/inbound/retries").asInt()).isEqualTo(1);
            assertThat(summary.at("/inbound/turnedAway").asInt()).isEqualTo(2);
            assertThat(listed.toString()).doesNotContain("500555");
            // and pages, unknown tenants and bad fields are answered as they should be
            JsonNode page = get(api.url(), "/attempts?tenant=acme&limit=1", 200);
            JsonNode rest = get(
                    api.url(),
                    "/attempts?tenant=acme&limit=1&cursor=" + page.at("/next").asText(),
                    200);
            assertThat(rest.at("/attempts/0/id").asText()).isEqualTo(second);
            assertThat(rest.has("next")).isFalse();
            get(api.url(), "/attempts?tenant=nobody", 404);
            assertThat(get(api.url(), "/attempts?tenant=acme&limit=0&since=x", 400)
                            .at("/errors"))
                    .hasSize(2);
            // and the command tells the story
            String told = told(info(work, api.url()), first);
            assertThat(told)
                    .contains(first + ": inbound, tenant acme")
                    .contains("abandoned")
                    .contains("hop 0  refused    acme")
                    .contains("hop 1  held       gateway")
                    .contains("hop 1  ended")
                    .contains("[full; acme: live 0, setup 0, reserved 0, cooldown 0 of 0]")
                    .contains("functions.log  {");
            assertThat(new CommandLine(new StoryCommand())
                            .execute(
                                    Sample.call(3).value(),
                                    "--info",
                                    work.resolve("info.json").toString()))
                    .isEqualTo(1);
            assertThat(new CommandLine(new StoryCommand())
                            .execute("CA1", "--info", work.resolve("info.json").toString()))
                    .isEqualTo(2);
        }
    }

    private static Map<String, String> environment(URI dynalite, URI secrets, URI bus, URI api) {
        Map<String, String> environment = new HashMap<>();
        environment.put("AWS_REGION", "us-east-1");
        environment.put("AWS_ACCESS_KEY_ID", "local");
        environment.put("AWS_SECRET_ACCESS_KEY", "local");
        environment.put("AWS_ENDPOINT_URL_DYNAMODB", dynalite.toString());
        environment.put("AWS_ENDPOINT_URL_SECRETS_MANAGER", secrets.toString());
        environment.put("AWS_ENDPOINT_URL_EVENTBRIDGE", bus.toString());
        environment.put("AWS_ENDPOINT_URL_ECS", "http://127.0.0.1:9");
        environment.put("SPILLWAY_TABLE", "spillway");
        environment.put("SPILLWAY_EVENT_BUS", "spillway");
        environment.put("SPILLWAY_PUBLIC_URL", api.toString());
        environment.put("SPILLWAY_CLUSTER", "spillway");
        environment.put("SPILLWAY_OPERATORS", LocalUsers.OPERATOR_ROLE);
        environment.put("SPILLWAY_GATEWAY_STREAM_URL", "ws://127.0.0.1:9");
        environment.put("SPILLWAY_STREAM_SECRET", "spillway/stream");
        environment.put("SPILLWAY_TENANT_SECRETS", "spillway/tenant/");
        return environment;
    }

    private static Map<String, String> form(String sid, String status) {
        return new TreeMap<>(Map.of(
                "CallSid",
                sid,
                "AccountSid",
                ACME.tenant().accountSid(),
                "From",
                "+15005550006",
                "To",
                ACME.number(),
                "CallStatus",
                status,
                "Direction",
                "inbound"));
    }

    private static Map<String, String> turnedAway(String sid) {
        Map<String, String> form = form(sid, "ringing");
        form.put("ErrorCode", "11200");
        form.put("ErrorUrl", "http://127.0.0.1:9/voice");
        return form;
    }

    private int post(String url, Map<String, String> form) throws Exception {
        String body = form.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return client.send(
                        HttpRequest.newBuilder(URI.create(url))
                                .timeout(Duration.ofSeconds(20))
                                .header("content-type", "application/x-www-form-urlencoded")
                                .header("x-twilio-signature", Signature.of(ACME.authToken(), url, form))
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static JsonNode get(URI url, String path, int status) throws Exception {
        try (SignedApi api = SignedApi.local(url, LocalUsers.key(LocalUsers.OPERATOR))) {
            HttpResponse<String> response = api.get(path);
            assertThat(response.statusCode()).as(path).isEqualTo(status);
            return Cli.JSON.readTree(response.body());
        }
    }

    private static Path info(Path work, URI api) throws Exception {
        ObjectNode info = Cli.JSON.createObjectNode();
        info.put("apiUrl", api.toString());
        info.set("operator", Cli.JSON.valueToTree(LocalUsers.key(LocalUsers.OPERATOR)));
        info.put("logs", work.toString());
        info.putArray("tenants").addObject().put("id", "acme");
        Path file = work.resolve("info.json");
        Files.writeString(file, info.toString());
        return file;
    }

    private static String told(Path info, String sid) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            assertThat(new CommandLine(new StoryCommand()).execute(sid, "--info", info.toString(), "--logs"))
                    .isZero();
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
