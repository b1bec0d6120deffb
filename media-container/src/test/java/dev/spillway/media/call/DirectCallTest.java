package dev.spillway.media.call;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestStream;
import dev.spillway.media.rig.Webhook;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DirectCallTest {
    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final Rig rig = Rig.of(table, clock, ACME_POOL, "c1").start();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void a_call_goes_from_the_webhook_to_the_hang_up_and_leaves_nothing() {
        HttpResponse<String> answer = voice(1);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-type")).hasValue("text/xml; charset=utf-8");
        assertThat(answer.body()).contains("<Redirect").contains("/twilio/continue/acme/1#ct=1000");

        TestStream stream =
                TestStream.open(rig.ws(Webhook.streamPath(answer.body()))).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        assertThat(rig.claim(call(1)).phase()).isEqualTo(Claim.Phase.CONNECTED);
        assertThat(table.look(ACME, call(1)).connectedHop()).isEqualTo(1);
        assertThat(rig.admission().report(0).live()).isEqualTo(1);

        stream.frames(20, true).frames(15, false);
        await().until(() -> stream.marks().contains("persona:acme:answer"));
        stream.press("#");
        await().until(() -> stream.marks().contains("persona:acme:farewell"));
        assertThat(stream.awaitClosed().code()).isEqualTo(1000);

        await().until(() -> rig.item().claims().isEmpty());
        await().until(() -> rig.admission().report(0).isQuiet());
        assertThat(table.look(ACME, call(1)).finished()).isTrue();
    }

    @Test
    void the_same_webhook_twice_gets_the_same_answer_and_one_claim() {
        assertThat(voice(1).body()).isEqualTo(voice(1).body());
        assertThat(rig.item().claims()).hasSize(1);
        assertThat(table.operations().count(Operation.CONTAINERS_CLAIM)).isEqualTo(1);
        await().until(() -> table.attempts() == 1);
    }

    @Test
    void the_same_webhook_at_the_same_time_waits_for_the_first_ones_claim() throws Exception {
        CountDownLatch claiming = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        table.operations().on(Operation.CONTAINERS_CLAIM, 1, Moment.BEFORE, () -> {
            claiming.countDown();
            awaitLatch(go);
        });
        var first = CompletableFuture.supplyAsync(() -> voice(1));
        claiming.await();
        var second = CompletableFuture.supplyAsync(() -> voice(1));
        assertThat(rig.admission().report(0).setups()).isEqualTo(1);
        go.countDown();
        assertThat(first.get().body()).isEqualTo(second.get().body());
        assertThat(rig.item().claims()).hasSize(1);
    }

    @Test
    void one_write_and_no_read_of_the_call_come_before_the_answer() {
        voice(1);
        List<Operation> log = table.operations().log();
        assertThat(log.subList(0, log.indexOf(Operation.CONTAINERS_CLAIM) + 1))
                .containsExactly(Operation.TENANTS_FIND, Operation.CONTAINERS_CLAIM);
    }

    @Test
    void the_seventh_call_is_told_503_and_nothing_is_written() {
        for (int n = 1; n <= 6; n++) {
            assertThat(voice(n).statusCode()).isEqualTo(200);
        }
        await().until(() -> table.attempts() == 6);
        table.operations().clearLog();
        assertThat(voice(7).statusCode()).isEqualTo(503);
        assertThat(Webhook.get(rig.http("/health")).statusCode()).isEqualTo(503);
        assertThat(table.operations().writes()).isZero();
    }

    @Test
    void a_full_container_stays_a_target_of_the_load_balancer_and_a_draining_one_does_not() {
        for (int n = 1; n <= 6; n++) {
            voice(n);
        }
        assertThat(Webhook.get(rig.http("/health")).statusCode()).isEqualTo(503);
        assertThat(Webhook.get(rig.http("/target")).statusCode()).isEqualTo(200);
        rig.admission().close("draining");
        assertThat(Webhook.get(rig.http("/target")).statusCode()).isEqualTo(503);
        rig.admission().open();
        assertThat(Webhook.get(rig.http("/target")).statusCode()).isEqualTo(200);
    }

    @Test
    void calls_at_the_same_moment_never_get_more_slots_than_there_are() {
        List<CompletableFuture<Integer>> answers = IntStream.rangeClosed(1, 20)
                .mapToObj(n -> CompletableFuture.supplyAsync(() -> voice(n).statusCode()))
                .toList();
        assertThat(answers.stream().map(CompletableFuture::join).filter(status -> status == 200))
                .hasSize(6);
        assertThat(rig.item().claims()).hasSize(6);
    }

    @Test
    void a_draining_container_answers_503_at_once() {
        rig.admission().close("draining");
        assertThat(voice(1).statusCode()).isEqualTo(503);
        assertThat(Webhook.get(rig.http("/health")).statusCode()).isEqualTo(503);
        assertThat(table.operations().writes()).isZero();
    }

    @Test
    void while_memory_is_short_the_answer_is_503_health_says_why_and_the_report_too() {
        voice(1);
        rig.headroom(40);
        HttpResponse<String> refused = voice(2);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).startsWith("short of memory: 40 MB left");
        HttpResponse<String> health = Webhook.get(rig.http("/health"));
        assertThat(health.statusCode()).isEqualTo(503);
        assertThat(health.body()).isEqualTo("short of memory: 40 MB left, and new calls need 64 MB\n");
        assertThat(table.written("refused").getLast().fields().get("reason")).startsWith("short of memory");
        rig.heart().beat();
        assertThat(rig.item().report().shortOfMemory()).isTrue();
        assertThat(rig.item().free(NOW)).as("free to the functions").isZero();
        // The stream of the call that was admitted before is let in.
        TestStream stream =
                TestStream.open(rig.ws(Webhook.streamPath(voice(1).body()))).start(call(1).value(), "acme");
        await().until(() -> stream.marks().contains("persona:acme:greeting"));
        rig.headroom(65);
        assertThat(voice(2).statusCode()).isEqualTo(200);
    }

    @Test
    void when_the_table_refuses_the_claim_the_answer_is_503_and_the_slot_is_free() {
        table.containers()
                .become(ACME_POOL, rig.id(), ContainerState.READY, ContainerState.DRAINING, true, "idle", NOW);
        assertThat(voice(1).statusCode()).isEqualTo(503);
        assertThat(rig.admission().used()).isZero();
    }

    @Test
    void without_the_table_calls_are_admitted_up_to_the_limit_and_written_before_the_next_heartbeat() {
        voice(1);
        await().until(() -> table.attempts() == 1);
        table.operations().failAll(operation -> true);
        for (int n = 2; n <= 6; n++) {
            assertThat(voice(n).statusCode()).as("call " + n).isEqualTo(200);
        }
        assertThat(voice(7).statusCode()).isEqualTo(503);
        assertThat(rig.item().claims()).hasSize(1);
        rig.heart().beat();
        assertThat(rig.heart().failed()).isEqualTo(1);

        table.operations().heal();
        table.operations().clearLog();
        rig.heart().beat();
        assertThat(rig.item().claims()).hasSize(6);
        List<Operation> log = table.operations().log();
        assertThat(log.lastIndexOf(Operation.CONTAINERS_ADMIT)).isLessThan(log.indexOf(Operation.CONTAINERS_HEARTBEAT));
        assertThat(table.attempts()).isEqualTo(6);
    }

    @Test
    void a_wrong_signature_a_foreign_number_and_a_missing_call_are_refused_and_nothing_is_written() {
        Map<String, String> form = Webhook.form(call(1).value());
        assertThat(Webhook.post(rig.http("/voice"), form, "bm90IHNpZ25lZA==").statusCode())
                .isEqualTo(403);
        assertThat(Webhook.post(rig.http("/voice"), form, "").statusCode()).isEqualTo(403);
        assertThat(Webhook.post(rig.http("/voice"), with(form, "To", "+15005550009"))
                        .statusCode())
                .isEqualTo(403);
        assertThat(Webhook.post(rig.http("/voice"), with(form, "CallSid", "nonsense"))
                        .statusCode())
                .isEqualTo(400);
        assertThat(Webhook.post(rig.http("/voice"), with(form, "AccountSid", "AC11111111111111111111111111111111"))
                        .statusCode())
                .isEqualTo(403);
        assertThat(table.operations().writes()).isZero();
        assertThat(table.written("refused")).hasSize(5);
        assertThat(rig.admission().used()).isZero();
    }

    @Test
    void a_form_that_names_a_parameter_twice_or_is_no_form_is_refused_and_nothing_is_written() {
        Map<String, String> form = Webhook.form(call(1).value());
        String signature = Webhook.sign(Rig.TOKEN, Rig.VOICE_URL, form);
        String body = form.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        assertThat(posted(body + "&To=%2B15005550009", "application/x-www-form-urlencoded", signature))
                .isEqualTo(400);
        assertThat(posted(body + "&x=%zz", "application/x-www-form-urlencoded", signature))
                .isEqualTo(400);
        assertThat(posted(body, "application/x-www-form-urlencodedx", signature))
                .isEqualTo(415);
        assertThat(table.operations().writes()).isZero();
        assertThat(table.written("refused")).hasSize(3);
        assertThat(rig.admission().used()).isZero();
    }

    private int posted(String body, String type, String signature) {
        return Webhook.send(HttpRequest.newBuilder(rig.http("/voice"))
                        .header("Content-Type", type)
                        .header("X-Twilio-Signature", signature)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build())
                .statusCode();
    }

    @Test
    void a_wrong_method_a_wrong_type_and_a_large_body_are_refused() {
        assertThat(Webhook.get(rig.http("/voice")).statusCode()).isEqualTo(405);
        assertThat(Webhook.send(HttpRequest.newBuilder(rig.http("/voice"))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                .build())
                        .statusCode())
                .isEqualTo(415);
        HttpResponse<String> large = Webhook.send(HttpRequest.newBuilder(rig.http("/voice"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[1 << 20]))
                .build());
        assertThat(large.statusCode()).isEqualTo(413);
        assertThat(large.body()).isEqualTo("request too large\n");
        assertThat(table.written("refused")).hasSize(3);
    }

    @Test
    void the_gateway_has_no_webhook() {
        try (Rig gateway = Rig.of(table, clock, PoolId.GATEWAY, "g1").start()) {
            assertThat(Webhook.post(gateway.http("/voice"), Webhook.form(call(1).value()))
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void health_is_capacity_and_live_is_life() {
        assertThat(Webhook.get(rig.http("/health")).statusCode()).isEqualTo(200);
        rig.admission().close("draining");
        assertThat(Webhook.get(rig.http("/health")).statusCode()).isEqualTo(503);
        assertThat(Webhook.get(rig.http("/live")).statusCode()).isEqualTo(200);
        assertThat(Webhook.get(rig.http("/live/c1")).body()).contains("\"container\":\"c1\"");
        assertThat(Webhook.get(rig.http("/nowhere")).statusCode()).isEqualTo(404);
    }

    @Test
    void a_question_for_another_container_is_passed_on_once() {
        try (Rig other = Rig.of(table, clock, ACME_POOL, "c2").start()) {
            assertThat(Webhook.get(rig.http("/live/c2")).body()).contains("\"container\":\"c2\"");
            assertThat(Webhook.get(rig.http("/live/c3")).statusCode()).isEqualTo(404);
            HttpRequest relayed = HttpRequest.newBuilder(other.http("/live/c1"))
                    .header("x-spillway-relayed", "1")
                    .build();
            assertThat(Webhook.send(relayed).statusCode()).isEqualTo(404);
        }
        assertThat(Webhook.get(rig.http("/live/c2")).statusCode()).isEqualTo(504);
    }

    @Test
    void a_claim_that_was_released_before_its_stream_came_is_forgotten() {
        voice(1);
        CallSid sid = call(1);
        clock.advance(Duration.ofSeconds(5));
        table.containers().release(ACME_POOL, rig.id(), sid, rig.claim(sid).generation());
        rig.heart().beat();
        assertThat(rig.admission().used()).isZero();
    }

    @Test
    void a_claim_whose_stream_never_comes_is_taken_back_after_its_token_expired() {
        voice(1);
        clock.advance(Duration.ofSeconds(89));
        rig.heart().beat();
        assertThat(rig.item().claims()).hasSize(1);
        clock.advance(Duration.ofSeconds(2));
        rig.heart().beat();
        assertThat(rig.item().claims()).isEmpty();
        assertThat(rig.admission().report(0).isQuiet()).isTrue();
    }

    private HttpResponse<String> voice(int n) {
        return Webhook.post(rig.http("/voice"), Webhook.form(Sample.call(n).value()));
    }

    private static Map<String, String> with(Map<String, String> form, String name, String value) {
        Map<String, String> changed = new HashMap<>(form);
        changed.put(name, value);
        return changed;
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
