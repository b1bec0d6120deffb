package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.Webhook;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LivenessTest {
    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final Rig rig = Rig.of(table, clock, ACME_POOL, "c1").start();
    private final CountDownLatch answer = new CountDownLatch(1);

    @AfterEach
    void close() {
        answer.countDown();
        rig.close();
    }

    @Test
    void beyond_four_questions_about_others_at_once_nobody_asks_the_table() {
        for (int n = 1; n <= 4; n++) {
            table.operations().on(Operation.CONTAINERS_FIND, n, Moment.BEFORE, this::awaitAnswer);
        }
        List<CompletableFuture<Integer>> asked = new ArrayList<>();
        for (int n = 1; n <= 4; n++) {
            String path = "/live/unknown" + n;
            asked.add(CompletableFuture.supplyAsync(() -> status(path), Thread::startVirtualThread));
        }
        await().until(() -> table.operations().count(Operation.CONTAINERS_FIND) == 4);

        assertThat(status("/live/unknown5")).isEqualTo(503);
        assertThat(status("/live")).isEqualTo(200);
        assertThat(status("/live/c1")).isEqualTo(200);
        assertThat(table.operations().count(Operation.CONTAINERS_FIND)).isEqualTo(4);

        answer.countDown();
        assertThat(asked).allSatisfy(question -> assertThat(question.join()).isEqualTo(404));
        assertThat(status("/live/unknown5")).isEqualTo(404);
    }

    @Test
    void what_cannot_be_a_task_costs_no_question() {
        assertThat(status("/live/not_a_task")).isEqualTo(404);
        assertThat(status("/live/" + "a".repeat(65))).isEqualTo(404);
        assertThat(table.operations().count(Operation.CONTAINERS_FIND)).isZero();
    }

    private void awaitAnswer() {
        try {
            answer.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private int status(String path) {
        return Webhook.get(rig.http(path)).statusCode();
    }
}
