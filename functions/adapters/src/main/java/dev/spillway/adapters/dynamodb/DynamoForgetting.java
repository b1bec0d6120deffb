package dev.spillway.adapters.dynamodb;

import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.tenant.TenantId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * Takes a phone number out of the table. A call has only a hash of its caller's number, which goes; a job has the number
 * itself, and so has a call that an agent gave to it, whoever made that call; there it is written over. What became of them
 * stays. Hashes on lists of numbers that must not be dialled stay, too: forgetting them would have the number dialled again.
 */
public final class DynamoForgetting {
    /** No country has this code (ITU E.164, unassigned). */
    private static final String NOBODY = "+99900000000";

    private final Table table;

    public DynamoForgetting(DynamoDbClient client, String table) {
        this.table = new Table(client, table);
    }

    /**
     * @param attempts in which the number was, and is no longer
     * @param open jobs that wait or go on and still need it: cancel them, and ask again
     */
    public record Forgotten(int attempts, int open) {}

    /**
     * @param hash by which the tenant's calls name the number's owner
     * @throws dev.spillway.core.DependencyException if the table cannot be read or written; asking again is safe
     */
    public Forgotten forget(TenantId tenant, String number, CallerHash hash) {
        int attempts = 0;
        int open = 0;
        List<Item> listed = table.query(StoryCodec.listing(tenant), "0", "9", Integer.MAX_VALUE);
        for (Item outline : listed) {
            Key key = Key.of(outline);
            Optional<Item> found = table.get(key);
            boolean isCallee = found.flatMap(item -> item.optionalText("to"))
                    .filter(number::equals)
                    .isPresent();
            boolean isCaller =
                    outline.optionalText("caller").filter(hash.value()::equals).isPresent();
            // The attempt is the call itself, or a job, whose call is not listed: an agent may have given either away.
            Optional<Item> dialled = found.flatMap(item -> item.optionalText("callSid"))
                    .map(sid -> Key.of(tenant, new CallSid(sid)))
                    .filter(call -> !call.equals(key))
                    .flatMap(table::get);
            List<Item> given = Stream.concat(found.stream(), dialled.stream())
                    .filter(item -> !hopsTransferredTo(number, item).isEmpty())
                    .toList();
            if (!isCallee && !isCaller && given.isEmpty()) {
                continue;
            }
            boolean isNeeded = Stream.concat(isCallee ? found.stream() : Stream.empty(), given.stream())
                    .anyMatch(item -> item.optionalText("outcome").isEmpty());
            if (isNeeded) {
                open++;
                continue;
            }
            for (Item call : given) {
                forgetTransfers(number, call);
            }
            String update = isCallee ? "SET #to = :nobody REMOVE #caller" : "REMOVE #caller";
            Change change = Change.of(update, "attribute_exists(#pk)");
            if (isCallee || isCaller) {
                table.update(key, isCallee ? change.value(":nobody", NOBODY) : change, Table.Own.NOTHING);
            }
            attempts++;
        }
        return new Forgotten(attempts, open);
    }

    private void forgetTransfers(String number, Item call) {
        for (String hop : hopsTransferredTo(number, call)) {
            Change change = Change.of("SET #answers.#hop.#number = :nobody", "attribute_exists(#pk)")
                    .name("#hop", hop)
                    .value(":nobody", NOBODY);
            table.update(Key.of(call), change, Table.Own.NOTHING);
        }
    }

    /** A call that an agent gave to that number has it in its answers. */
    private static List<String> hopsTransferredTo(String number, Item call) {
        return call.optionalMap("answers")
                .map(answers -> answers.names().stream()
                        .filter(hop -> answers.map(hop)
                                .optionalText("number")
                                .filter(number::equals)
                                .isPresent())
                        .toList())
                .orElse(List.of());
    }
}
