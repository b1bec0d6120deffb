package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.withCalls;
import static dev.spillway.core.outbound.OutboundWorld.job;
import static dev.spillway.core.outbound.OutboundWorld.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.attempt.Summary;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.MemoryDials.Weather;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.routing.CallAnswering;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way in which an attempt ends, for callers and for jobs: it is reached, and nothing comes after it. */
class TerminalsTest {
    private static final CallSid CALL = call(1);
    private static final JobId JOB = Sample.job(1);
    private static final List<String> FINAL = List.of("completed", "busy", "no-answer", "failed", "canceled");

    private OutboundWorld world = new OutboundWorld(policy(3, 0));

    private Attempt attempt(String id) {
        return world.table.listing().find(ACME, id).orElseThrow();
    }

    /** It ended in that way, once, and that is all there is. */
    private Attempt endedOnce(String id, Outcome outcome) {
        Attempt attempt = attempt(id);
        assertThat(attempt.outcome()).isEqualTo(outcome);
        assertThat(attempt.story().steps().stream().filter(step -> step.kind() == Step.Kind.ENDED))
                .hasSize(1);
        Summary summary = new AttemptListing(world.table.listing())
                .list(ACME, NOW, null, 10, seconds(9_999))
                .summary()
                .orElseThrow();
        assertThat(summary.offered()).isEqualTo(1);
        assertThat(summary.open()).isZero();
        assertThat(summary.outcomes()).containsEntry(outcome, 1);
        return attempt;
    }

    // Callers

    private void arrive(Container gateway) {
        world.table.put(gateway);
        MemoryTable table = world.table;
        new CallAnswering(
                        table.pools(),
                        table.containers(),
                        table.calls(),
                        table.announcements(),
                        table.generations(),
                        table.journal(),
                        Timing.STANDARD)
                .answer(ACME, CALL, 0, "fallback", NOW);
    }

    private void talk() {
        Answer.Stream there =
                (Answer.Stream) world.table.look(ACME, CALL).current().orElseThrow();
        connect(CALL, there);
    }

    private void connect(CallSid sid, Answer.Stream there) {
        assertThat(there.container()).isNotNull();
        world.table.containers().connect(there.pool(), there.container(), sid, there.generation());
        assertThat(world.table.calls().connect(ACME, sid, there.generation())).isTrue();
    }

    private boolean status(FinalStatus status) {
        return new CallEnding(
                        world.table.calls(),
                        world.table.containers(),
                        world.table.announcements(),
                        world.table.conversations(),
                        world.table.journal())
                .end(ACME, CALL, status, seconds(60));
    }

    @ParameterizedTest
    @EnumSource(value = Outcome.class, mode = EnumSource.Mode.EXCLUDE, names = "DEFERRED_EXPIRED")
    void a_caller_ends_once(Outcome outcome) {
        Container free = ready(PoolId.GATEWAY, "gw1");
        FinalStatus status = switch (outcome) {
            case COMPLETED -> {
                arrive(free);
                talk();
                yield FinalStatus.COMPLETED;
            }
            case REFUSED -> {
                arrive(withCalls(free, Sample.BLOOM, 100, LIMIT));
                assertThat(attempt(CALL.value()).cause()).contains(Cause.FULL);
                yield FinalStatus.COMPLETED;
            }
            case SETUP_FAILED -> {
                arrive(free);
                yield FinalStatus.FAILED;
            }
            case ABANDONED -> {
                arrive(free);
                yield FinalStatus.COMPLETED;
            }
            case CANCELED -> {
                arrive(free);
                yield FinalStatus.CANCELED;
            }
            case LOST -> {
                arrive(free);
                talk();
                yield FinalStatus.FAILED;
            }
            case DEFERRED_EXPIRED -> throw new IllegalArgumentException("no caller is deferred");
        };
        assertThat(attempt(CALL.value()).isOpen()).isTrue();

        assertThat(status(status)).isTrue();

        Attempt ended = endedOnce(CALL.value(), outcome);
        for (FinalStatus again : FinalStatus.values()) {
            assertThat(status(again)).isFalse();
        }
        assertThat(world.table.calls().end(ACME, CALL, Outcome.LOST, seconds(61)))
                .isFalse();
        assertThat(endedOnce(CALL.value(), outcome)).isEqualTo(ended);
    }

    // Jobs

    private Answer.Stream answered() {
        DialAnswering.Said said = world.answering.answer(JOB, world.dialOf(JOB), world.made(0), seconds(5));
        return (Answer.Stream) ((DialAnswering.Said.Told) said).answer();
    }

    private void dial() {
        world.table.put(ready(ACME_POOL, "a1"));
        world.table.put(job(1));
        world.run(NOW);
    }

    private void jobStatus(String status, Generation generation) {
        world.ending.status(JOB, generation, world.made(0), status, seconds(60));
    }

    @ParameterizedTest
    @EnumSource(Outcome.class)
    void a_job_ends_once(Outcome outcome) {
        switch (outcome) {
            case COMPLETED -> {
                dial();
                connect(world.made(0), answered());
                jobStatus("completed", world.dialOf(JOB));
            }
            case REFUSED -> {
                OutboundPolicy before = policy(3, 0);
                world = new OutboundWorld(new OutboundPolicy(
                        3,
                        0,
                        100,
                        1,
                        1000,
                        Map.of(),
                        before.countries(),
                        Set.of("hash of " + job(1).to()),
                        before.warmth()));
                dial();
                assertThat(attempt(JOB.value()).cause()).contains(Cause.SUPPRESSED);
                assertThat(attempt(JOB.value()).slots().orElseThrow().limit()).isEqualTo(LIMIT);
            }
            case DEFERRED_EXPIRED -> {
                world.table.put(job(1));
                world.run(NOW);
                assertThat(attempt(JOB.value()).cause()).contains(Cause.STARTING);
                assertThat(attempt(JOB.value()).slots().orElseThrow().limit()).isZero();
                world.run(seconds(3600));
            }
            case SETUP_FAILED -> {
                world.twilio.weather(Weather.REFUSED_FOR_GOOD);
                dial();
            }
            case ABANDONED -> {
                dial();
                jobStatus("no-answer", world.dialOf(JOB));
            }
            case CANCELED -> {
                world.table.put(job(1));
                world.canceling.cancel(Sample.tenant(ACME), JOB, NOW);
            }
            case LOST -> {
                dial();
                connect(world.made(0), answered());
                jobStatus("failed", world.dialOf(JOB));
            }
        }

        Attempt ended = endedOnce(JOB.value(), outcome);
        world.canceling.cancel(Sample.tenant(ACME), JOB, seconds(70));
        world.upkeep.visit(ACME, seconds(80));
        if (!world.twilio.made().isEmpty()) {
            FINAL.forEach(again -> jobStatus(again, world.dialOf(JOB)));
        }
        assertThat(world.progress.end(job(1), Outcome.LOST, "by one who knows no better", seconds(90)))
                .isFalse();
        assertThat(endedOnce(JOB.value(), outcome)).isEqualTo(ended);
    }

    // Any order

    /** Every order in which the five can come. */
    private static List<List<String>> orders() {
        List<List<String>> orders = new ArrayList<>(List.of(List.of()));
        for (String status : FINAL) {
            List<List<String>> longer = new ArrayList<>();
            for (List<String> order : orders) {
                for (int i = 0; i <= order.size(); i++) {
                    longer.add(Stream.of(order.subList(0, i), List.of(status), order.subList(i, order.size()))
                            .flatMap(List::stream)
                            .toList());
                }
            }
            orders = longer;
        }
        return orders;
    }

    @Test
    void whatever_comes_after_a_callers_final_status_in_whatever_order_changes_nothing() {
        assertThat(orders()).hasSize(120);
        for (List<String> order : orders()) {
            world = new OutboundWorld(policy(3, 0));
            arrive(ready(PoolId.GATEWAY, "gw1"));
            talk();
            status(FinalStatus.parse(order.getFirst()).orElseThrow());
            Attempt ended = attempt(CALL.value());
            Object gateway = world.table.look(PoolId.GATEWAY, container("gw1"));

            for (String again : twice(order)) {
                status(FinalStatus.parse(again).orElseThrow());
            }

            assertThat(endedOnce(CALL.value(), Objects.requireNonNull(ended.outcome())))
                    .as("order " + order)
                    .isEqualTo(ended);
            assertThat(world.table.look(PoolId.GATEWAY, container("gw1"))).isEqualTo(gateway);
        }
    }

    @Test
    void whatever_comes_after_a_jobs_final_status_in_whatever_order_changes_nothing() {
        for (List<String> order : orders()) {
            world = new OutboundWorld(policy(3, 0));
            dial();
            Generation generation = world.dialOf(JOB);
            jobStatus(order.getFirst(), generation);
            Attempt ended = attempt(JOB.value());
            assertThat(world.claims()).isEmpty();

            for (String again : twice(order)) {
                jobStatus(again, generation);
            }
            jobStatus("ringing", generation);

            assertThat(endedOnce(JOB.value(), Objects.requireNonNull(ended.outcome())))
                    .as("order " + order)
                    .isEqualTo(ended);
            assertThat(world.claims()).isEmpty();
            assertThat(world.outbound().calls()).isEmpty();
        }
    }

    private static List<String> twice(List<String> order) {
        List<String> all = new ArrayList<>(order);
        List<String> reversed = new ArrayList<>(order);
        Collections.reverse(reversed);
        all.addAll(reversed);
        return all;
    }
}
