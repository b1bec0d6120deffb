package dev.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** The conditional writes that slots depend on, against the real process and through the real client. */
@Timeout(60)
class DynaliteTest {
    private static final String TABLE = "pool";

    private static Dynalite dynalite;
    private static FaultyProxy proxy;
    private static DynamoDbClient client;

    @BeforeAll
    static void start() {
        dynalite = Dynalite.start();
        proxy = new FaultyProxy("dynamodb", dynalite.port());
        client = AwsClients.dynamoDb(proxy.url());
        client.createTable(create -> create.tableName(TABLE)
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .attributeDefinitions(AttributeDefinition.builder()
                        .attributeName("pk")
                        .attributeType(ScalarAttributeType.S)
                        .build())
                .keySchema(KeySchemaElement.builder()
                        .attributeName("pk")
                        .keyType(KeyType.HASH)
                        .build()));
        client.waiter().waitUntilTableExists(describe -> describe.tableName(TABLE));
    }

    @AfterAll
    static void stop() {
        client.close();
        proxy.close();
        dynalite.close();
        assertThat(SmallCluster.alive(dynalite.pid())).isFalse();
    }

    private static void putContainer(String id) {
        client.putItem(put -> put.tableName(TABLE)
                .item(Map.of(
                        "pk", AttributeValue.fromS(id),
                        "state", AttributeValue.fromS("ready"),
                        "claims", AttributeValue.fromM(Map.of()))));
    }

    private static void claim(String container, String call) {
        client.updateItem(update -> update.tableName(TABLE)
                .key(Map.of("pk", AttributeValue.fromS(container)))
                .updateExpression("SET claims.#call = :claim")
                .conditionExpression("attribute_not_exists(claims.#call) AND size(claims) < :limit AND #state = :ready")
                .expressionAttributeNames(Map.of("#call", call, "#state", "state"))
                .expressionAttributeValues(Map.of(
                        ":claim", AttributeValue.fromM(Map.of("generation", AttributeValue.fromS("1.a"))),
                        ":limit", AttributeValue.fromN("6"),
                        ":ready", AttributeValue.fromS("ready"))));
    }

    private static boolean claims(String container, String call) {
        try {
            claim(container, call);
            return true;
        } catch (ConditionalCheckFailedException e) {
            return false;
        }
    }

    @Test
    void a_call_is_claimed_once_and_released_by_its_generation_only() {
        putContainer("one");
        claim("one", "CA1");

        assertThatThrownBy(() -> claim("one", "CA1")).isInstanceOf(ConditionalCheckFailedException.class);
        assertThatThrownBy(() -> release("one", "CA1", "2.b")).isInstanceOf(ConditionalCheckFailedException.class);
        release("one", "CA1", "1.a");

        assertThat(client.getItem(get -> get.tableName(TABLE)
                                .key(Map.of("pk", AttributeValue.fromS("one")))
                                .consistentRead(true))
                        .item())
                .containsEntry("claims", AttributeValue.fromM(Map.of()));
    }

    private static void release(String container, String call, String generation) {
        client.updateItem(update -> update.tableName(TABLE)
                .key(Map.of("pk", AttributeValue.fromS(container)))
                .updateExpression("REMOVE claims.#call")
                .conditionExpression("claims.#call.generation = :generation")
                .expressionAttributeNames(Map.of("#call", call))
                .expressionAttributeValues(Map.of(":generation", AttributeValue.fromS(generation))));
    }

    @Test
    void forty_calls_at_once_get_six_slots() throws Exception {
        putContainer("busy");
        try (var callers = Executors.newFixedThreadPool(8)) {
            var results = callers.invokeAll(IntStream.range(0, 40)
                    .<Callable<Boolean>>mapToObj(call -> () -> claims("busy", "CA" + call))
                    .toList());

            assertThat(results.stream().filter(java.util.concurrent.Future::resultNow))
                    .hasSize(6);
        }
    }

    @Test
    void a_table_that_is_down_is_an_error_of_the_client_and_comes_back() {
        putContainer("outage");
        proxy.become(FaultyProxy.DOWN);
        assertThatThrownBy(() -> claim("outage", "CA1")).isInstanceOf(SdkClientException.class);

        proxy.become(FaultyProxy.PASS);

        assertThat(claims("outage", "CA1")).isTrue();
    }

    @Test
    void a_client_that_goes_away_in_the_middle_of_its_request_does_not_end_the_table() throws Exception {
        putContainer("left");
        for (int i = 0; i < 3; i++) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), dynalite.port())) {
                socket.getOutputStream()
                        .write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
                                .getBytes(StandardCharsets.US_ASCII));
            }
        }

        await().during(Duration.ofMillis(300))
                .atMost(Duration.ofSeconds(2))
                .until(() -> SmallCluster.alive(dynalite.pid()));
        assertThat(claims("left", "CA1")).isTrue();
    }
}
