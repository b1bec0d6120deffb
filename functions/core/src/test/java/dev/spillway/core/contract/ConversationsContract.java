package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.call.Conversations;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What every {@link Conversations} keeps. */
public abstract class ConversationsContract {
    /** Empty, or used by nobody else. */
    protected abstract Conversations conversations();

    private static byte[] state(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void the_last_turn_of_the_latest_hop_is_found_and_an_older_hop_overwrites_nothing() {
        Conversations kept = conversations();
        assertThat(kept.find(ACME, call(1))).isEmpty();
        assertThat(kept.keep(ACME, call(1), 1, state("first turn"), NOW)).isTrue();
        assertThat(kept.keep(ACME, call(1), 1, state("second turn"), seconds(5)))
                .isTrue();
        assertThat(kept.find(ACME, call(1))).contains(state("second turn"));
        assertThat(kept.keep(ACME, call(1), 2, state("third turn"), seconds(9))).isTrue();
        assertThat(kept.keep(ACME, call(1), 1, state("late"), seconds(10))).isFalse();
        assertThat(kept.find(ACME, call(1))).contains(state("third turn"));
        assertThat(kept.find(BLOOM, call(1))).isEmpty();
    }

    @Test
    void nothing_stays_of_a_call_that_is_over() {
        Conversations kept = conversations();
        kept.keep(ACME, call(2), 1, state("a turn"), NOW);
        kept.forget(ACME, call(2), seconds(5));
        kept.forget(ACME, call(3), seconds(5));
        assertThat(kept.find(ACME, call(2))).isEmpty();
        assertThat(kept.find(ACME, call(3))).isEmpty();
    }

    @Test
    void what_is_saved_after_the_end_does_not_come_back_whether_something_was_kept_before_or_not() {
        Conversations kept = conversations();
        kept.keep(ACME, call(5), 1, state("a turn"), NOW);
        kept.forget(ACME, call(5), seconds(5));
        kept.forget(ACME, call(6), seconds(5));
        assertThat(kept.keep(ACME, call(5), 1, state("late"), seconds(6))).isFalse();
        assertThat(kept.keep(ACME, call(5), 2, state("later"), seconds(7))).isFalse();
        assertThat(kept.keep(ACME, call(6), 1, state("late"), seconds(6))).isFalse();
        assertThat(kept.find(ACME, call(5))).isEmpty();
        assertThat(kept.find(ACME, call(6))).isEmpty();
        kept.forget(ACME, call(5), seconds(8));
        assertThat(kept.find(ACME, call(5))).isEmpty();
    }

    @Test
    void two_hundred_thousand_bytes_are_kept_and_one_more_is_refused() {
        Conversations kept = conversations();
        assertThat(kept.keep(ACME, call(4), 1, new byte[200_000], NOW)).isTrue();
        assertThatThrownBy(() -> kept.keep(ACME, call(4), 1, new byte[200_001], NOW))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
