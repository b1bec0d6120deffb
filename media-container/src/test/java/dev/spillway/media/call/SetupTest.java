package dev.spillway.media.call;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.Webhook;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One setup, one budget: the configuration may use all of it, a container part of what is left. */
class SetupTest {
    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final CountDownLatch answer = new CountDownLatch(1);

    @AfterEach
    void letGo() {
        answer.countDown();
    }

    @Test
    void a_configuration_that_takes_the_whole_budget_ends_in_503_and_nothing_is_claimed() {
        TwilioTokens hanging = new TwilioTokens() {
            @Override
            public List<String> of(Tenant tenant) {
                awaitLatch(answer);
                return List.of(Rig.TOKEN);
            }

            @Override
            public void refresh(Tenant tenant) {}
        };
        try (Rig rig = Rig.of(table, clock, ACME_POOL, "c1")
                .tokens(hanging)
                .budget(new SetupBudget(Duration.ofMillis(200), Duration.ofMillis(100)))
                .start()) {
            assertThat(voice(rig, 1).statusCode()).isEqualTo(503);
            assertThat(table.operations().writes()).isZero();
            assertThat(rig.admission().report(0).isQuiet()).isTrue();
            assertThat(table.written("refused").getLast().fields().get("reason"))
                    .startsWith("the tenant or its tokens cannot be read")
                    .contains("no answer within");
        }
    }

    @Test
    void a_tenant_that_was_never_read_is_waited_for_and_one_that_was_is_not() {
        try (Patience patience = new Patience(Duration.ofMillis(50))) {
            Personas personas = new Personas(table.tenants(), patience);
            table.operations().on(Operation.TENANTS_FIND, 1, Moment.BEFORE, () -> awaitLatch(answer));
            var first = CompletableFuture.supplyAsync(() -> personas.find(ACME, Duration.ofSeconds(30)));
            await().until(() -> table.operations().count(Operation.TENANTS_FIND) == 1);
            // what a caller waits for anything else is over meanwhile
            table.operations().on(Operation.TENANTS_FIND, 1, Moment.BEFORE, () -> awaitLatch(answer));
            assertThatThrownBy(() -> personas.find(ACME)).isInstanceOf(DependencyException.class);
            assertThat(first).isNotDone();
            answer.countDown();
            assertThat(first.join()).isPresent();

            table.operations().on(Operation.TENANTS_FIND, 1, Moment.BEFORE, () -> awaitLatch(new CountDownLatch(1)));
            assertThat(personas.find(ACME, Duration.ofSeconds(30)))
                    .as("the last reading will do")
                    .isPresent();
        }
    }

    @Test
    void a_claim_is_waited_for_only_as_long_as_a_container_may_take_and_then_owed() {
        try (Rig rig = Rig.of(table, clock, ACME_POOL, "c1")
                .budget(new SetupBudget(Duration.ofSeconds(12), Duration.ofMillis(100)))
                .start()) {
            table.operations().on(Operation.CONTAINERS_CLAIM, 1, Moment.BEFORE, () -> awaitLatch(answer));
            assertThat(voice(rig, 1).statusCode()).isEqualTo(200);
            assertThat(table.written("claim-owed")).hasSize(1);
            assertThat(rig.item().claims()).isEmpty();
            rig.heart().beat();
            assertThat(rig.item().claims()).containsOnlyKeys(call(1));
        }
    }

    @Test
    void a_repeated_webhook_waits_no_longer_for_the_first_ones_claim_than_a_container_may_take() {
        try (Rig rig = Rig.of(table, clock, ACME_POOL, "c1")
                .budget(new SetupBudget(Duration.ofSeconds(12), Duration.ofSeconds(1)))
                .start()) {
            // The first webhook was admitted, and its claim is never settled.
            rig.admission().admit(call(1), ACME, () -> generation(1, 1), NOW.plusSeconds(60), NOW);
            assertThat(voice(rig, 1).statusCode()).isEqualTo(503);
            assertThat(rig.admission().used()).isEqualTo(1);
            assertThat(table.written("refused").getLast().fields())
                    .containsEntry("reason", "the first webhook of this call is not answered yet");
        }
    }

    @Test
    void a_claim_whose_reply_is_lost_is_one_claim() {
        try (Rig rig = Rig.of(table, clock, ACME_POOL, "c1").start()) {
            table.operations().fail(Operation.CONTAINERS_CLAIM, 1, Moment.AFTER);
            assertThat(voice(rig, 1).statusCode()).isEqualTo(200);
            assertThat(rig.item().claims()).hasSize(1);
            var written = rig.claim(call(1));
            rig.heart().beat();
            assertThat(rig.item().claims()).hasSize(1);
            assertThat(rig.claim(call(1)).generation()).isEqualTo(written.generation());
            assertThat(rig.admission().owing()).isEmpty();
        }
    }

    @Test
    void a_slot_that_the_call_before_gave_back_is_told_as_taken_again() {
        try (Rig rig = Rig.of(table, clock, ACME_POOL, "c1").start()) {
            assertThat(voice(rig, 1).statusCode()).isEqualTo(200);
            assertThat(table.containers()
                            .end(
                                    ACME_POOL,
                                    rig.item().id(),
                                    call(1),
                                    rig.claim(call(1)).generation()))
                    .isTrue();
            assertThat(voice(rig, 2).statusCode()).isEqualTo(200);

            assertThat(table.written("slot-reused")).singleElement().satisfies(entry -> {
                assertThat(entry.fields()).containsEntry("tenant", "acme").containsEntry("callSid", call(2).value());
                assertThat(entry.metrics()).isEqualTo(Map.of(Metric.SLOT_REUSE_SECONDS, 0.0));
            });
        }
    }

    private static HttpResponse<String> voice(Rig rig, int n) {
        return Webhook.post(rig.http("/voice"), Webhook.form(call(n).value()));
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
