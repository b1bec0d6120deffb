package dev.spillway.core.stream;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.BLOOM_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.call.Answer;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamAddress.Kind;
import dev.spillway.core.stream.StreamAddress.Parsed;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StreamAddressTest {
    private static final byte[] MASTER =
            "a master secret of 32 bytes or more".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    private static final StreamKey KEY = StreamKey.derive(MASTER, ACME_POOL);
    private static final StreamAddress ADDRESS = StreamAddress.of(ACME, call(1), stream(ACME_POOL, "a1", 2, 7, NOW));

    private static void assertInvalid(Parsed parsed, String reason) {
        assertThat(parsed).isEqualTo(new Parsed.Invalid(reason));
    }

    @Test
    void an_address_reads_back_from_its_path() {
        String path = ADDRESS.path(KEY);

        assertThat(path)
                .startsWith("/stream/acme/a1/" + call(1) + "/2.test000000000007/"
                        + seconds(60).getEpochSecond() + "/")
                .doesNotContain("?")
                .matches("[A-Za-z0-9/._-]+");
        assertThat(StreamAddress.parse(path, KEY, NOW)).isEqualTo(new Parsed.Valid(ADDRESS));
    }

    @Test
    void an_address_without_a_container_reads_back_as_any() {
        StreamAddress any = StreamAddress.of(
                ACME, call(1), new Answer.Stream(PoolId.GATEWAY, null, generation(1, 1), seconds(60), NOW));

        String path = any.path(KEY);

        assertThat(path).startsWith("/stream/acme/any/");
        assertThat(StreamAddress.parse(path, KEY, NOW)).isEqualTo(new Parsed.Valid(any));
        assertThat(any.container()).isNull();
    }

    @Test
    void an_address_is_good_for_its_60_seconds_and_not_longer() {
        String path = ADDRESS.path(KEY);

        assertThat(StreamAddress.parse(path, KEY, seconds(60))).isInstanceOf(Parsed.Valid.class);
        assertInvalid(StreamAddress.parse(path, KEY, seconds(61)), "expired");
    }

    @Test
    void of_a_stream_that_was_opened_form_and_mac_are_asked_and_the_60_seconds_are_not() {
        String path = ADDRESS.path(KEY);

        assertThat(StreamAddress.parseOpened(path, KEY)).isEqualTo(new Parsed.Valid(ADDRESS));
        assertInvalid(StreamAddress.parseOpened(path + "x", KEY), "not signed for this pool");
        assertInvalid(StreamAddress.parseOpened("/stream/acme", KEY), "not a stream address");
    }

    @Test
    void the_key_of_another_pool_does_not_open_it() {
        assertInvalid(
                StreamAddress.parse(ADDRESS.path(KEY), StreamKey.derive(MASTER, BLOOM_POOL), NOW),
                "not signed for this pool");
        assertInvalid(
                StreamAddress.parse(ADDRESS.path(KEY), StreamKey.derive(MASTER, PoolId.GATEWAY), NOW),
                "not signed for this pool");
    }

    @ParameterizedTest
    @CsvSource({
        "1, relay",
        "2, bloom",
        "3, a2",
        "3, any",
        "4, CA00000000000000000000000000000002",
        "5, 3.test000000000007",
        "5, 2.test000000000008",
        "6, 9999999999",
        "7, AAAAAAAAAAAAAAAAAAAAAA",
    })
    void a_changed_segment_is_noticed(int segment, String other) {
        String[] parts = ADDRESS.path(KEY).split("/", -1);
        assertThat(parts[segment]).isNotEqualTo(other);
        parts[segment] = other;

        assertInvalid(StreamAddress.parse(String.join("/", parts), KEY, NOW), "not signed for this pool");
    }

    @Test
    void every_single_changed_letter_of_the_mac_is_noticed() {
        String path = ADDRESS.path(KEY);
        int macAt = path.lastIndexOf('/') + 1;
        for (int i = macAt; i < path.length(); i++) {
            char other = path.charAt(i) == 'A' ? 'B' : 'A';
            String changed = path.substring(0, i) + other + path.substring(i + 1);
            assertThat(StreamAddress.parse(changed, KEY, NOW)).isInstanceOf(Parsed.Invalid.class);
        }
    }

    @Test
    void a_relayed_address_has_a_mac_of_its_own() {
        String stream = ADDRESS.path(KEY);
        String relay = ADDRESS.relayed().path(KEY);

        assertThat(relay).startsWith("/relay/acme/a1/");
        assertThat(mac(relay)).isNotEqualTo(mac(stream));
        assertThat(StreamAddress.parse(relay, KEY, NOW)).isEqualTo(new Parsed.Valid(ADDRESS.relayed()));
        assertThat(ADDRESS.relayed().kind()).isEqualTo(Kind.RELAY);
        assertInvalid(StreamAddress.parse(relay.replace("/relay/", "/stream/"), KEY, NOW), "not signed for this pool");
    }

    private static String mac(String path) {
        return Arrays.asList(path.split("/", -1)).getLast();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/stream",
                "/health",
                "/stream/acme/a1/CA00000000000000000000000000000001/2.test000000000007/1",
                "/stream/acme/a1/CA00000000000000000000000000000001/2.test000000000007/1/x/y",
                "/stream/gateway/a1/CA00000000000000000000000000000001/2.test000000000007/1/x",
                "/stream/acme/a_1/CA00000000000000000000000000000001/2.test000000000007/1/x",
                "/stream/acme/a1/CA1/2.test000000000007/1/x",
                "/stream/acme/a1/CA00000000000000000000000000000001/0.test000000000007/1/x",
                "/stream/acme/a1/CA00000000000000000000000000000001/2.test000000000007/-1/x",
                "/stream/acme/a1/CA00000000000000000000000000000001/2.test000000000007/999999999999/x",
                "x/stream/acme/a1/CA00000000000000000000000000000001/2.test000000000007/1/x",
            })
    void what_is_not_an_address_is_refused_without_a_closer_word(String path) {
        Parsed parsed = StreamAddress.parse(path, KEY, NOW);

        assertInvalid(parsed, "not a stream address");
    }

    @Test
    void a_mac_that_fits_does_not_revive_an_expired_address_and_a_wrong_one_is_not_told_that_it_expired() {
        String path = ADDRESS.path(KEY);

        assertInvalid(StreamAddress.parse(path + "x", KEY, seconds(3600)), "not signed for this pool");
    }

    @Test
    void a_container_that_is_given_its_pools_key_alone_signs_as_the_functions_do() {
        StreamKey given = StreamKey.ofPool(KEY.bytes());

        assertThat(ADDRESS.path(given)).isEqualTo(ADDRESS.path(KEY));
    }

    @Test
    void short_keys_are_refused() {
        assertThatThrownBy(() -> StreamKey.derive(new byte[31], ACME_POOL))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> StreamKey.ofPool(new byte[31])).isInstanceOf(IllegalArgumentException.class);
    }
}
