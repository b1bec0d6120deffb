package dev.spillway.core.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.attempt.Story;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UsageTest {
    private static final Instant NINE = Instant.parse("2026-11-29T09:00:00Z");
    private static final Instant TEN = NINE.plusSeconds(3600);
    private static final TenantId ACME = new TenantId("acme");
    private static final ContainerId ONE = new ContainerId("one");

    private static Attempt attempt(@Nullable Outcome outcome, Step... steps) {
        return new Attempt(ACME, "CA1", null, NINE, outcome, new Story(null, null, List.of(steps), 0));
    }

    private static Step held(long second) {
        return Step.held(
                1, ONE, Cause.FULL, new Slots(PoolId.of(ACME), 6, 0, 0, 0, 6), "no slot", NINE.plusSeconds(second));
    }

    @Test
    void a_held_call_counts_until_it_moves_to_its_own_pool() {
        Attempt moved = attempt(
                Outcome.COMPLETED,
                held(0),
                Step.moved(2, PoolId.of(ACME), ONE, "a slot is free", NINE.plusSeconds(75)),
                Step.ended(2, Outcome.COMPLETED, "hung up", NINE.plusSeconds(300)));

        assertThat(Usage.of(List.of(moved), List.of(), NINE, TEN, TEN)).isEqualTo(new Usage(1, 75, 0));
    }

    @Test
    void one_that_stays_counts_to_its_end_and_one_that_goes_on_to_now() {
        Attempt stayed =
                attempt(Outcome.COMPLETED, held(0), Step.ended(1, Outcome.COMPLETED, "hung up", NINE.plusSeconds(180)));
        Attempt open = attempt(null, held(0));

        assertThat(Usage.of(List.of(stayed, open), List.of(), NINE, TEN, NINE.plusSeconds(200)))
                .isEqualTo(new Usage(2, 180 + 200, 0));
    }

    @Test
    void a_direct_call_does_not_count() {
        Attempt direct = attempt(
                Outcome.COMPLETED,
                Step.admitted(1, PoolId.of(ACME), ONE, "a slot is free", NINE),
                Step.ended(1, Outcome.COMPLETED, "hung up", NINE.plusSeconds(60)));

        assertThat(Usage.of(List.of(direct), List.of(), NINE, TEN, TEN)).isEqualTo(new Usage(0, 0, 0));
    }

    @Test
    void of_a_container_only_what_lies_in_the_window_counts() {
        Life before = new Life(NINE.minusSeconds(600), NINE.plusSeconds(100));
        Life through = new Life(NINE.plusSeconds(3500), TEN.plusSeconds(900));

        assertThat(Usage.of(List.of(), List.of(before, through), NINE, TEN, TEN))
                .isEqualTo(new Usage(0, 0, 200));
    }
}
