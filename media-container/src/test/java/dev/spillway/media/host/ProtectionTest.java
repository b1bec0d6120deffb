package dev.spillway.media.host;

import static dev.spillway.core.memory.Sample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.media.rig.FakeHost;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProtectionTest {
    private final FakeHost host = new FakeHost("t1");
    private final List<Entry> journal = new ArrayList<>();
    private final Protection protection = new Protection(host.host(), journal::add);

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void an_answer_without_a_usable_date_is_no_protection_and_it_is_asked_for_again() {
        host.answers("{\"protection\":{\"ExpirationDate\":\"tomorrow\",\"ProtectionEnabled\":true}}");
        assertThat(protection.renewIfDue(NOW)).isFalse();
        assertThat(protection.until()).isEqualTo(Instant.EPOCH);
        assertThat(journal).extracting(Entry::event).containsExactly("protection-failed");

        host.answers(FakeHost.GRANTED);
        assertThat(protection.renewIfDue(NOW)).isTrue();
        assertThat(protection.until()).isEqualTo(Instant.parse("2026-11-29T10:00:00Z"));
    }
}
