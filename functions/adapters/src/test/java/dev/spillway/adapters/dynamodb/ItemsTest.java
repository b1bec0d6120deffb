package dev.spillway.adapters.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.adapters.Samples;
import dev.spillway.core.DependencyException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Two versions of this code run side by side during every deployment, and after a rollback: each reads what the other wrote.
 * The files in {@code items/} are items that earlier code wrote and reads; {@code least-…} has only what the first readers
 * demand. They are added to, and never changed (functions/decisions/0060-versions-run-side-by-side.md).
 */
class ItemsTest {
    /** Each kind of item, read and written again by today's code. */
    private static final Map<String, Function<Item, Map<String, AttributeValue>>> REWRITTEN = Map.of(
            "container", item -> ContainerCodec.encode(item.decode(ContainerCodec::decode)),
            "pool", item -> PoolCodec.encode(item.decode(PoolCodec::decode)),
            "call", item -> CallCodec.encode(item.decode(CallCodec::decode)),
            "job", item -> JobCodec.encode(item.decode(JobCodec::decode)),
            "submission", item -> JobCodec.encode(item.decode(JobCodec::decodeSubmission), Samples.NOW),
            "order", item -> OrderCodec.encode(item.decode(OrderCodec::decodeEntry)),
            "tenant", item -> TenantCodec.encode(item.decode(TenantCodec::decode)));

    /** Maps whose names are data, such as CallSids: no version of ours adds a name of its own there. */
    private static final Set<String> BY_DATA =
            Set.of("claims", "answers", "lowered", "outbound", "turns", "providerLimits");

    static Stream<Path> files() throws IOException, URISyntaxException {
        Path folder = Path.of(
                Objects.requireNonNull(ItemsTest.class.getResource("/items")).toURI());
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList().stream();
        }
    }

    @Test
    void each_kind_of_item_is_there_in_full_and_at_least() throws Exception {
        List<String> names = files().map(file -> file.getFileName().toString()).toList();

        assertThat(REWRITTEN.keySet())
                .allSatisfy(kind -> assertThat(names)
                        .anyMatch(name -> name.matches(kind + "(-[a-z]+)?\\.json"))
                        .anyMatch(name -> name.matches("least-" + kind + "\\.json")));
    }

    @ParameterizedTest
    @MethodSource("files")
    void what_the_version_before_wrote_is_read_and_what_it_reads_is_written_again(Path file) throws IOException {
        Map<String, AttributeValue> before = DynamoJson.read(file);

        assertThat(missing(before, rewritten(file, before))).isEmpty();
    }

    @Test
    void a_conversation_of_a_later_layout_or_of_another_type_is_unreadable_and_not_as_if_there_were_none() {
        AttributeValue state = AttributeValue.fromB(SdkBytes.fromUtf8String("where we were"));

        assertThat(conversation(1, state))
                .hasValueSatisfying(bytes ->
                        assertThat(bytes).asString(StandardCharsets.UTF_8).isEqualTo("where we were"));
        assertThatThrownBy(() -> conversation(2, state)).isInstanceOf(DependencyException.class);
        assertThatThrownBy(() -> conversation(1, Attributes.of("where we were")))
                .isInstanceOf(DependencyException.class);
    }

    private static Optional<byte[]> conversation(int layout, AttributeValue state) {
        return new Item("test", Map.of("version", Attributes.of(layout), "hop", Attributes.of(1), "state", state))
                .decode(DynamoConversations::decode);
    }

    @ParameterizedTest
    @MethodSource("files")
    void what_the_next_version_adds_anywhere_is_passed_over(Path file) throws IOException {
        Map<String, AttributeValue> before = DynamoJson.read(file);

        assertThat(missing(before, rewritten(file, added("item", before)))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("files")
    void an_item_of_a_layout_that_this_code_does_not_know_is_refused_and_never_misread(Path file) throws IOException {
        Map<String, AttributeValue> later = new HashMap<>(DynamoJson.read(file));
        later.put("version", Attributes.of(2));

        assertThatThrownBy(() -> rewritten(file, later))
                .isInstanceOf(DependencyException.class)
                .hasRootCauseMessage(file.getFileName() + " has layout 2, and this code knows layouts up to 1");
    }

    private static Map<String, AttributeValue> rewritten(Path file, Map<String, AttributeValue> item) {
        String name = file.getFileName().toString();
        String kind = name.replace("least-", "").replaceAll("[-.].*", "");
        return Objects.requireNonNull(REWRITTEN.get(kind), name).apply(new Item(name, item));
    }

    /** What is no longer there as it was, at any depth. */
    private static Map<String, AttributeValue> missing(
            Map<String, AttributeValue> before, Map<String, AttributeValue> after) {
        Map<String, AttributeValue> missing = new HashMap<>();
        before.forEach((name, value) -> {
            AttributeValue now = after.get(name);
            if (now == null || (!value.hasM() && !value.equals(now))) {
                missing.put(name, value);
            } else if (value.hasM()) {
                missing(value.m(), now.m()).forEach((inside, lost) -> missing.put(name + "." + inside, lost));
            }
        });
        return missing;
    }

    private static Map<String, AttributeValue> added(String name, Map<String, AttributeValue> map) {
        Map<String, AttributeValue> more = new HashMap<>();
        map.forEach((key, value) -> more.put(key, inside(key, value)));
        if (!BY_DATA.contains(name)) {
            more.put("addedByTheNextVersion", Attributes.of("whatever"));
        }
        return more;
    }

    private static AttributeValue inside(String key, AttributeValue value) {
        UnaryOperator<AttributeValue> again = one -> inside("entry", one);
        if (value.hasM()) {
            return Attributes.of(added(key, value.m()));
        }
        return value.hasL() ? AttributeValue.fromL(value.l().stream().map(again).toList()) : value;
    }
}
