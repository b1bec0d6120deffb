package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.BLOOM;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.outbound.Dials;
import dev.spillway.core.outbound.Dials.Listed;
import dev.spillway.core.outbound.Dials.Result;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What the dialer expects of Twilio: a dial is made once or not at all, and can be found by its numbers if nobody heard. */
public abstract class DialsContract {
    protected static final String FROM = "+15005550006";
    private static final String TO = "+15005550042";
    private static final CallSid UNKNOWN = new CallSid("CA" + "f".repeat(32));

    /** What somebody does who is called. */
    protected enum Person {
        /** Until the call is hung up. */
        LETS_IT_RING,
        IS_BUSY,
        IS_AWAY,
        CANNOT_BE_REACHED,
        /** And hears the end of it at once. */
        PICKS_UP
    }

    protected abstract Dials dials();

    /** Acme and bloom, each with an account of its own. */
    protected abstract Tenant tenant(TenantId id);

    /** By Twilio's clock. */
    protected abstract Instant now();

    /** What becomes of that job's call. */
    protected abstract void expect(Job job, Person person);

    /** Twilio begins one call now, and the others of the account much later. */
    protected abstract void dialSlowly();

    /** Twilio has had too many requests, until the end of the test. */
    protected abstract void refuse();

    /** The reply to the next request to dial is lost, and the call is made. */
    protected abstract void loseReply();

    /** Lets time go by, a little each time, until it is so; fails if that takes longer than anything here may. */
    protected abstract void await(BooleanSupplier so);

    private Job accepted(int n, String to, Person person) {
        Instant now = now();
        Job job = Job.accepted(
                job(n), to, FROM, "scripted", new Job.Batch("a", 1), now, now.plusSeconds(600), Duration.ZERO, now);
        expect(job, person);
        return job;
    }

    private Result dial(Job job, int n) {
        return dials().dial(tenant(ACME), job, generation(1, n), now().plusSeconds(60));
    }

    private CallSid dialled(int n, String to, Person person) {
        Result result = dial(accepted(n, to, person), n);
        assertThat(result).isInstanceOf(Result.Taken.class);
        return ((Result.Taken) result).call();
    }

    private Optional<String> status(CallSid call) {
        return dials().status(tenant(ACME), call);
    }

    private List<Listed> listed(String to) {
        return dials().find(tenant(ACME), FROM, to, now().minusSeconds(60));
    }

    private void awaitStatus(CallSid call, String word) {
        await(() -> status(call).equals(Optional.of(word)));
    }

    @Test
    void a_dial_that_is_taken_is_one_call_that_can_be_asked_for_and_is_listed() {
        CallSid call = dialled(1, TO, Person.LETS_IT_RING);

        awaitStatus(call, "ringing");
        assertThat(listed(TO)).containsExactly(new Listed(call, "ringing"));
    }

    @Test
    void whoever_is_busy_away_or_out_of_reach_ends_the_call_and_so_does_the_end_of_the_talk() {
        CallSid busy = dialled(1, "+15005551001", Person.IS_BUSY);
        CallSid away = dialled(2, "+15005551002", Person.IS_AWAY);
        CallSid unreachable = dialled(3, "+15005551003", Person.CANNOT_BE_REACHED);
        CallSid answered = dialled(4, "+15005551004", Person.PICKS_UP);

        awaitStatus(busy, "busy");
        awaitStatus(away, "no-answer");
        awaitStatus(unreachable, "failed");
        awaitStatus(answered, "completed");
        assertThat(listed("+15005551001")).containsExactly(new Listed(busy, "busy"));
    }

    @Test
    void a_call_that_rings_is_hung_up_once() {
        CallSid call = dialled(1, TO, Person.LETS_IT_RING);
        awaitStatus(call, "ringing");

        assertThat(dials().hangUp(tenant(ACME), call)).isTrue();

        await(() -> status(call).flatMap(FinalStatus::parse).isPresent());
        // Which of the two nobody could verify.
        assertThat(status(call).orElseThrow()).isIn("canceled", "completed");
        assertThat(dials().hangUp(tenant(ACME), call)).isFalse();
    }

    @Test
    void a_call_that_waits_to_be_begun_is_listed_and_can_be_hung_up() {
        dialSlowly();
        CallSid first = dialled(1, "+15005551001", Person.LETS_IT_RING);
        CallSid second = dialled(2, TO, Person.LETS_IT_RING);

        awaitStatus(first, "ringing");
        assertThat(listed(TO)).containsExactly(new Listed(second, "queued"));

        assertThat(dials().hangUp(tenant(ACME), second)).isTrue();
        await(() -> status(second).flatMap(FinalStatus::parse).isPresent());
    }

    @Test
    void only_calls_between_the_two_numbers_are_listed_and_the_newest_comes_first() {
        CallSid first = dialled(1, TO, Person.IS_BUSY);
        awaitStatus(first, "busy");
        CallSid second = dialled(2, TO, Person.LETS_IT_RING);
        CallSid other = dialled(3, "+15005550043", Person.LETS_IT_RING);
        awaitStatus(second, "ringing");

        assertThat(listed(TO)).extracting(Listed::call).containsExactly(second, first);
        assertThat(listed("+15005550043")).extracting(Listed::call).containsExactly(other);
        assertThat(dials().find(tenant(ACME), "+15005550007", TO, now().minusSeconds(60)))
                .isEmpty();
    }

    @Test
    void calls_are_listed_by_the_whole_second_in_which_they_were_made() {
        Instant before = now();
        CallSid call = dialled(1, TO, Person.LETS_IT_RING);
        Instant after = now();

        assertThat(dials().find(tenant(ACME), FROM, TO, Instant.ofEpochSecond(before.getEpochSecond())))
                .extracting(Listed::call)
                .containsExactly(call);
        assertThat(dials().find(tenant(ACME), FROM, TO, Instant.ofEpochSecond(after.getEpochSecond(), 999_999_999)))
                .isEmpty();
    }

    @Test
    void whoever_asks_too_late_asks_nobody() {
        Job job = accepted(1, TO, Person.LETS_IT_RING);

        assertThat(dials().dial(tenant(ACME), job, generation(1, 1), now().minusSeconds(60)))
                .isInstanceOfSatisfying(
                        Result.Refused.class,
                        refused -> assertThat(refused.forGood()).isFalse());

        assertThat(listed(TO)).isEmpty();
    }

    @Test
    void a_dial_for_which_there_were_too_many_requests_is_not_made_and_may_be_tried_again() {
        refuse();

        assertThat(dial(accepted(1, TO, Person.LETS_IT_RING), 1))
                .isInstanceOfSatisfying(
                        Result.Refused.class,
                        refused -> assertThat(refused.forGood()).isFalse());
    }

    @Test
    void a_dial_whose_reply_is_lost_is_unknown_and_its_call_is_listed() {
        loseReply();

        assertThat(dial(accepted(1, TO, Person.LETS_IT_RING), 1)).isInstanceOf(Result.Unknown.class);

        assertThat(listed(TO)).hasSize(1);
    }

    @Test
    void a_call_that_nobody_made_is_unknown_and_cannot_be_hung_up() {
        assertThat(status(UNKNOWN)).isEmpty();
        assertThat(dials().hangUp(tenant(ACME), UNKNOWN)).isFalse();
    }

    @Test
    void a_call_of_one_tenant_is_unknown_to_another() {
        CallSid call = dialled(1, TO, Person.LETS_IT_RING);
        awaitStatus(call, "ringing");

        assertThat(dials().status(tenant(BLOOM), call)).isEmpty();
        assertThat(dials().find(tenant(BLOOM), FROM, TO, now().minusSeconds(60)))
                .isEmpty();
        assertThat(dials().hangUp(tenant(BLOOM), call)).isFalse();
        assertThat(status(call)).contains("ringing");
    }
}
