package dev.spillway.system.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.adapters.dynamodb.DynamoAttempts;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoConversations;
import dev.spillway.adapters.dynamodb.DynamoJobs;
import dev.spillway.adapters.dynamodb.DynamoLeases;
import dev.spillway.adapters.dynamodb.DynamoOrderLog;
import dev.spillway.adapters.dynamodb.DynamoOutboundLines;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.background.Leases;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.contract.AdoptionsContract;
import dev.spillway.core.contract.AttemptsContract;
import dev.spillway.core.contract.CallsContract;
import dev.spillway.core.contract.ContainersContract;
import dev.spillway.core.contract.ConversationsContract;
import dev.spillway.core.contract.JobsContract;
import dev.spillway.core.contract.LeasesContract;
import dev.spillway.core.contract.OffersContract;
import dev.spillway.core.contract.OrderLogContract;
import dev.spillway.core.contract.OutboundLinesContract;
import dev.spillway.core.contract.PoolsContract;
import dev.spillway.core.contract.StoriesContract;
import dev.spillway.core.contract.TenantsContract;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.order.OrderLog;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.outbound.OutboundLines;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.Containers.ClaimResult.Claimed;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The suites of the ports, one table for all of them. A subclass says which DynamoDB. */
abstract class DynamoDbContracts {
    abstract DynamoDbClient dynamoDb();

    /** An existing, empty table. */
    abstract String table();

    @Nested
    class OfPools extends PoolsContract {
        private final DynamoPools pools = new DynamoPools(dynamoDb(), table());

        @Override
        protected Pools pools() {
            return pools;
        }

        @Override
        protected Containers containers() {
            return new DynamoContainers(dynamoDb(), table());
        }

        @Override
        protected void put(Pool pool) {
            pools.put(pool);
        }
    }

    @Nested
    class OfLeases extends LeasesContract {
        private final DynamoPools pools = new DynamoPools(dynamoDb(), table());

        @Override
        protected Leases leases() {
            return new DynamoLeases(dynamoDb(), table());
        }

        @Override
        protected Pools pools() {
            return pools;
        }

        @Override
        protected Containers containers() {
            return new DynamoContainers(dynamoDb(), table());
        }

        @Override
        protected void put(Pool pool) {
            pools.put(pool);
        }
    }

    @Nested
    class OfOrders extends OrderLogContract {
        @Override
        protected OrderLog orders() {
            return new DynamoOrderLog(dynamoDb(), table());
        }
    }

    @Nested
    class OfContainers extends ContainersContract {
        @Override
        protected Containers containers() {
            return new DynamoContainers(dynamoDb(), table());
        }

        @Test
        void a_container_from_before_freed_slots_were_told_is_claimed_all_the_same_and_tells_of_those_to_come() {
            PoolId pool = PoolId.of(new TenantId("untold-1"));
            ContainerId id = new ContainerId("a1");
            Containers containers = containers();
            containers.register(Sample.ready(pool, "a1"));
            Map<String, AttributeValue> item = item(pool);
            dynamoDb()
                    .updateItem(request -> request.tableName(table())
                            .key(Map.of("pk", item.get("pk"), "sk", item.get("sk")))
                            .updateExpression("REMOVE freed"));

            assertThat(claimed(containers, pool, id, 1)).isEqualTo(new Claimed(null));
            containers.end(pool, id, call(1), generation(1, 1));
            assertThat(claimed(containers, pool, id, 2)).isNotEqualTo(new Claimed(null));
            assertThat(claimed(containers, pool, id, 3)).isEqualTo(new Claimed(null));
        }

        @Test
        void times_that_nobody_takes_are_kept_in_a_bounded_number_and_slots_are_given_back_all_the_same() {
            PoolId pool = PoolId.of(new TenantId("untaken-1"));
            ContainerId id = new ContainerId("a1");
            Containers containers = containers();
            containers.register(Sample.ready(pool, "a1"));
            claimed(containers, pool, id, 1);
            claimed(containers, pool, id, 2);
            // what functions of the version before leave behind, which claim without taking
            Map<String, AttributeValue> item = item(pool);
            dynamoDb()
                    .updateItem(request -> request.tableName(table())
                            .key(Map.of("pk", item.get("pk"), "sk", item.get("sk")))
                            .updateExpression("SET freed = :many")
                            .expressionAttributeValues(Map.of(
                                    ":many",
                                    AttributeValue.fromL(
                                            Collections.nCopies(100, AttributeValue.fromN("1700000000000"))))));

            assertThat(containers.end(pool, id, call(1), generation(1, 1))).isTrue();
            assertThat(containers.release(pool, id, call(2), generation(1, 2))).isTrue();

            assertThat(item(pool))
                    .hasEntrySatisfying("freed", freed -> assertThat(freed.l()).hasSize(100))
                    .hasEntrySatisfying(
                            "claims", claims -> assertThat(claims.m()).isEmpty());
            assertThat(containers.release(pool, id, call(2), generation(1, 2))).isFalse();
        }

        private Map<String, AttributeValue> item(PoolId pool) {
            return dynamoDb()
                    .scanPaginator(request -> request.tableName(table())
                            .filterExpression("#pool = :pool AND attribute_exists(claims)")
                            .expressionAttributeNames(Map.of("#pool", "pool"))
                            .expressionAttributeValues(Map.of(":pool", AttributeValue.fromS(pool.value()))))
                    .items()
                    .iterator()
                    .next();
        }

        private static ClaimResult claimed(Containers containers, PoolId pool, ContainerId id, int n) {
            return containers.claim(pool, id, call(n), Claim.reserved(generation(1, n), ACME, NOW, NOW), 6, NOW);
        }
    }

    @Nested
    class OfCalls extends CallsContract {
        @Override
        protected Calls calls() {
            return new DynamoCalls(dynamoDb(), table());
        }
    }

    @Nested
    class OfOffers extends OffersContract {
        @Override
        protected Calls calls() {
            return new DynamoCalls(dynamoDb(), table());
        }
    }

    @Nested
    class OfAdoptions extends AdoptionsContract {
        @Override
        protected Calls calls() {
            return new DynamoCalls(dynamoDb(), table());
        }
    }

    @Nested
    class OfStories extends StoriesContract {
        @Override
        protected Calls calls() {
            return new DynamoCalls(dynamoDb(), table());
        }
    }

    @Nested
    class OfAttempts extends AttemptsContract {
        @Override
        protected Calls calls() {
            return new DynamoCalls(dynamoDb(), table());
        }

        @Override
        protected Jobs jobs() {
            return new DynamoJobs(dynamoDb(), table(), InstantSource.system());
        }

        @Override
        protected Attempts attempts() {
            return new DynamoAttempts(dynamoDb(), table());
        }
    }

    @Nested
    class OfJobs extends JobsContract {
        @Override
        protected Jobs jobs() {
            return new DynamoJobs(dynamoDb(), table(), InstantSource.system());
        }
    }

    @Nested
    class OfOutboundLines extends OutboundLinesContract {
        private final DynamoPools pools = new DynamoPools(dynamoDb(), table());

        @Override
        protected OutboundLines lines() {
            return new DynamoOutboundLines(dynamoDb(), table());
        }

        @Override
        protected Pools pools() {
            return pools;
        }

        @Override
        protected void put(Pool pool) {
            pools.put(pool);
        }
    }

    @Nested
    class OfTenants extends TenantsContract {
        @Override
        protected Tenants tenants() {
            return new DynamoTenants(dynamoDb(), table(), InstantSource.system());
        }

        @Override
        protected void put(Tenant tenant) {
            new DynamoTenants(dynamoDb(), table(), InstantSource.system()).put(tenant);
        }
    }

    @Nested
    class OfConversations extends ConversationsContract {
        @Override
        protected Conversations conversations() {
            return new DynamoConversations(dynamoDb(), table());
        }
    }
}
