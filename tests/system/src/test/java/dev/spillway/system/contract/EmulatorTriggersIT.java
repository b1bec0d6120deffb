package dev.spillway.system.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.dynamodb.Table;
import dev.spillway.adapters.eventbridge.EventBridgeAnnouncements;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.PoolId;
import dev.spillway.lambda.DeployedFunction;
import dev.spillway.localcloud.PackagedFunction;
import dev.spillway.localcloud.twilio.Signature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.apigatewayv2.ApiGatewayV2Client;
import software.amazon.awssdk.services.apigatewayv2.model.IntegrationType;
import software.amazon.awssdk.services.apigatewayv2.model.ProtocolType;
import software.amazon.awssdk.services.eventbridge.EventBridgeClient;
import software.amazon.awssdk.services.eventbridge.model.Target;
import software.amazon.awssdk.services.lambda.LambdaClient;
import software.amazon.awssdk.services.lambda.model.Runtime;
import software.amazon.awssdk.services.lambda.model.State;
import software.amazon.awssdk.services.scheduler.SchedulerClient;
import software.amazon.awssdk.services.scheduler.model.FlexibleTimeWindowMode;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/**
 * What wakes the functions, in an emulator that somebody else wrote: rules on the bus, schedules, and the API with the
 * packaged jar behind it. A queue stands for the function where only the trigger is at issue.
 */
@SuppressWarnings("NullAway.Init")
class EmulatorTriggersIT {
    private static final String RUN = "spillway-" + UUID.randomUUID().toString().substring(0, 8);
    private static final String ROLE = "arn:aws:iam::000000000000:role/spillway";
    private static final String PUBLIC_URL = "https://api.example.com";
    private static final String TOKEN = "12345678901234567890123456789012";
    private static final Path HOME =
            Path.of(System.getProperty("spillway.home")).toAbsolutePath().normalize();
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path work;

    private static Emulator emulator;
    private static AwsClients clients;
    private static SqsClient queues;

    @BeforeAll
    static void start() {
        emulator = Emulator.orSkip("rules, schedules and the API against an AWS emulator (EmulatorTriggersIT)");
        clients = Wire.to(emulator.endpoint(), "DYNAMODB", "EVENTBRIDGE", "SECRETS_MANAGER");
        queues = client(SqsClient.builder());
    }

    @AfterAll
    static void stop() {
        if (emulator != null) {
            queues.close();
            clients.close();
            emulator.close();
        }
    }

    private static <B extends AwsClientBuilder<B, C>, C> C client(B builder) {
        return builder.region(Region.US_EAST_1)
                .endpointOverride(emulator.endpoint())
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("000000000000", "test")))
                .build();
    }

    private record Queue(String url, String arn) {
        static Queue named(String name) {
            String url = queues.createQueue(create -> create.queueName(RUN + "-" + name))
                    .queueUrl();
            String arn = queues.getQueueAttributes(
                            get -> get.queueUrl(url).attributeNames(QueueAttributeName.QUEUE_ARN))
                    .attributes()
                    .get(QueueAttributeName.QUEUE_ARN);
            return new Queue(url, Objects.requireNonNull(arn));
        }

        List<Message> receive() {
            return queues.receiveMessage(receive ->
                            receive.queueUrl(url).maxNumberOfMessages(10).waitTimeSeconds(1))
                    .messages();
        }
    }

    @Test
    void a_rule_of_the_hand_off_brings_its_two_announcements_and_no_other() throws Exception {
        EventBridgeClient events = clients.eventBridge();
        String bus = RUN + "-rules";
        Queue queue = Queue.named("rules");
        DeployedFunction handOff = DeployedFunction.HAND_OFF;
        events.createEventBus(create -> create.name(bus));
        events.putRule(put -> put.name("hand-off")
                .eventBusName(bus)
                .eventPattern("{\"source\":[\"spillway\"],\"detail-type\":["
                        + handOff.announcements().stream()
                                .map(name -> "\"" + name + "\"")
                                .collect(Collectors.joining(","))
                        + "]}"));
        events.putTargets(put -> put.rule("hand-off")
                .eventBusName(bus)
                .targets(Target.builder().id("1").arn(queue.arn()).build()));
        var announcements = new EventBridgeAnnouncements(events, bus, entry -> {});

        for (Announcement announcement : Samples.ONE_ANNOUNCEMENT_OF_EACH_KIND) {
            // It gives each half a second; the first one also pays for the connection.
            await().atMost(Duration.ofSeconds(10)).until(() -> announcements.publish(announcement));
        }

        TreeSet<String> brought = new TreeSet<>();
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            for (Message message : queue.receive()) {
                JsonNode event = JSON.readTree(message.body());
                assertThat(event.at("/source").asText()).isEqualTo("spillway");
                brought.add(event.at("/detail-type").asText());
            }
            return brought.size() >= 2;
        });
        assertThat(queue.receive())
                .allSatisfy(message -> assertThat(
                                JSON.readTree(message.body()).at("/detail-type").asText())
                        .isIn(handOff.announcements()));
        assertThat(brought).containsExactlyInAnyOrderElementsOf(handOff.announcements());
    }

    @Test
    void a_schedule_brings_the_input_that_it_was_given() throws Exception {
        Queue queue = Queue.named("schedule");
        String input = "{\"source\":\"aws.scheduler\",\"detail-type\":\"Scheduled Event\",\"detail\":{}}";
        try (SchedulerClient schedules = client(SchedulerClient.builder())) {
            String name = RUN + "-sweep";
            schedules.createSchedule(create -> create.name(name)
                    .scheduleExpression("at("
                            + DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(Instant.now()
                                    .truncatedTo(ChronoUnit.SECONDS)
                                    .atOffset(ZoneOffset.UTC))
                            + ")")
                    .flexibleTimeWindow(window -> window.mode(FlexibleTimeWindowMode.OFF))
                    .target(target -> target.arn(queue.arn())
                            .roleArn(ROLE)
                            .input(input)
                            .retryPolicy(retry -> retry.maximumRetryAttempts(2).maximumEventAgeInSeconds(60))));
            assertThat(schedules.getSchedule(get -> get.name(name)).target().input())
                    .isEqualTo(input);
            if (emulator.inContainer()) {
                return; // The community edition keeps schedules, and does not run them.
            }
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(queue.receive())
                            .singleElement()
                            .satisfies(message ->
                                    assertThat(JSON.readTree(message.body())).isEqualTo(JSON.readTree(input))));
        }
    }

    @Test
    void a_caller_whose_webhook_comes_through_the_api_is_answered_by_the_packaged_function() throws Exception {
        if (emulator.inContainer()) {
            throw Emulator.lacking(
                    "the API with functions behind it",
                    "this edition has no HTTP API, and its functions run elsewhere");
        }
        // given a tenant whose pool is empty, and a gateway with a container
        String table = RUN + "-api";
        Table.create(clients.dynamoDb(), table);
        var pools = new DynamoPools(clients.dynamoDb(), table);
        pools.put(Sample.acme());
        pools.put(Sample.gateway());
        new DynamoContainers(clients.dynamoDb(), table)
                .register(Sample.aliveUntil(
                        Sample.ready(PoolId.GATEWAY, "gw1"), Instant.now().plusSeconds(3_600)));
        new DynamoTenants(clients.dynamoDb(), table, InstantSource.system())
                .put(Samples.tenantWithSecret(RUN + "/acme"));
        clients.secrets()
                .createSecret(create -> create.name(RUN + "/acme").secretString("{\"authToken\":\"" + TOKEN + "\"}"));
        clients.secrets().createSecret(create -> create.name(RUN + "/stream").secretString(Samples.streamSecret(7)));
        clients.eventBridge().createEventBus(create -> create.name(RUN + "-api"));

        String function = RUN + "-fallback";
        try (LambdaClient functions = client(LambdaClient.builder());
                ApiGatewayV2Client apis = client(ApiGatewayV2Client.builder());
                HttpClient twilio = HttpClient.newHttpClient()) {
            byte[] zip = zipWithBootstrap();
            String arn = functions
                    .createFunction(create -> create.functionName(function)
                            .runtime(Runtime.PROVIDED_AL2023)
                            .handler(DeployedFunction.FALLBACK.handler())
                            .role(ROLE)
                            .memorySize(1_769)
                            .timeout(60)
                            .environment(environment -> environment.variables(environment(table)))
                            .code(code -> code.zipFile(SdkBytes.fromByteArray(zip))))
                    .functionArn();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> functions
                                    .getFunctionConfiguration(get -> get.functionName(function))
                                    .state()
                            == State.ACTIVE);
            String api = apis.createApi(create -> create.name(RUN).protocolType(ProtocolType.HTTP))
                    .apiId();
            String integration = apis.createIntegration(create -> create.apiId(api)
                            .integrationType(IntegrationType.AWS_PROXY)
                            .integrationUri(arn)
                            .payloadFormatVersion("2.0"))
                    .integrationId();
            apis.createRoute(create ->
                    create.apiId(api).routeKey("POST /twilio/fallback/{tenant}").target("integrations/" + integration));
            apis.createStage(create -> create.apiId(api).stageName("$default").autoDeploy(true));

            // when Twilio asks what to do with a call
            HttpResponse<String> answer = twilio.send(webhook(api, TOKEN), HttpResponse.BodyHandlers.ofString());
            HttpResponse<String> forged =
                    twilio.send(webhook(api, "00000000000000000000000000000000"), HttpResponse.BodyHandlers.ofString());

            // then it is held by the gateway; and a webhook that somebody else signed gets no stream
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(answer.body()).contains("<Stream ").contains("wss://gateway.example.com");
            assertThat(forged.body()).doesNotContain("<Stream ");
            functions.deleteFunction(delete -> delete.functionName(function));
            apis.deleteApi(delete -> delete.apiId(api));
        }
    }

    private static HttpRequest webhook(String api, String token) {
        Map<String, String> form = new TreeMap<>(Map.of(
                "CallSid",
                "CA00000000000000000000000000000001",
                "AccountSid",
                Sample.tenant(Sample.ACME).accountSid(),
                "From",
                "+15005551234",
                "To",
                Sample.tenant(Sample.ACME).numbers().iterator().next(),
                "CallStatus",
                "ringing",
                "ErrorCode",
                "11217"));
        String body = form.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return HttpRequest.newBuilder(
                        URI.create(emulator.endpoint() + "/_aws/execute-api/" + api + "/$default/twilio/fallback/acme"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("X-Twilio-Signature", Signature.of(token, PUBLIC_URL + "/twilio/fallback/acme", form))
                .timeout(Duration.ofSeconds(60))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private static Map<String, String> environment(String table) {
        Map<String, String> environment = new TreeMap<>();
        environment.put("AWS_REGION", "us-east-1");
        environment.put("AWS_ENDPOINT_URL", emulator.endpoint().toString());
        environment.put("SPILLWAY_TABLE", table);
        environment.put("SPILLWAY_EVENT_BUS", RUN + "-api");
        environment.put("SPILLWAY_PUBLIC_URL", PUBLIC_URL);
        environment.put("SPILLWAY_CLUSTER", "spillway");
        environment.put("SPILLWAY_GATEWAY_STREAM_URL", "wss://gateway.example.com");
        environment.put("SPILLWAY_STREAM_SECRET", RUN + "/stream");
        environment.put("SPILLWAY_TENANT_SECRETS", RUN + "/tenant/");
        return environment;
    }

    /** Starts the packaged jar where it lies, under AWS's runtime interface client: the emulator runs it on this machine. */
    private static byte[] zipWithBootstrap() throws IOException {
        String classPath = PackagedFunction.classPath(new PackagedFunction.Spec(
                HOME.resolve("functions/lambda/target/spillway-functions.jar"),
                List.of(),
                HOME.resolve("tests/system/target/lib"),
                DeployedFunction.FALLBACK.handler(),
                Map.of(),
                List.of(),
                false,
                work.resolve("unused.log")));
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        String bootstrap = """
                #!/bin/sh
                exec %s -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -Xmx256m -cp %s %s "$_HANDLER"
                """.formatted(java, classPath, PackagedFunction.RUNTIME);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry("bootstrap"));
            zip.write(bootstrap.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
