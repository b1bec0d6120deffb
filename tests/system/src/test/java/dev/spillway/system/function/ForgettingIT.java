package dev.spillway.system.function;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoForgetting;
import dev.spillway.adapters.dynamodb.DynamoForgetting.Forgotten;
import dev.spillway.adapters.dynamodb.DynamoLives;
import dev.spillway.adapters.secrets.StreamSecret;
import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.scaling.ScaleIn;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForgettingIT {
    private static final PoolId ACME = PoolId.of(FunctionGround.ACME);
    private static final String NUMBER = "+15005550006";

    @TempDir
    Path work;

    private FunctionGround ground() {
        return new FunctionGround(
                Path.of(System.getProperty("spillway.home")).resolve("tests/localcloud/dynalite"), work);
    }

    @Test
    void a_number_is_taken_out_of_calls_and_an_open_job_still_needs_it() {
        try (FunctionGround ground = ground()) {
            Play play = new Play(ground);
            play.fallback(Play.CALL);
            play.job();
            CallerHash hash = new StreamSecret(ground.clients().secrets(), "spillway/stream")
                    .keyOf(ACME)
                    .callerHash(NUMBER);
            DynamoForgetting forgetting = new DynamoForgetting(ground.clients().dynamoDb(), "spillway");

            assertThat(forgetting.forget(FunctionGround.ACME, NUMBER, hash)).isEqualTo(new Forgotten(1, 1));
            assertThat(forgetting.forget(FunctionGround.ACME, NUMBER, hash)).isEqualTo(new Forgotten(0, 1));
            play.functions().close();
        }
    }

    @Test
    void a_containers_life_is_kept_when_its_item_goes() {
        try (FunctionGround ground = ground()) {
            ground.container(ACME, "acme-1", ContainerState.STOPPING, ScaleIn.IDLE, Map.of(), Instant.now(), true);

            new DynamoContainers(ground.clients().dynamoDb(), "spillway").remove(ACME, new ContainerId("acme-1"));

            assertThat(new DynamoLives(ground.clients().dynamoDb(), "spillway")
                            .endedSince(ACME, Instant.now().minusSeconds(7_200)))
                    .hasSize(1);
            assertThat(new DynamoLives(ground.clients().dynamoDb(), "spillway").endedSince(ACME, Instant.now()))
                    .isEmpty();
        }
    }
}
