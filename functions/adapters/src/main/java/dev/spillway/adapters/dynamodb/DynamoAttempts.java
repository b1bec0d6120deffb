package dev.spillway.adapters.dynamodb;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.attempt.Outline;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.JobId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * Attempts from the index {@code attempts}: hash {@code listing} = {@code {tenant}#attempts}, range {@code listed} = the
 * cursor's text. Outlines come from the index alone, which is a moment behind the table; pages take the keys from it and
 * read the items themselves consistently, and with a job's item that of its call, which is not listed itself.
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
        return new Page(
                joined(tenant, read(tenant, shown)),
                more
                        ? shown.getLast()
                                .decode(item -> Cursor.parse(item.text(StoryCodec.LISTED))
                                        .orElseThrow(() -> new IllegalArgumentException("not a place in the list")))
                        : null);
    }

    /**
     * What is listed, as it stands. A job that is being put by is listed twice for a moment, and its item may be gone from
     * where it was listed: it is shown once, from where it lies.
     */
    private List<Attempt> read(TenantId tenant, List<Item> listed) {
        Map<String, Attempt> found = new HashMap<>();
        for (Item item : table.get(listed.stream().map(Key::of).toList())) {
            Attempt attempt = item.decode(StoryCodec::decodeAttempt);
            found.merge(attempt.id(), attempt, (one, other) -> one.isOpen() ? other : one);
        }
        return listed.stream()
                .map(item -> item.text("attemptId"))
                .distinct()
                .flatMap(id ->
                        Optional.ofNullable(found.get(id))
                                .or(() -> JobId.parse(id).flatMap(job -> job(tenant, job)))
                                .stream())
                .toList();
    }

    private Optional<Attempt> job(TenantId tenant, JobId id) {
        // In this order: a job is put by before it is taken from those at hand.
        return id.tenant().equals(tenant)
                ? table.get(Key.atHand(id))
                        .or(() -> table.get(Key.putBy(id)))
                        .map(item -> item.decode(StoryCodec::decodeAttempt))
                : Optional.empty();
    }

    /** Jobs with what their calls tell. */
    private List<Attempt> joined(TenantId tenant, List<Attempt> attempts) {
        List<Key> keys = attempts.stream()
                .filter(attempt -> attempt.kind() == Attempt.Kind.OUTBOUND)
                .flatMap(attempt -> Optional.ofNullable(attempt.call()).stream())
                .map(call -> Key.of(tenant, call))
                .toList();
        Map<CallSid, Call> calls = table.get(keys).stream()
                .map(item -> item.decode(CallCodec::decode))
                .collect(Collectors.toMap(Call::sid, call -> call));
        return attempts.stream()
                .map(attempt -> attempt.kind() == Attempt.Kind.INBOUND
                        ? attempt
                        : Optional.ofNullable(attempt.call())
                                .flatMap(call -> Optional.ofNullable(calls.get(call)))
                                .map(attempt::joined)
                                .orElse(attempt))
                .toList();
    }

    private static String latest(String one, String other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    @Override
    public List<Outline> outlines(TenantId tenant, Instant from, Instant to) {
        return table.query(StoryCodec.listing(tenant), millis(from), millis(to) + LAST, Integer.MAX_VALUE).stream()
                .map(item -> item.decode(StoryCodec::decodeOutline))
                .collect(Collectors.toMap(
                        Outline::id,
                        one -> one,
                        (one, other) -> one.outcome() == null ? other : one,
                        LinkedHashMap::new))
                .values()
                .stream()
                .toList();
    }

    @Override
    public Optional<Attempt> find(TenantId tenant, String id) {
        return CallSid.parse(id)
                .flatMap(sid -> table.get(Key.of(tenant, sid)))
                .flatMap(item -> item.decode(StoryCodec::job).isPresent()
                        ? item.decode(StoryCodec::job).flatMap(job -> job(tenant, job))
                        : Optional.of(item)
                                .filter(one -> one.optionalText("attemptId").isPresent())
                                .map(one -> one.decode(StoryCodec::decodeAttempt)))
                .or(() -> JobId.parse(id).flatMap(job -> job(tenant, job)))
                .map(attempt -> joined(tenant, List.of(attempt)).getFirst());
    }

    /** As a cursor begins; an instant before 1970 or after 2286 lies outside every list all the same. */
    private static String millis(Instant instant) {
        return "%013d".formatted(Math.clamp(Attributes.toMillis(instant), 0, 9_999_999_999_999L));
    }
}
