package dev.spillway.adapters.dynamodb;

import dev.spillway.adapters.aws.Failure;
import dev.spillway.core.DependencyException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * The one table: consistent gets and queries, and conditional writes of single items, with every failure classified here.
 *
 * <p>A conditional write has these outcomes: it took effect; its condition did not hold; it took effect but an earlier
 * try's reply was lost, so that the SDK's repeat found the condition broken by ourselves; or no reply came at all. After
 * the last three the item is read consistently, and whoever finds the own mark in it knows that the write took effect.
 */
public final class Table {
    /** What the index {@code attempts} repeats of an item, beside the keys: whoever makes the table must know. */
    public static final List<String> OUTLINE = StoryCodec.OUTLINE;

    static final String DEPENDENCY = "dynamodb";

    /** After a reply that was lost there is little time left: a caller is answered within 3 s. */
    private static final Duration READ_BACK = Duration.ofSeconds(1);

    /** DynamoDB may leave items of a batch unread when it is busy; each try of ours is repeated by the SDK, too. */
    private static final int BATCH_TRIES = 4;

    private final DynamoDbClient client;
    private final String name;

    Table(DynamoDbClient client, String name) {
        this.client = client;
        this.name = name;
    }

    /** Whether the item that was found shows that the own write took effect. */
    @FunctionalInterface
    interface Own {
        /** For writes that may be repeated without harm. */
        Own NOTHING = new Own() {
            @Override
            public boolean in(Optional<Item> found, boolean replyLost) {
                return false;
            }

            @Override
            public boolean readsBack() {
                return false;
            }
        };

        /**
         * @param replyLost whether the own write may have taken effect at all; if not, only what repeats an older write
         *     of ours counts
         */
        boolean in(Optional<Item> found, boolean replyLost);

        default boolean readsBack() {
            return true;
        }
    }

    /**
     * Creates the table unless it exists, and returns once it is active, with its one index. In an account the
     * infrastructure makes both, with TTL on {@code expiresAt}; a local stack makes them here.
     */
    public static void create(DynamoDbClient client, String table) {
        try {
            client.createTable(CreateTableRequest.builder()
                    .tableName(table)
                    .billingMode(BillingMode.PAY_PER_REQUEST)
                    .attributeDefinitions(
                            attribute(Key.PARTITION),
                            attribute(Key.SORT),
                            attribute(StoryCodec.LISTING),
                            attribute(StoryCodec.LISTED))
                    .keySchema(key(Key.PARTITION, KeyType.HASH), key(Key.SORT, KeyType.RANGE))
                    .globalSecondaryIndexes(GlobalSecondaryIndex.builder()
                            .indexName(StoryCodec.INDEX)
                            .keySchema(key(StoryCodec.LISTING, KeyType.HASH), key(StoryCodec.LISTED, KeyType.RANGE))
                            .projection(projection -> projection
                                    .projectionType(ProjectionType.INCLUDE)
                                    .nonKeyAttributes(StoryCodec.OUTLINE))
                            .build())
                    .build());
        } catch (ResourceInUseException e) {
            // It exists, or somebody else is making it: wait for it all the same.
        } catch (SdkException e) {
            throw failure("creating table " + table, e);
        }
        try (var waiter = client.waiter()) {
            waiter.waitUntilTableExists(request -> request.tableName(table));
        } catch (SdkException e) {
            throw failure("waiting for table " + table, e);
        }
    }

    private static AttributeDefinition attribute(String name) {
        return AttributeDefinition.builder()
                .attributeName(name)
                .attributeType(ScalarAttributeType.S)
                .build();
    }

    private static KeySchemaElement key(String name, KeyType type) {
        return KeySchemaElement.builder().attributeName(name).keyType(type).build();
    }

    Optional<Item> get(Key key) {
        return get(key, GetItemRequest.builder());
    }

    private Optional<Item> get(Key key, GetItemRequest.Builder request) {
        GetItemRequest full = request.tableName(name)
                .key(key.attributes())
                .consistentRead(true)
                .build();
        Map<String, AttributeValue> item =
                classified("reading " + key, () -> client.getItem(full)).item();
        return item.isEmpty() ? Optional.empty() : Optional.of(new Item(key.toString(), item));
    }

    /** Every item of a partition, whatever number of pages it takes. */
    List<Item> query(String partition) {
        List<Item> items = new ArrayList<>();
        Map<String, AttributeValue> from = Map.of();
        do {
            QueryRequest request = QueryRequest.builder()
                    .tableName(name)
                    .consistentRead(true)
                    .keyConditionExpression("#pk = :pk")
                    .expressionAttributeNames(Map.of("#pk", Key.PARTITION))
                    .expressionAttributeValues(Map.of(":pk", Attributes.of(partition)))
                    .exclusiveStartKey(from.isEmpty() ? null : from)
                    .build();
            QueryResponse page = classified("reading " + partition, () -> client.query(request));
            page.items().forEach(item -> items.add(new Item(partition + "/" + sortKey(item), item)));
            from = page.hasLastEvaluatedKey() ? page.lastEvaluatedKey() : Map.of();
        } while (!from.isEmpty());
        return items;
    }

    /** Whether the partition has any item; reads one. */
    boolean hasAny(String partition) {
        QueryRequest request = QueryRequest.builder()
                .tableName(name)
                .consistentRead(true)
                .keyConditionExpression("#pk = :pk")
                .expressionAttributeNames(Map.of("#pk", Key.PARTITION))
                .expressionAttributeValues(Map.of(":pk", Attributes.of(partition)))
                .limit(1)
                .build();
        return !classified("looking into " + partition, () -> client.query(request))
                .items()
                .isEmpty();
    }

    /**
     * What the index {@code attempts} repeats of a listing's items, in order; it may be a moment behind the table.
     *
     * @param from included
     * @param to included
     * @param most how many at most
     */
    List<Item> query(String listing, String from, String to, int most) {
        List<Item> items = new ArrayList<>();
        Map<String, AttributeValue> start = Map.of();
        do {
            QueryRequest request = QueryRequest.builder()
                    .tableName(name)
                    .indexName(StoryCodec.INDEX)
                    .keyConditionExpression("#listing = :listing AND #listed BETWEEN :from AND :to")
                    .expressionAttributeNames(Map.of("#listing", StoryCodec.LISTING, "#listed", StoryCodec.LISTED))
                    .expressionAttributeValues(Map.of(
                            ":listing", Attributes.of(listing),
                            ":from", Attributes.of(from),
                            ":to", Attributes.of(to)))
                    .limit(most == Integer.MAX_VALUE ? null : most - items.size())
                    .exclusiveStartKey(start.isEmpty() ? null : start)
                    .build();
            QueryResponse page = classified("listing " + listing, () -> client.query(request));
            page.items().forEach(item -> items.add(new Item(listing + "/" + sortKey(item), item)));
            start = page.hasLastEvaluatedKey() ? page.lastEvaluatedKey() : Map.of();
        } while (!start.isEmpty() && items.size() < most);
        return items;
    }

    /** These items as they stand, in this order; one that is gone meanwhile is left out. 100 keys at most. */
    List<Item> get(List<Key> keys) {
        Map<Key, Item> found = new HashMap<>();
        List<Map<String, AttributeValue>> left =
                keys.stream().map(Key::attributes).toList();
        for (int tries = 0; !left.isEmpty(); tries++) {
            if (tries == BATCH_TRIES) {
                throw new DependencyException(
                        DEPENDENCY,
                        "reading " + keys.size() + " items",
                        new IllegalStateException(left.size() + " were left unread in " + BATCH_TRIES + " tries"));
            }
            KeysAndAttributes asked =
                    KeysAndAttributes.builder().keys(left).consistentRead(true).build();
            BatchGetItemResponse response = classified(
                    "reading " + left.size() + " items",
                    () -> client.batchGetItem(request -> request.requestItems(Map.of(name, asked))));
            for (Map<String, AttributeValue> attributes : response.responses().getOrDefault(name, List.of())) {
                Key key = Key.of(new Item(sortKey(attributes), attributes));
                found.put(key, new Item(key.toString(), attributes));
            }
            KeysAndAttributes unread = response.unprocessedKeys().get(name);
            left = unread == null ? List.of() : unread.keys();
        }
        return keys.stream()
                .flatMap(key -> Optional.ofNullable(found.get(key)).stream())
                .toList();
    }

    private static String sortKey(Map<String, AttributeValue> item) {
        AttributeValue sort = item.get(Key.SORT);
        return sort == null ? "?" : String.valueOf(sort.s());
    }

    /** @return with the item after the change */
    Written update(Key key, Change change, Own own) {
        UpdateItemRequest request = UpdateItemRequest.builder()
                .tableName(name)
                .key(key.attributes())
                .updateExpression(change.update())
                .conditionExpression(change.condition())
                .expressionAttributeNames(change.names())
                .expressionAttributeValues(change.values())
                .returnValues(ReturnValue.ALL_NEW)
                .build();
        return written(
                key,
                own,
                () -> new Item(key.toString(), client.updateItem(request).attributes()));
    }

    /** Puts the whole item. */
    Written put(Key key, Map<String, AttributeValue> attributes, Change condition, Own own) {
        Map<String, AttributeValue> item = withKey(key, attributes);
        PutItemRequest.Builder request = PutItemRequest.builder()
                .tableName(name)
                .item(item)
                .conditionExpression(condition.condition())
                .expressionAttributeNames(condition.names())
                .expressionAttributeValues(condition.values());
        return written(key, own, () -> {
            client.putItem(request.build());
            return new Item(key.toString(), item);
        });
    }

    /** Puts the whole item, whatever was there: for set-up. */
    void put(Key key, Map<String, AttributeValue> attributes) {
        PutItemRequest request = PutItemRequest.builder()
                .tableName(name)
                .item(withKey(key, attributes))
                .build();
        classified("writing " + key, () -> client.putItem(request));
    }

    private static Map<String, AttributeValue> withKey(Key key, Map<String, AttributeValue> attributes) {
        Map<String, AttributeValue> item = new HashMap<>(attributes);
        item.putAll(key.attributes());
        return item;
    }

    Written delete(Key key, Change condition, Own own) {
        DeleteItemRequest request = DeleteItemRequest.builder()
                .tableName(name)
                .key(key.attributes())
                .conditionExpression(condition.condition())
                .expressionAttributeNames(condition.names())
                .expressionAttributeValues(condition.values())
                .build();
        return written(key, own, () -> {
            client.deleteItem(request);
            return new Item(key.toString(), Map.of());
        });
    }

    private Written written(Key key, Own own, Supplier<Item> write) {
        try {
            return new Written.Applied(write.get());
        } catch (ConditionalCheckFailedException e) {
            if (!own.readsBack()) {
                return new Written.Refused(Optional.empty());
            }
            boolean replyLost = Failure.of(e).tries() > 1;
            Optional<Item> found = get(key);
            return own.in(found, replyLost)
                    ? new Written.Applied(found.orElseGet(() -> new Item(key.toString(), Map.of())))
                    : new Written.Refused(found);
        } catch (SdkException e) {
            Failure failure = Failure.of(e);
            DependencyException unknown = failure.toException(DEPENDENCY, "writing " + key, e);
            if (!failure.isUncertain() || !own.readsBack()) {
                throw unknown;
            }
            return recognised(key, own, unknown);
        }
    }

    /** No reply came: the write took effect if its mark is found; otherwise it still may, so nobody can say. */
    private Written recognised(Key key, Own own, DependencyException unknown) {
        Optional<Item> found;
        try {
            found = get(
                    key,
                    GetItemRequest.builder().overrideConfiguration(override -> override.apiCallTimeout(READ_BACK)));
        } catch (DependencyException e) {
            unknown.addSuppressed(e);
            throw unknown;
        }
        if (own.in(found, true)) {
            return new Written.Applied(found.orElseGet(() -> new Item(key.toString(), Map.of())));
        }
        throw unknown;
    }

    private static <T> T classified(String what, Supplier<T> request) {
        try {
            return request.get();
        } catch (SdkException e) {
            throw failure(what, e);
        }
    }

    private static DependencyException failure(String what, SdkException exception) {
        return Failure.of(exception).toException(DEPENDENCY, what, exception);
    }
}
