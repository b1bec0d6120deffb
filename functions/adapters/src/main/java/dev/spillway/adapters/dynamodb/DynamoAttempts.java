package dev.spillway.adapters.dynamodb;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.attempt.Outline;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * Attempts from the index {@code attempts}: hash {@code listing} = {@code {tenant}#attempts}, range {@code listed} = the
 * cursor's text. Outlines come from the index alone, which is a moment behind the table; pages take the keys from it and
 * read the items themselves consistently.
 */
public final class DynamoAttempts implements Attempts {
    /** Sorts after every digit and letter. */
    private static final String LAST = "~";

    /** Sorts before every digit, letter and hyphen. */
    private static final String NEXT = " ";

    private final Table table;

    public DynamoAttempts(DynamoDbClient client, String table) {
        this.table = new Table(client, table);
    }

    @Override
    public Page page(TenantId tenant, Instant since, @Nullable Cursor after, int limit) {
        String from = after == null ? millis(since) : latest(after + NEXT, millis(since));
        List<Item> listed = table.query(StoryCodec.listing(tenant), from, LAST, limit + 1);
        boolean more = listed.size() > limit;
        List<Item> shown = more ? listed.subList(0, limit) : listed;
        List<Attempt> attempts = table.get(shown.stream().map(Key::of).toList()).stream()
                .map(item -> item.decode(StoryCodec::decodeAttempt))
                .toList();
        return new Page(
                attempts,
                more
                        ? shown.getLast()
                                .decode(item -> Cursor.parse(item.text(StoryCodec.LISTED))
                                        .orElseThrow(() -> new IllegalArgumentException("not a place in the list")))
                        : null);
    }

    private static String latest(String one, String other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    @Override
    public List<Outline> outlines(TenantId tenant, Instant from, Instant to) {
        return table.query(StoryCodec.listing(tenant), millis(from), millis(to) + LAST, Integer.MAX_VALUE).stream()
                .map(item -> item.decode(StoryCodec::decodeOutline))
                .toList();
    }

    @Override
    public Optional<Attempt> find(TenantId tenant, String id) {
        return CallSid.parse(id)
                .flatMap(sid -> table.get(Key.of(tenant, sid)))
                .filter(item -> item.optionalText("attemptId").isPresent())
                .map(item -> item.decode(StoryCodec::decodeAttempt));
    }

    /** As a cursor begins; an instant before 1970 or after 2286 lies outside every list all the same. */
    private static String millis(Instant instant) {
        return "%013d".formatted(Math.clamp(Attributes.toMillis(instant), 0, 9_999_999_999_999L));
    }
}
