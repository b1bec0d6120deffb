package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext.Http;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoAttempts;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoJobs;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.dynamodb.Table;
import dev.spillway.core.contract.Ingestion;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.memory.Sample;
import dev.spillway.lambda.CallStatusHandler;
import dev.spillway.lambda.Functions;
import dev.spillway.lambda.OutboundStatusHandler;
import dev.spillway.localcloud.Dynalite;
import dev.spillway.localcloud.EventBridgeStandIn;
import dev.spillway.localcloud.SecretsStandIn;
import dev.spillway.localcloud.twilio.Signature;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * 6,000 signed status callbacks about 1,500 attempts, duplicated and in any order, through the functions as they are
 * deployed, over the DynamoDB of the local system.
 */
class IngestionIT {
    private static final String TABLE = "ingestion";
    private static final int MOST_TRIES = 10;
    private static final String PUBLIC_URL = "https://api.example.com";
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    @Test
    void each_attempt_ends_once_and_none_is_lost() throws Exception {
        List<Journal.Entry> journal = new CopyOnWriteArrayList<>();
        try (Dynalite dynalite = Dynalite.start();
                SecretsStandIn secrets = new SecretsStandIn(0);
                EventBridgeStandIn bus = new EventBridgeStandIn(0, EventBridgeStandIn.Delivery.exact())) {
            secrets.put(Sample.tenant(Sample.ACME).secretName(), "{\"authToken\":\"" + TOKEN + "\"}");
            Map<String, String> environment = environment(dynalite, secrets, bus);
            try (AwsClients clients = AwsClients.from(environment);
                    Functions functions = Functions.from(environment, entry -> {
                        if (entry.event().endsWith("ended")) {
                            journal.add(entry);
                        }
                    })) {
                DynamoDbClient client = clients.dynamoDb();
                Table.create(client, TABLE);
                new DynamoPools(client, TABLE).put(Sample.acme());
                new DynamoTenants(client, TABLE, InstantSource.system()).put(Sample.tenant(Sample.ACME));
                Ingestion ingestion = new Ingestion(20261129);
                ingestion.prepare(
                        new DynamoCalls(client, TABLE),
                        new DynamoJobs(client, TABLE, InstantSource.system()),
                        new DynamoContainers(client, TABLE));
                var inbound = new CallStatusHandler(functions);
                var outbound = new OutboundStatusHandler(functions);
                long begun = System.nanoTime();

                ingestion.run(
                        callback -> take(callback.job() == null ? inbound : outbound, callback),
                        new DynamoAttempts(client, TABLE));

                System.out.printf("ingestion: %.1f s%n", (System.nanoTime() - begun) / 1e9);
                ingestion.check(new DynamoAttempts(client, TABLE), new DynamoPools(client, TABLE));
                assertThat(journal.stream().filter(entry -> entry.event().equals("job-ended")))
                        .hasSize(Ingestion.JOBS);
            }
        }
    }

    private static Map<String, String> environment(Dynalite table, SecretsStandIn secrets, EventBridgeStandIn bus) {
        Map<String, String> environment = new HashMap<>();
        environment.put("AWS_REGION", "us-east-1");
        environment.put("AWS_ACCESS_KEY_ID", "local");
        environment.put("AWS_SECRET_ACCESS_KEY", "local");
        environment.put("AWS_ENDPOINT_URL_DYNAMODB", table.url().toString());
        environment.put("AWS_ENDPOINT_URL_EVENTBRIDGE", bus.url().toString());
        environment.put("AWS_ENDPOINT_URL_SECRETS_MANAGER", secrets.url().toString());
        environment.put("SPILLWAY_TABLE", TABLE);
        environment.put("SPILLWAY_EVENT_BUS", "spillway");
        environment.put("SPILLWAY_PUBLIC_URL", PUBLIC_URL);
        environment.put("SPILLWAY_CLUSTER", "spillway");
        environment.put("SPILLWAY_GATEWAY_STREAM_URL", "wss://gateway.streams.example.com");
        environment.put("SPILLWAY_STREAM_SECRET", "spillway/stream");
        environment.put("SPILLWAY_TENANT_SECRETS", "spillway/tenant/");
        return environment;
    }

    /** One that meets a table too busy to answer is told again: once more the same callback. */
    private static void take(
            RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> handler, Ingestion.Callback callback) {
        int status = 503;
        for (int tries = 0; tries < MOST_TRIES && status == 503; tries++) {
            status = handler.handleRequest(event(callback), null).getStatusCode();
        }
        assertThat(status).isEqualTo(204);
    }

    private static APIGatewayV2HTTPEvent event(Ingestion.Callback callback) {
        String path = callback.job() == null
                ? "/twilio/status/acme/1"
                : "/twilio/outbound-status/acme/" + callback.job() + "/" + callback.generation();
        String ours = Sample.tenant(Sample.ACME).numbers().iterator().next();
        Map<String, String> form = new TreeMap<>(Map.of(
                "CallSid",
                callback.call().value(),
                "AccountSid",
                Sample.tenant(Sample.ACME).accountSid(),
                "From",
                callback.job() == null ? "+15005550123" : ours,
                "To",
                callback.job() == null ? ours : "+15005550123",
                "Direction",
                callback.job() == null ? "inbound" : "outbound-api",
                "CallStatus",
                callback.status()));
        return APIGatewayV2HTTPEvent.builder()
                .withRawPath(path)
                .withRawQueryString("")
                .withHeaders(Map.of(
                        "content-type",
                        "application/x-www-form-urlencoded",
                        "x-twilio-signature",
                        Signature.of(TOKEN, PUBLIC_URL + path, form)))
                .withBody(form.entrySet().stream()
                        .map(field ->
                                field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&")))
                .withIsBase64Encoded(false)
                .withRequestContext(RequestContext.builder()
                        .withHttp(Http.builder().withMethod("POST").build())
                        .build())
                .build();
    }
}
