package dev.spillway.adapters.dynamodb;

import static dev.spillway.adapters.Samples.ACME;
import static dev.spillway.adapters.Samples.CALL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.adapters.dynamodb.DynamoForgetting.Forgotten;
import dev.spillway.core.attempt.CallerHash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

class DynamoForgettingTest {
    private static final String NUMBER = "+15005550009";
    private static final CallerHash NOT_HIS = new CallerHash("0".repeat(22));
    private static final Map<String, AttributeValue> JOB_KEY =
            Map.of("pk", Attributes.of("acme#job#1"), "sk", Attributes.of("job"));

    private final Shelf shelf = new Shelf();
    private final DynamoForgetting forgetting = new DynamoForgetting(shelf, "table");

    /** Items by their keys, one listed, and what was changed in them. */
    private static final class Shelf implements DynamoDbClient {
        private final Map<Map<String, AttributeValue>, Map<String, AttributeValue>> items = new HashMap<>();
        private final List<UpdateItemRequest> updates = new ArrayList<>();
        private Map<String, AttributeValue> listed = Map.of();

        void put(Map<String, AttributeValue> key, Map<String, AttributeValue> rest) {
            Map<String, AttributeValue> item = new HashMap<>(key);
            item.putAll(rest);
            items.put(key, item);
        }

        @Override
        public QueryResponse query(QueryRequest request) {
            return QueryResponse.builder().items(List.of(listed)).build();
        }

        @Override
        public GetItemResponse getItem(GetItemRequest request) {
            return GetItemResponse.builder()
                    .item(items.getOrDefault(request.key(), Map.of()))
                    .build();
        }

        @Override
        public UpdateItemResponse updateItem(UpdateItemRequest request) {
            updates.add(request);
            return UpdateItemResponse.builder().build();
        }

        @Override
        public String serviceName() {
            return "dynamodb";
        }

        @Override
        public void close() {}
    }

    /** A job that dialled somebody else, and whose agent gave the call to the number. */
    private void jobWhoseCallWasGiven(Map<String, AttributeValue> ofCall) {
        shelf.listed = JOB_KEY;
        shelf.put(
                JOB_KEY,
                Map.of(
                        "to", Attributes.of("+15005550001"),
                        "callSid", Attributes.of(CALL.value()),
                        "outcome", Attributes.of("completed")));
        Map<String, AttributeValue> call = new HashMap<>(ofCall);
        call.put(
                "answers",
                Attributes.of(Map.of(
                        "1", Attributes.of(Map.of("kind", Attributes.of("stream"))),
                        "2", Attributes.of(Map.of("number", Attributes.of(NUMBER))))));
        shelf.put(Key.of(ACME, CALL).attributes(), call);
    }

    @Test
    void a_number_to_which_a_call_out_was_given_is_taken_out_of_that_call() {
        jobWhoseCallWasGiven(Map.of("outcome", Attributes.of("completed")));

        assertThat(forgetting.forget(ACME, NUMBER, NOT_HIS)).isEqualTo(new Forgotten(1, 0));

        assertThat(shelf.updates).hasSize(1);
        UpdateItemRequest update = shelf.updates.getFirst();
        assertThat(update.key()).isEqualTo(Key.of(ACME, CALL).attributes());
        assertThat(update.updateExpression()).isEqualTo("SET #answers.#hop.#number = :nobody");
        assertThat(update.expressionAttributeNames()).containsEntry("#hop", "2");
    }

    @Test
    void while_that_call_goes_on_the_number_is_needed_still() {
        jobWhoseCallWasGiven(Map.of());

        assertThat(forgetting.forget(ACME, NUMBER, NOT_HIS)).isEqualTo(new Forgotten(0, 1));

        assertThat(shelf.updates).isEmpty();
    }

    @Test
    void a_job_that_has_nothing_to_do_with_the_number_is_left_alone() {
        jobWhoseCallWasGiven(Map.of("outcome", Attributes.of("completed")));

        assertThat(forgetting.forget(ACME, "+15005550008", NOT_HIS)).isEqualTo(new Forgotten(0, 0));
    }
}
