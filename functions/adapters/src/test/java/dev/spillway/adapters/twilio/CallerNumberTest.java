package dev.spillway.adapters.twilio;

import static dev.spillway.adapters.Samples.POOL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.stream.StreamKey;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallerNumberTest {
    private static final StreamKey KEY = StreamKey.derive(new byte[32], POOL);

    private static Optional<CallerHash> hash(String from) {
        return CallerNumber.hash(Map.of("From", from, "Direction", "inbound"), KEY);
    }

    @Test
    void a_number_is_named_by_its_hash_and_always_the_same() {
        assertThat(hash("+15005550006")).isPresent().isEqualTo(hash("+15005550006"));
        assertThat(hash("+15005550006")).isNotEqualTo(hash("+15005550007"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "anonymous",
                "+266696687",
                "+7378742833",
                "+2562533",
                "+8566696",
                "+86282452253",
                "client:ann"
            })
    void people_who_withhold_their_number_are_not_taken_for_one(String from) {
        assertThat(hash(from)).isEmpty();
    }

    @Test
    void the_tenants_own_number_on_an_outbound_call_is_no_caller() {
        assertThat(CallerNumber.hash(Map.of("From", "+15005550006", "Direction", "outbound-api"), KEY))
                .isEmpty();
    }
}
