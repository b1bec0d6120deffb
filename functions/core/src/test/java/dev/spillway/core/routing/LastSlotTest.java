package dev.spillway.core.routing;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.withCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Answer;
import dev.spillway.core.contract.AtOnce;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.PoolId;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Two callers for the last slot: both have seen that it is free before either claims it. */
class LastSlotTest {
    private static final int ROUNDS = 10_000;

    @Test
    void of_two_callers_for_the_last_slot_exactly_one_gets_it_and_the_other_is_held() {
        for (int round = 1; round <= ROUNDS; round++) {
            MemoryTable table = new MemoryTable();
            table.put(acme());
            table.put(gateway());
            table.put(withCalls(ready(ACME_POOL, "a1"), ACME, 100, LIMIT - 1));
            table.put(ready(PoolId.GATEWAY, "gw1"));
            CallAnswering answering = new CallAnswering(
                    table.pools(),
                    table.containers(),
                    table.calls(),
                    table.announcements(),
                    table.generations(),
                    table.journal(),
                    Timing.STANDARD);
            CyclicBarrier bothHaveSeenIt = new CyclicBarrier(2);
            for (int claim = 1; claim <= 2; claim++) {
                table.operations()
                        .on(Operation.CONTAINERS_CLAIM, claim, Moment.BEFORE, () -> awaitOther(bothHaveSeenIt));
            }

            List<Answer> answers = AtOnce.run(
                    2, n -> answering.answer(ACME, call(n), 0, "fallback", NOW).answer());

            assertThat(answers)
                    .as("round " + round)
                    .extracting(answer -> ((Answer.Stream) answer).pool())
                    .containsExactlyInAnyOrder(ACME_POOL, PoolId.GATEWAY);
            assertThat(table.look(ACME_POOL, container("a1")).claims()).hasSize(LIMIT);
            assertThat(table.look(PoolId.GATEWAY, container("gw1")).claims()).hasSize(1);
            assertThat(List.of(last(table, 0), last(table, 1)))
                    .containsExactlyInAnyOrder(Step.Kind.ADMITTED, Step.Kind.HELD);
        }
    }

    private static Step.Kind last(MemoryTable table, int n) {
        return table.look(ACME, call(n)).story().steps().getLast().kind();
    }

    private static void awaitOther(CyclicBarrier barrier) {
        try {
            barrier.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IllegalStateException("the other request did not come", e);
        }
    }
}
