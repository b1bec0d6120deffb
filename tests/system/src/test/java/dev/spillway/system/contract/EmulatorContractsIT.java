package dev.spillway.system.contract;

import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.ready;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.Table;
import dev.spillway.adapters.eventbridge.EventBridgeAnnouncements;
import dev.spillway.adapters.secrets.SecretTokens;
import dev.spillway.adapters.secrets.StreamSecret;
import dev.spillway.core.DependencyException;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;
import software.amazon.awssdk.services.eventbridge.EventBridgeClient;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/**
 * The ports' suites and what else the adapters ask of AWS, against an emulator that somebody else wrote (see {@link
 * Emulator}). Everything it makes has a name of this run, and is deleted afterwards.
 */
@SuppressWarnings("NullAway.Init")
class EmulatorContractsIT extends DynamoDbContracts {
    private static final String RUN = "spillway-" + UUID.randomUUID().toString().substring(0, 8);
    private static final String TABLE = RUN + "-contracts";

    // The suites write on a hand-set clock, so that for an emulator that deletes at once it may be long expired.
    private static final String TABLE_WITH_TTL = RUN + "-ttl";

    private static @Nullable Emulator emulator;
    private static AwsClients clients;

    @BeforeAll
    static void start() {
        emulator = Emulator.orSkip("the contracts against an AWS emulator (EmulatorContractsIT)");
        clients = Wire.to(emulator.endpoint(), "DYNAMODB", "EVENTBRIDGE", "SECRETS_MANAGER");
        Table.create(clients.dynamoDb(), TABLE);
    }

    @AfterAll
    static void stop() {
        if (emulator != null) {
            clients.dynamoDb().deleteTable(delete -> delete.tableName(TABLE));
            clients.close();
            emulator.close();
        }
    }

    @Override
    DynamoDbClient dynamoDb() {
        return clients.dynamoDb();
    }

    @Override
    String table() {
        return TABLE;
    }

    @Nested
    class OfExpiry {
        @Test
        void a_table_with_ttl_on_expires_at_keeps_what_is_alive() {
            DynamoDbClient client = dynamoDb();
            Table.create(client, TABLE_WITH_TTL);
            try {
                expireBy(client, "expiresAt");
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> client.describeTimeToLive(describe -> describe.tableName(TABLE_WITH_TTL))
                                        .timeToLiveDescription()
                                        .timeToLiveStatus()
                                == TimeToLiveStatus.ENABLED);

                PoolId pool = PoolId.of(new TenantId("ttl"));
                Instant aliveUntil = Instant.now().plusSeconds(30);
                Containers containers = new DynamoContainers(client, TABLE_WITH_TTL);
                containers.register(Sample.aliveUntil(ready(pool, "a1"), aliveUntil));
                containers.heartbeat(pool, new ContainerId("a1"), "boot-a1", Report.empty(NOW), aliveUntil, aliveUntil);

                assertThat(client.getItem(get -> get.tableName(TABLE_WITH_TTL)
                                        .consistentRead(true)
                                        .key(Map.of(
                                                "pk", AttributeValue.fromS("ttl#pool"),
                                                "sk", AttributeValue.fromS("container#a1"))))
                                .item()
                                .get("expiresAt"))
                        .isEqualTo(AttributeValue.fromN(Long.toString(
                                aliveUntil.plus(Duration.ofDays(7)).getEpochSecond())));
            } finally {
                client.deleteTable(delete -> delete.tableName(TABLE_WITH_TTL));
            }
        }

        private static void expireBy(DynamoDbClient client, String attribute) {
            try {
                client.updateTimeToLive(update -> update.tableName(TABLE_WITH_TTL)
                        .timeToLiveSpecification(
                                ttl -> ttl.attributeName(attribute).enabled(true)));
            } catch (DynamoDbException e) {
                if ("UnknownOperationException".equals(e.awsErrorDetails().errorCode())) {
                    throw Emulator.skipped("a table with TTL", "this emulator does not know UpdateTimeToLive");
                }
                throw e;
            }
        }
    }

    @Nested
    class OfEvents {
        @Test
        void a_bus_takes_every_announcement() {
            EventBridgeClient client = clients.eventBridge();
            String bus = RUN + "-bus";
            client.createEventBus(create -> create.name(bus));
            try {
                List<Entry> journal = new CopyOnWriteArrayList<>();
                var announcements = new EventBridgeAnnouncements(client, bus, journal::add);

                for (Announcement announcement : Samples.ONE_ANNOUNCEMENT_OF_EACH_KIND) {
                    // It gives each half a second; the first one also pays for the connection.
                    await().atMost(Duration.ofSeconds(10)).until(() -> announcements.publish(announcement));
                }

                assertThat(journal)
                        .allMatch(entry ->
                                entry.fields().getOrDefault("reason", "").startsWith("TIMED_OUT"));
            } finally {
                client.deleteEventBus(delete -> delete.name(bus));
            }
        }
    }

    @Nested
    class OfSecrets {
        @Test
        void both_auth_tokens_are_read_while_they_rotate() {
            SecretsManagerClient client = clients.secrets();
            String name = RUN + "/twilio";
            client.createSecret(create -> create.name(name).secretString("{\"authToken\":\"token-1\"}"));
            try {
                Tenant tenant = Samples.tenantWithSecret(name);
                var tokens = new SecretTokens(client, InstantSource.system());
                assertThat(tokens.of(tenant)).containsExactly("token-1");

                client.putSecretValue(put ->
                        put.secretId(name).secretString("{\"authToken\":\"token-1\",\"nextAuthToken\":\"token-2\"}"));
                tokens.refresh(tenant);

                assertThat(tokens.of(tenant)).containsExactly("token-1", "token-2");
            } finally {
                client.deleteSecret(delete -> delete.secretId(name).forceDeleteWithoutRecovery(true));
            }
        }

        @Test
        void each_pool_has_a_key_of_its_own_from_the_stream_secret() {
            SecretsManagerClient client = clients.secrets();
            String name = RUN + "/stream";
            client.createSecret(create -> create.name(name).secretString(Samples.streamSecret(7)));
            try {
                var first = new StreamSecret(client, name);
                var second = new StreamSecret(client, name);

                assertThat(first.keyOf(PoolId.GATEWAY).bytes())
                        .isEqualTo(second.keyOf(PoolId.GATEWAY).bytes())
                        .isNotEqualTo(first.keyOf(Sample.ACME_POOL).bytes());
            } finally {
                client.deleteSecret(delete -> delete.secretId(name).forceDeleteWithoutRecovery(true));
            }
        }

        @Test
        void a_secret_that_does_not_exist_is_a_broken_dependency() {
            var tokens = new SecretTokens(clients.secrets(), InstantSource.system());

            assertThatThrownBy(() -> tokens.of(Samples.tenantWithSecret(RUN + "/nobody")))
                    .isInstanceOf(DependencyException.class)
                    .hasMessageContaining("ResourceNotFoundException");
        }
    }
}
