package dev.spillway.adapters.dynamodb;

import static dev.spillway.adapters.Samples.A1;
import static dev.spillway.adapters.Samples.ACME;
import static dev.spillway.adapters.Samples.CALL;
import static dev.spillway.adapters.Samples.NOW;
import static dev.spillway.adapters.Samples.POOL;
import static dev.spillway.adapters.Samples.TENANT;
import static dev.spillway.adapters.Samples.container;
import static dev.spillway.adapters.Samples.generation;
import static dev.spillway.adapters.Samples.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.DependencyException;
import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Outline;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Offer;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

class CodecsTest {
    private static final JobId JOB = new JobId(ACME, "00000000000000000001");
    private static final Slots NO_SLOTS = new Slots(POOL, 0, 0, 0, 0, 0);
    private static final Offer OFFER = new Offer(A1, generation(2, 2), seconds(4));

    /** Reads what was written, with an attribute more than this version knows. */
    private static <T> T again(Map<String, AttributeValue> written, Function<Item, T> codec) {
        Map<String, AttributeValue> item = new HashMap<>(written);
        item.put("addedByALaterVersion", Attributes.of("whatever"));
        return new Item("test", item).decode(codec);
    }

    private static long number(Map<String, AttributeValue> item, String attribute) {
        return new Item("test", item).number(attribute);
    }

    @ParameterizedTest
    @EnumSource(ContainerState.class)
    void a_container_in_each_state_with_claims_in_each_phase(ContainerState state) {
        Map<ClaimKey, Claim> claims = new HashMap<>();
        int n = 0;
        for (Claim.Phase phase : Claim.Phase.values()) {
            claims.put(
                    new CallSid("CA%032x".formatted(n)),
                    new Claim(generation(1, n), phase, ACME, NOW, seconds(1), n == 1 ? OFFER : null)
                            .dialledFor(n == 2 ? new JobId(ACME, "0".repeat(20)) : null));
            n++;
        }
        Container container = container(state, claims);

        assertThat(again(ContainerCodec.encode(container), ContainerCodec::decode))
                .isEqualTo(container);
        assertThat(again(ContainerCodec.encode(container.withMayExit()), ContainerCodec::decode))
                .isEqualTo(container.withMayExit());
    }

    @Test
    void liveness_is_in_milliseconds_and_the_ttl_in_seconds_seven_days_later() {
        Map<String, AttributeValue> item = ContainerCodec.encode(container(ContainerState.READY, Map.of()));

        assertThat(number(item, "aliveUntilMillis")).isEqualTo(seconds(30).toEpochMilli());
        assertThat(number(item, "expiresAt")).isEqualTo(seconds(30).getEpochSecond() + 7 * 24 * 3600);
        assertThat(number(item, "version")).isEqualTo(1);
    }

    @Test
    void a_call_with_each_kind_of_answer() {
        Call call = new Call(
                ACME,
                CALL,
                NOW,
                6,
                Map.of(
                        1, new Answer.Stream(PoolId.GATEWAY, A1, generation(1, 1), seconds(60), NOW),
                        2, new Answer.Stream(PoolId.GATEWAY, null, generation(2, 1), seconds(61), seconds(1)),
                        3, new Answer.Busy(seconds(2)),
                        4, new Answer.Apology(seconds(3)),
                        5, new Answer.HangUp(seconds(4)),
                        6, new Answer.Transfer("+15005550009", seconds(5))),
                OFFER,
                1,
                true,
                Outcome.DEFERRED_EXPIRED);

        assertThat(again(CallCodec.encode(call), CallCodec::decode)).isEqualTo(call);
        assertThat(number(CallCodec.encode(call), "expiresAt")).isEqualTo(NOW.getEpochSecond() + 30L * 24 * 3600);
    }

    @Test
    void a_call_with_its_story_is_listed_by_tenant_and_arrival() {
        Slots slots = new Slots(POOL, 1, 2, 3, 4, 10);
        Call call = Call.arrived(ACME, CALL, new CallerHash("abcdefghij-_ABCDEFGHIJ"), NOW)
                .told(List.of(
                        Step.refused(0, POOL, Cause.STARTING, slots, "503", NOW),
                        Step.held(1, A1, Cause.COOLDOWN, slots, "no slot", seconds(1)),
                        Step.offered(ACME, 1, OFFER),
                        Step.moved(2, POOL, A1, "hand-off", seconds(3)),
                        Step.ended(2, Outcome.COMPLETED, "as Twilio says", seconds(4))));
        Map<String, AttributeValue> item = CallCodec.encode(call);

        assertThat(again(item, CallCodec::decode)).isEqualTo(call);
        assertThat(again(item, StoryCodec::decodeAttempt)).isEqualTo(Attempt.of(call));
        assertThat(again(item, StoryCodec::decodeOutline))
                .isEqualTo(Attempt.of(call).outline());
        assertThat(item)
                .containsEntry("listing", Attributes.of("acme#attempts"))
                .containsEntry("listed", Attributes.of(NOW.toEpochMilli() + "_" + CALL))
                .containsEntry("cause", Attributes.of("cooldown"))
                .containsEntry("turnedAway", Attributes.of(true));
    }

    @Test
    void a_call_that_was_dialled_for_a_job_is_not_listed_itself() {
        Call dialled = Call.dialled(JOB, CALL, NOW);
        Map<String, AttributeValue> item = CallCodec.encode(dialled);

        assertThat(again(item, CallCodec::decode)).isEqualTo(dialled);
        assertThat(item).doesNotContainKeys("listing", "listed", "attemptId");
    }

    @Test
    void a_job_is_listed_as_an_attempt_with_its_outcome_its_cause_and_its_deferrals() {
        Job job = Job.accepted(
                        JOB,
                        "+15005551001",
                        "+15005550006",
                        "scripted",
                        new Job.Batch("spring", 3),
                        NOW,
                        NOW.plusSeconds(3600),
                        Duration.ofMinutes(15),
                        NOW)
                .calling(new CallerHash("ann_ann_ann_ann_ann_an"))
                .deferred(Cause.FULL, NO_SLOTS, "full", NOW, NOW)
                .deferred(Cause.FULL, NO_SLOTS, "full", NOW, NOW)
                .deferred(Cause.RESERVE, NO_SLOTS, "2 reserved", NOW, NOW)
                .ended(Outcome.DEFERRED_EXPIRED, "its deadline has passed", NOW);
        Map<String, AttributeValue> item = JobCodec.encode(job);

        assertThat(again(item, JobCodec::decode)).isEqualTo(job);
        assertThat(again(item, StoryCodec::decodeAttempt)).isEqualTo(job.attempt());
        assertThat(again(item, StoryCodec::decodeOutline))
                .isEqualTo(job.attempt().outline())
                .isEqualTo(new Outline(
                        JOB.value(),
                        Attempt.Kind.OUTBOUND,
                        NOW,
                        Outcome.DEFERRED_EXPIRED,
                        Cause.RESERVE,
                        new CallerHash("ann_ann_ann_ann_ann_an"),
                        false,
                        3));
        assertThat(item)
                .containsEntry("listing", Attributes.of("acme#attempts"))
                .containsEntry("listed", Attributes.of(NOW.toEpochMilli() + "_" + JOB));
    }

    @Test
    void a_call_written_before_stories_were_told_has_an_empty_one() {
        Map<String, AttributeValue> item = new HashMap<>(CallCodec.encode(Call.arrived(ACME, CALL, NOW)));
        item.keySet().removeAll(List.of("kind", "steps", "listing", "listed", "attemptId"));

        assertThat(again(item, CallCodec::decode)).isEqualTo(Call.arrived(ACME, CALL, NOW));
    }

    @Test
    void a_call_that_has_just_arrived() {
        Call call = Call.arrived(ACME, CALL, NOW);

        assertThat(again(CallCodec.encode(call), CallCodec::decode)).isEqualTo(call);
    }

    @Test
    void a_pool_of_which_nothing_has_happened_keeps_its_sentinels() {
        for (ScaleOutRule rule : ScaleOutRule.values()) {
            Pool pool = Pool.fresh(
                    POOL, new Policy(0, 10, 6, 3, rule, ScaleInRule.IDLE), "service", "wss://s.example.com", NOW);

            assertThat(again(PoolCodec.encode(pool), PoolCodec::decode)).isEqualTo(pool);
        }
    }

    @Test
    void instants_beyond_milliseconds_survive() {
        for (Instant instant : new Instant[] {Instant.MAX, Instant.MIN, Instant.EPOCH, NOW}) {
            assertThat(Attributes.ofMillis(Attributes.toMillis(instant))).isEqualTo(instant);
        }
    }

    @Test
    void a_tenant() {
        assertThat(again(TenantCodec.encode(TENANT), TenantCodec::decode)).isEqualTo(TENANT);
    }

    @Test
    void an_item_that_cannot_be_read_is_a_broken_table_and_never_an_empty_one() {
        Map<String, AttributeValue> item = new HashMap<>(CallCodec.encode(Call.arrived(ACME, CALL, NOW)));
        item.remove("hop");

        assertThatThrownBy(() -> new Item("acme#call/call", item).decode(CallCodec::decode))
                .isInstanceOf(DependencyException.class)
                .hasMessage("dynamodb: item acme#call/call is unreadable")
                .hasRootCauseMessage("acme#call/call has no usable attribute hop");
    }
}
