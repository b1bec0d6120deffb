package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.media.bot.BotLimits;
import dev.spillway.media.bot.Bots;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestBot;
import dev.spillway.media.rig.TestStream;
import dev.spillway.media.rig.Webhook;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A bot that stops listening while its container runs. */
class BotWatchTest {
    private final MemoryTable table = Rig.table();
    private final TestBot bot = new TestBot().greeting(1);

    @SuppressWarnings("NullAway.Init")
    private Rig rig;

    @BeforeEach
    void begin() {
        Tenant acme = Sample.tenant(ACME);
        Persona spoken = new Persona(Persona.UPSTREAM, "plain", "Hello.", "Where were we?", "Goodbye.");
        table.put(new Tenant(acme.id(), acme.numbers(), acme.accountSid(), acme.secretName(), spoken));
        rig = rig(Duration.ZERO);
    }

    /** @param firstAnswer zero for a bot that waits for the caller */
    private Rig rig(Duration firstAnswer) {
        BotLimits patient = new BotLimits(
                Duration.ofSeconds(60),
                firstAnswer,
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofMillis(500),
                64 * 1024,
                1024 * 1024);
        return Rig.of(table, new HandClock(NOW), ACME_POOL, "c1")
                .bots(new Bots(bot.bot(), patient, List.of()))
                .start();
    }

    @AfterEach
    void close() {
        rig.close();
        bot.close();
    }

    @Test
    void after_three_calls_that_could_not_reach_it_no_other_is_let_in_until_it_answers() {
        // given a call that talks with the bot
        TestStream talking = open(1);
        await().until(() -> talking.count("media") == 1);
        // when the bot takes no further stream
        bot.refuse(true);
        refusedCall(2);
        refusedCall(3);
        assertThat(rig.admission().refusal()).isEmpty();
        refusedCall(4);
        // then new calls are refused, and whoever routes them knows
        await().until(() -> rig.admission().refusal().isPresent());
        assertThat(rig.admission().refusal()).contains("the bot cannot be reached");
        assertThat(Webhook.get(rig.http("/health")).statusCode()).isEqualTo(503);
        assertThat(Webhook.get(rig.http("/target")).statusCode()).isEqualTo(503);
        rig.heart().beat();
        assertThat(rig.item().report().agentMissing()).isTrue();
        assertThat(rig.item().free(NOW)).isZero();
        assertThat(table.written("alert")).hasSize(1);
        assertThat(table.written("alert").getFirst().fields()).containsEntry("alert", "bot-missing");
        assertThat(table.written("alert").getFirst().metrics()).containsKey(Metric.ALERTS);
        // and the call that is here goes on
        bot.say(1, "more");
        await().until(() -> talking.count("media") == 2);
        assertThat(talking.isClosed()).isFalse();
        // when it takes streams again
        bot.refuse(false);
        // then so does the container
        await().until(() -> rig.admission().refusal().isEmpty());
        assertThat(table.written("bot-back")).hasSize(1);
        assertThat(Webhook.get(rig.http("/target")).statusCode()).isEqualTo(200);
        rig.heart().beat();
        assertThat(rig.item().report().agentMissing()).isFalse();
    }

    @Test
    void a_bot_that_takes_each_stream_and_closes_it_at_once_is_not_reached_and_its_callers_go_on_elsewhere() {
        bot.doing((closing, message) -> {
            if (message.path("event").asText().equals("start")) {
                closing.close(1_000);
            }
        });
        for (int n = 1; n <= 3; n++) {
            refusedCall(n);
        }
        await().until(() -> !table.written("alert").isEmpty());
        assertThat(table.written("alert").getFirst().fields())
                .containsEntry("alert", "bot-missing")
                .hasEntrySatisfying("reason", reason -> assertThat(reason).contains("closed with 1000"));
    }

    @Test
    void a_text_that_is_no_bots_before_it_closes_takes_no_call() {
        bot.doing((closing, message) -> {
            if (message.path("event").asText().equals("start")) {
                closing.send("{\"message\":\"Bad Gateway\"}");
                closing.send("{\"event\":\"error\"}");
                closing.close(1_000);
            }
        });
        refusedCall(1);
    }

    @Test
    void a_bot_that_takes_its_calls_and_stays_mute_is_like_one_that_takes_none() {
        rig.close();
        rig = rig(Duration.ofMillis(2_200)); // longer than any bot needs that closes at once
        bot.doing((mute, message) -> {});
        rig.watch().refused("gone");
        rig.watch().refused("gone");
        refusedCall(1);
        await().until(() -> !table.written("alert").isEmpty());
        assertThat(table.written("alert").getFirst().fields())
                .hasEntrySatisfying("reason", reason -> assertThat(reason).contains("said nothing for 2200 ms"));
    }

    @Test
    void what_nobody_hears_is_no_answer() {
        rig.close();
        rig = rig(Duration.ofMillis(300));
        bot.doing((mute, message) -> {
            if (message.path("event").asText().equals("start")) {
                mute.send("{\"event\":\"clear\",\"streamSid\":\"MZ1\"}");
                mute.send("{\"event\":\"mark\",\"streamSid\":\"MZ1\",\"mark\":{\"name\":\"nothing\"}}");
            }
        });
        rig.watch().refused("gone");
        rig.watch().refused("gone");
        refusedCall(1);
        await().until(() -> !table.written("alert").isEmpty());
    }

    @Test
    void a_bot_that_waits_for_its_caller_is_not_refused_and_is_reached_when_it_speaks() {
        bot.doing((waiting, message) -> {
            if (message.path("event").asText().equals("dtmf")) {
                waiting.say(1, "answered");
            }
        });
        rig.watch().refused("gone");
        rig.watch().refused("gone");
        TestStream talking = open(1);
        await().until(() -> bot.count("start") == 1);
        assertThat(table.written("alert")).isEmpty();
        talking.press("1");
        await().until(() -> talking.count("media") == 1);
        rig.watch().refused("gone");
        rig.watch().refused("gone");
        assertThat(table.written("alert")).isEmpty();
    }

    @Test
    void a_hang_up_is_a_word_too_and_may_be_the_first() {
        rig.watch().refused("gone");
        rig.watch().refused("gone");
        bot.doing((declining, message) -> {
            if (message.path("event").asText().equals("start")) {
                declining.send("{\"event\":\"hangup\"}");
                declining.close(1_000);
            }
        });
        assertThat(open(1).awaitClosed().code()).isEqualTo(1_000);
        assertThat(table.look(ACME, call(1)).finished()).isTrue();
        assertThat(table.written("bot-broke")).isEmpty();
        rig.watch().refused("gone");
        rig.watch().refused("gone");
        assertThat(table.written("alert")).isEmpty();
    }

    @Test
    void one_refused_call_is_enough_after_the_bot_has_only_said_that_it_takes_streams() {
        for (int i = 0; i < 3; i++) {
            rig.watch().refused("gone");
        }
        assertThat(table.written("alert")).hasSize(1);
        await().until(() -> table.written("bot-back").size() == 1);
        rig.watch().refused("it takes the stream and fails at its start");
        assertThat(table.written("alert")).hasSize(2);
        // and a call that it takes shows that it is well
        await().until(() -> table.written("bot-back").size() == 2);
        rig.watch().reached();
        rig.watch().refused("gone");
        rig.watch().refused("gone");
        assertThat(table.written("alert")).hasSize(2);
    }

    @Test
    void a_bot_that_takes_streams_and_answers_no_call_is_believed_ever_less_often() {
        assertThat(BotWatch.before(BotWatch.PAUSE, 1)).hasSeconds(2);
        assertThat(BotWatch.before(BotWatch.PAUSE, 2)).hasSeconds(4);
        assertThat(BotWatch.before(BotWatch.PAUSE, 5)).hasSeconds(32);
        assertThat(BotWatch.before(BotWatch.PAUSE, 6)).hasSeconds(60);
        assertThat(BotWatch.before(BotWatch.PAUSE, 1_000)).hasSeconds(60);
    }

    @Test
    void a_call_that_reaches_it_begins_the_count_anew() {
        bot.refuse(true);
        refusedCall(1);
        refusedCall(2);
        bot.refuse(false);
        TestStream talking = open(3);
        await().until(() -> talking.count("media") == 1);
        bot.refuse(true);
        refusedCall(4);
        refusedCall(5);
        assertThat(rig.admission().refusal()).isEmpty();
        assertThat(table.written("alert")).isEmpty();
    }

    private void refusedCall(int n) {
        assertThat(open(n).awaitClosed().code()).isEqualTo(1_001);
    }

    private TestStream open(int n) {
        Answer.Stream answer = new Answer.Stream(ACME_POOL, rig.id(), generation(1, n), NOW.plusSeconds(60), NOW);
        table.containers()
                .claim(ACME_POOL, rig.id(), call(n), Claim.reserved(answer.generation(), ACME, NOW, NOW), 6, NOW);
        table.put(Call.placedDirectly(ACME, call(n), answer));
        return TestStream.open(rig.ws(rig.path(ACME, call(n), answer))).start(call(n).value(), "acme");
    }
}
