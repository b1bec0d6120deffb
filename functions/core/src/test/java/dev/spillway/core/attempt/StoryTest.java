package dev.spillway.core.attempt;

import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoryTest {
    private static final Slots NONE = new Slots(ACME_POOL, 0, 0, 0, 0, 0);

    private static Step held(long second) {
        return Step.held(1, container("gw1"), Cause.FULL, NONE, "as the test says", seconds(second));
    }

    @Test
    void a_story_keeps_forty_steps_and_counts_the_rest() {
        Story story = Story.INBOUND;
        for (int n = 0; n < 45; n++) {
            story = story.with(List.of(held(n)));
        }

        assertThat(story.steps()).hasSize(40);
        assertThat(story.steps().getLast().at()).isEqualTo(seconds(39));
        assertThat(story.dropped()).isEqualTo(5);
    }

    @Test
    void the_steps_of_one_write_are_kept_or_dropped_together() {
        Story story = Story.INBOUND;
        for (int n = 0; n < 39; n++) {
            story = story.with(List.of(held(n)));
        }

        story = story.with(List.of(held(39), held(40)));
        assertThat(story.steps()).hasSize(41);
        story = story.with(List.of(held(41), held(42)));
        assertThat(story.steps()).hasSize(41);
        assertThat(story.dropped()).isEqualTo(2);
    }

    @Test
    void a_refusal_a_hold_and_a_deferral_need_a_cause_and_nothing_has_slots_without_one() {
        for (Step.Kind kind : List.of(Step.Kind.REFUSED, Step.Kind.HELD, Step.Kind.DEFERRED)) {
            assertThatThrownBy(() -> new Step(kind, NOW, 1, ACME_POOL, null, null, null, "why"))
                    .hasMessageContaining(kind.text());
        }
        assertThatThrownBy(() -> new Step(Step.Kind.ADMITTED, NOW, 1, ACME_POOL, null, null, NONE, "why"))
                .hasMessageContaining("cause");
    }

    @Test
    void the_last_step_without_a_slot_gives_the_attempt_its_cause() {
        Story story = Story.INBOUND.with(List.of(
                Step.refused(0, ACME_POOL, Cause.FULL, NONE, "503", NOW),
                held(0),
                Step.movedToGateway(2, null, Cause.STARTING, NONE, "continue", seconds(9)),
                Step.moved(3, ACME_POOL, container("a1"), "continue", seconds(60))));

        assertThat(story.lastWithCause().orElseThrow().cause()).isEqualTo(Cause.STARTING);
        assertThat(story.isTurnedAway()).isTrue();
        assertThat(Story.INBOUND.with(List.of(held(0))).isTurnedAway()).isFalse();
    }

    @Test
    void every_kind_of_step_and_attempt_reads_back() {
        for (Step.Kind kind : Step.Kind.values()) {
            assertThat(Step.Kind.of(kind.text())).isEqualTo(kind);
        }
        for (Attempt.Kind kind : Attempt.Kind.values()) {
            assertThat(Attempt.Kind.of(kind.text())).isEqualTo(kind);
        }
    }

    @Test
    void a_callers_hash_is_the_same_wherever_it_is_made_and_another_at_another_tenant() {
        byte[] master = new byte[32];
        StreamKey acme = StreamKey.derive(master, ACME_POOL);
        StreamKey container = StreamKey.ofPool(acme.bytes());
        StreamKey bloom = StreamKey.derive(master, new PoolId("bloom"));

        assertThat(acme.callerHash("+15005550001")).isEqualTo(container.callerHash("+15005550001"));
        assertThat(acme.callerHash("+15005550001")).isNotEqualTo(acme.callerHash("+15005550002"));
        assertThat(acme.callerHash("+15005550001")).isNotEqualTo(bloom.callerHash("+15005550001"));
        assertThat(acme.callerHash("+15005550001").value()).doesNotContain("5005550001");
    }
}
