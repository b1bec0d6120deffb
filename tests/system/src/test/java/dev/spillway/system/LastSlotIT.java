package dev.spillway.system;

import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.Table;
import dev.spillway.core.contract.AtOnce;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.localcloud.Dynalite;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two claims of the last slot at once, each over a connection of its own, on the DynamoDB of the local system. */
class LastSlotIT {
    private static final int ROUNDS = 500;
    private static final TenantId TENANT = new TenantId("acme");
    private static final PoolId POOL = PoolId.of(TENANT);

    @Test
    void of_two_claims_of_the_last_slot_exactly_one_is_written() {
        try (Dynalite dynalite = Dynalite.start();
                AwsClients one = clients(dynalite);
                AwsClients other = clients(dynalite)) {
            Table.create(one.dynamoDb(), "claims");
            List<Containers> ports = List.of(
                    new DynamoContainers(one.dynamoDb(), "claims"), new DynamoContainers(other.dynamoDb(), "claims"));
            // given a container with one slot left
            Container full = Sample.withCalls(Sample.ready(POOL, "a1"), TENANT, 1_000, Sample.LIMIT - 1);
            ports.getFirst().register(full);
            int first = 0;
            for (int round = 1; round <= ROUNDS; round++) {
                // when two calls that the round before did not know claim it
                int known = 10_000 + 2 * round;

                List<Boolean> won = AtOnce.run(
                        2,
                        n -> ports.get(n)
                                        .claim(
                                                POOL,
                                                full.id(),
                                                call(known + n),
                                                Claim.reserved(generation(1, known + n), TENANT, NOW, NOW),
                                                Sample.LIMIT,
                                                NOW)
                                instanceof Containers.ClaimResult.Claimed);

                // then one has it, and gives it back for the next round
                assertThat(won).as("round " + round).containsOnlyOnce(true);
                int winner = won.indexOf(true);
                first += winner == 0 ? 1 : 0;
                assertThat(ports.get(winner)
                                .release(POOL, full.id(), call(known + winner), generation(1, known + winner)))
                        .isTrue();
            }
            System.out.println("the first of two won " + first + " of " + ROUNDS + " rounds");
        }
    }

    private static AwsClients clients(Dynalite dynalite) {
        return AwsClients.from(Map.of(
                "AWS_REGION", "us-east-1",
                "AWS_ACCESS_KEY_ID", "local",
                "AWS_SECRET_ACCESS_KEY", "local",
                "AWS_ENDPOINT_URL_DYNAMODB", dynalite.url().toString()));
    }
}
