package dev.spillway.adapters.dynamodb;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Optional;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Conversations beside their calls' records, under the table's own encryption.
 *
 * <pre>{@code
 * SET hop = :hop, state = :state, …  IF attribute_not_exists(over) AND (attribute_not_exists(hop) OR hop <= :hop)
 * SET over = true REMOVE state  IF attribute_not_exists(over), also where nothing was kept; the rest of the item expires
 * }</pre>
 */
public final class DynamoConversations implements Conversations {
    private static final long VERSION = 1;

    private final Table table;

    public DynamoConversations(DynamoDbClient client, String table) {
        this.table = new Table(client, table);
    }

    @Override
    public boolean keep(TenantId tenant, CallSid sid, int hop, byte[] state, Instant now) {
        if (state.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "a conversation has " + MOST_BYTES + " bytes at most, not " + state.length);
        }
        Change change = Change.of(
                        "SET #version = :version, #hop = :hop, #state = :state, #savedAtMillis = :now, #expiresAt = :expires",
                        "attribute_not_exists(#over) AND (attribute_not_exists(#hop) OR #hop <= :hop)")
                .value(":version", VERSION)
                .value(":hop", hop)
                .value(":state", AttributeValue.fromB(SdkBytes.fromByteArray(state)))
                .value(":now", now)
                .value(":expires", now.plus(KEPT).getEpochSecond());
        // Whoever lost a reply keeps it again at the next turn.
        return table.update(Key.ofConversation(tenant, sid), change, Table.Own.NOTHING)
                .isApplied();
    }

    @Override
    public Optional<byte[]> find(TenantId tenant, CallSid sid) {
        return table.get(Key.ofConversation(tenant, sid)).flatMap(item -> item.decode(DynamoConversations::decode));
    }

    static Optional<byte[]> decode(Item item) {
        AttributeValue state = item.attributes().get("state");
        if (state == null) {
            return Optional.empty();
        }
        if (state.b() == null) {
            throw new IllegalArgumentException(item.name() + " has no usable attribute state");
        }
        return Optional.of(state.b().asByteArray());
    }

    @Override
    public void forget(TenantId tenant, CallSid sid, Instant now) {
        // Whoever was about to save the last turn comes after this: the item stays, for as long as it would have been
        // kept.
        Change change = Change.of(
                        "SET #version = :version, #over = :true, #expiresAt = :expires REMOVE #state",
                        "attribute_not_exists(#over)")
                .value(":version", VERSION)
                .value(":true", true)
                .value(":expires", now.plus(KEPT).getEpochSecond());
        table.update(Key.ofConversation(tenant, sid), change, Table.Own.NOTHING);
    }
}
