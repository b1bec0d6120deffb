package dev.spillway.adapters.dynamodb;

import static dev.spillway.adapters.Samples.A1;
import static dev.spillway.adapters.Samples.ACME;
import static dev.spillway.adapters.Samples.CALL;
import static dev.spillway.adapters.Samples.NOW;
import static dev.spillway.adapters.Samples.POOL;
import static dev.spillway.adapters.Samples.container;
import static dev.spillway.adapters.Samples.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.Pool;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

/** What is told of a write whose reply was lost, for each way in which it can have gone. */
class LostReplyTest {
    private static final Claim CLAIM = Claim.reserved(generation(1, 1), ACME, NOW, NOW);

    private final Broken client = new Broken();
    private final DynamoContainers containers = new DynamoContainers(client, "table");
    private final DynamoPools pools = new DynamoPools(client, "table");

    /** A table that fails each update as told, and shows one item. */
    private static final class Broken implements DynamoDbClient {
        private SdkException failure = ApiCallTimeoutException.create(2500);
        private Map<String, AttributeValue> item = Map.of();
        private @Nullable String markOfLastWrite;
        private int reads;

        @Override
        public UpdateItemResponse updateItem(UpdateItemRequest request) {
            AttributeValue mark = request.expressionAttributeValues().get(":mark");
            markOfLastWrite = mark == null ? null : mark.s();
            throw failure;
        }

        @Override
        public GetItemResponse getItem(GetItemRequest request) {
            reads++;
            Map<String, AttributeValue> shown = new HashMap<>(item);
            shown.computeIfPresent(
                    "desiredMark", (name, mark) -> mark.s().equals("mine") ? mark(markOfLastWrite) : mark);
            return GetItemResponse.builder().item(shown).build();
        }

        private static AttributeValue mark(@Nullable String text) {
            return Attributes.of(text == null ? "none" : text);
        }

        @Override
        public String serviceName() {
            return "dynamodb";
        }

        @Override
        public void close() {}
    }

    private static SdkException refused(int tries) {
        return ConditionalCheckFailedException.builder()
                .message("The conditional request failed")
                .statusCode(400)
                .numAttempts(tries)
                .build();
    }

    private static SdkException rejected(String code) {
        return DynamoDbException.builder()
                .statusCode(400)
                .awsErrorDetails(AwsErrorDetails.builder().errorCode(code).build())
                .numAttempts(1)
                .build();
    }

    private void shows(Map<dev.spillway.core.call.ClaimKey, Claim> claims) {
        client.item = ContainerCodec.encode(container(ContainerState.READY, claims));
    }

    private ClaimResult claim() {
        return containers.claim(POOL, A1, CALL, CLAIM, 6, NOW);
    }

    @Test
    void a_claim_that_timed_out_and_is_found_was_taken() {
        shows(Map.of(CALL, CLAIM));

        assertThat(claim()).isInstanceOf(ClaimResult.Claimed.class);
    }

    @Test
    void a_claim_whose_repeat_was_refused_by_our_own_write_was_taken() {
        client.failure = refused(2);
        shows(Map.of(CALL, CLAIM));

        assertThat(claim()).isInstanceOf(ClaimResult.Claimed.class);
    }

    @Test
    void a_claim_of_another_generation_is_refused_with_a_reason() {
        client.failure = refused(1);
        shows(Map.of(CALL, Claim.reserved(generation(1, 2), ACME, NOW, NOW)));

        assertThat(claim()).isEqualTo(new ClaimResult.Refused("the call has a claim there already"));
    }

    @Test
    void a_claim_that_timed_out_and_is_not_found_may_still_come() {
        shows(Map.of());

        assertThatThrownBy(this::claim).isInstanceOf(DependencyException.class).hasMessageContaining("timed out");
    }

    @Test
    void a_request_that_dynamodb_rejects_is_not_read_back() {
        client.failure = rejected("AccessDeniedException");

        assertThatThrownBy(this::claim)
                .isInstanceOf(DependencyException.class)
                .hasMessageContaining("rejects the request (AccessDeniedException)");
        assertThat(client.reads).isZero();
    }

    @Test
    void throttling_is_told_as_such() {
        client.failure = rejected("ProvisionedThroughputExceededException");
        shows(Map.of());

        assertThatThrownBy(this::claim).hasMessageContaining("throttled");
    }

    @Test
    void a_release_that_timed_out_is_done_when_the_claim_is_gone() {
        shows(Map.of());

        assertThat(containers.release(POOL, A1, CALL, CLAIM.generation())).isTrue();
    }

    @Test
    void a_release_that_was_refused_at_once_released_nothing() {
        client.failure = refused(1);
        shows(Map.of());

        assertThat(containers.release(POOL, A1, CALL, CLAIM.generation())).isFalse();
    }

    @Test
    void a_stream_that_another_one_connected_before_is_refused_even_after_a_lost_reply() {
        client.failure = refused(2);
        shows(Map.of(CALL, Claim.connected(CLAIM.generation(), ACME, NOW, NOW)));

        assertThat(containers.connect(POOL, A1, CALL, CLAIM.generation())).isEmpty();
    }

    @Test
    void a_heartbeat_without_a_reply_is_not_read_back_for_the_next_one_tells() {
        assertThatThrownBy(() ->
                        containers.heartbeat(POOL, A1, "boot-1", dev.spillway.core.pool.Report.empty(NOW), NOW, NOW))
                .isInstanceOf(DependencyException.class);
        assertThat(client.reads).isZero();
    }

    @Test
    void a_desired_count_is_recognised_by_its_mark_and_by_nothing_else() {
        Pool.Decision decision = new Pool.Decision("scale out 0 -> 1", "a call waits", NOW);

        client.item = Map.of("desiredMark", Attributes.of("mine"));
        assertThat(pools.desire(POOL, 1, 1, null, decision)).isTrue();

        client.item = Map.of("desiredMark", Attributes.of("another writer's"));
        client.failure = refused(2);
        assertThat(pools.desire(POOL, 1, 1, null, decision)).isFalse();
    }
}
