package dev.spillway.media.wire;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Persona.Bot;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.media.bot.BotLimits;
import dev.spillway.media.bot.Bots;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.HeldConversations;
import dev.spillway.media.rig.Rig;
import dev.spillway.media.rig.TestBot;
import dev.spillway.media.rig.TestState;
import dev.spillway.media.rig.TestStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A bot of the tenant's own answers. */
class BotTalkTest {
    /** Nothing runs out while a test of something else is slow. */
    private static final BotLimits PATIENT = limits(60_000, 0, 60_000, 60_000);

    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(NOW);
    private final TestBot bot = new TestBot();
    private @Nullable Rig started;

    private static BotLimits limits(int connect, int firstAnswer, int silence, int stall) {
        return new BotLimits(
                Duration.ofMillis(connect),
                Duration.ofMillis(firstAnswer),
                Duration.ofMillis(silence),
                Duration.ofMillis(stall),
                Duration.ofMillis(500),
                64 * 1024,
                1024 * 1024);
    }

    private MemoryTable upstream() {
        Tenant acme = Sample.tenant(ACME);
        Persona spoken = new Persona(Persona.UPSTREAM, "plain", "Hello.", "Where were we?", "Goodbye.");
        table.put(new Tenant(acme.id(), acme.numbers(), acme.accountSid(), acme.secretName(), spoken));
        return table;
    }

    private Rig rig(Bot where, BotLimits limits) {
        return rig(where, limits, table.conversations());
    }

    private Rig rig(Bot where, BotLimits limits, Conversations conversations) {
        Rig rig = Rig.of(upstream(), clock, ACME_POOL, "c1")
                .bots(new Bots(where, limits, List.of("+1500555")))
                .conversations(conversations)
                .start();
        started = rig;
        return rig;
    }

    @AfterEach
    void close() {
        if (started != null) {
            started.close();
        }
        bot.close();
    }

    @Test
    void twilios_messages_reach_the_bot_as_they_came_and_the_bots_reach_twilio() {
        bot.greeting(3);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        stream.frames(5, true).press("7");
        await().until(() -> stream.count("media") == 3 && stream.count("mark") == 1);
        await().until(() -> bot.count("dtmf") == 1 && bot.count("mark") == 1);
        assertThat(bot.events()).startsWith("connected", "start").contains("media", "dtmf", "mark");
        assertThat(bot.count("media")).isEqualTo(5);
        var start = bot.received().get(1).path("start");
        assertThat(start.path("callSid").asText()).isEqualTo(call(1).value());
        assertThat(start.path("customParameters").path("opening").asText()).isEqualTo("greeting");
        assertThat(start.path("mediaFormat").path("encoding").asText()).isEqualTo("audio/x-mulaw");
        assertThat(bot.received().stream()
                        .filter(message -> message.path("event").asText().equals("dtmf"))
                        .map(message -> message.path("dtmf").path("digit").asText()))
                .containsExactly("7");
        assertThat(stream.audio()).hasSize(480);
    }

    @Test
    void the_end_of_the_call_reaches_the_bot_and_frees_the_slot() {
        bot.greeting(1);
        Rig rig = rig(bot.bot(), PATIENT);
        TestStream stream = open(rig);
        await().until(() -> stream.count("media") == 1);
        stream.stop();
        await().until(() -> bot.count("stop") == 1 && bot.closes().equals(List.of(1_000)));
        await().until(() -> rig.item().claims().isEmpty());
    }

    @Test
    void a_stream_that_breaks_is_told_to_the_bot_as_an_end() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("media") == 1);
        stream.close();
        await().until(() -> bot.count("stop") == 1);
        assertThat(bot.received().getLast().path("stop").path("callSid").asText())
                .isEqualTo(call(1).value());
    }

    @Test
    void when_the_bot_dies_the_call_is_given_back_and_not_ended() {
        bot.greeting(1);
        Rig rig = rig(bot.bot(), PATIENT);
        TestStream stream = open(rig);
        await().until(() -> stream.count("media") == 1);
        bot.kill();
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
        await().until(() -> rig.item().claims().isEmpty());
        assertThat(table.look(ACME, call(1)).finished()).isFalse();
        assertThat(table.written("bot-broke")).hasSize(1);
    }

    @Test
    void a_bot_that_closes_because_it_restarts_has_not_finished_the_call() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("media") == 1);
        bot.close(1_012);
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
        assertThat(table.look(ACME, call(1)).finished()).isFalse();
    }

    @Test
    void a_bot_that_closes_in_order_has_finished_the_call_once_its_last_word_is_heard() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("media") == 1);
        bot.say(10, "farewell");
        bot.close(1_000);
        assertThat(stream.awaitClosed().code()).isEqualTo(1_000);
        assertThat(stream.count("media")).isEqualTo(11);
        assertThat(table.look(ACME, call(1)).finished()).isTrue();
    }

    @Test
    void a_bot_that_closes_in_order_and_was_never_heard_has_failed_however_long_it_had_the_call() {
        bot.doing((failing, message) -> {
            if (message.path("event").asText().equals("start")) {
                CompletableFuture.delayedExecutor(2_200, TimeUnit.MILLISECONDS).execute(() -> failing.close(1_000));
            }
        });
        TestStream stream = open(rig(bot.bot(), PATIENT));
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
        assertThat(table.look(ACME, call(1)).finished()).isFalse();
        assertThat(reason()).contains("closed with 1000");
    }

    @Test
    void a_bot_that_only_cleared_and_closes_in_order_has_failed() {
        bot.doing((failing, message) -> {
            if (message.path("event").asText().equals("start")) {
                failing.send("{\"event\":\"clear\",\"streamSid\":\"MZ1\"}");
                failing.close(1_000);
            }
        });
        TestStream stream = open(rig(bot.bot(), PATIENT));
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
        assertThat(table.look(ACME, call(1)).finished()).isFalse();
    }

    @Test
    void a_bot_may_hang_up_with_a_word() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("media") == 1);
        bot.send("{\"event\":\"hangup\"}");
        assertThat(stream.awaitClosed().code()).isEqualTo(1_000);
        assertThat(table.look(ACME, call(1)).finished()).isTrue();
        assertThat(stream.received())
                .noneMatch(message -> message.path("event").asText().equals("hangup"));
    }

    @Test
    void a_bot_may_give_the_call_to_another_number_and_the_slot_is_free() {
        bot.greeting(1);
        Rig rig = rig(bot.bot(), PATIENT);
        TestStream stream = open(rig);
        await().until(() -> stream.count("media") == 1);
        bot.send("{\"event\":\"transfer\",\"transfer\":{\"number\":\"+15005550009\"}}");
        assertThat(stream.awaitClosed().code()).isEqualTo(1_000);
        await().until(() -> rig.item().claims().isEmpty());
        Call given = table.look(ACME, call(1));
        assertThat(given.hop()).isEqualTo(2);
        assertThat(given.current()).contains(new Answer.Transfer("+15005550009", NOW));
        assertThat(given.isOver()).isFalse();
        assertThat(table.written()).noneMatch(entry -> entry.toString().contains("+1500"));
    }

    @Test
    void a_transfer_that_cannot_be_is_told_to_the_bot_and_the_conversation_goes_on() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("media") == 1);
        bot.send("{\"event\":\"transfer\",\"transfer\":{\"number\":\"the boss\"}}");
        await().until(() -> bot.count("transfer-refused") == 1);
        // A number of another country than those that are allowed.
        bot.send("{\"event\":\"transfer\",\"transfer\":{\"number\":\"+4900000000\"}}");
        await().until(() -> bot.count("transfer-refused") == 2);
        bot.say(1, "after");
        await().until(() -> stream.count("media") == 2);
        assertThat(table.look(ACME, call(1)).hop()).isEqualTo(1);
    }

    private static final String TRANSFER = "{\"event\":\"transfer\",\"transfer\":{\"number\":\"+15005550009\"}}";

    @Test
    void a_transfer_of_which_nobody_knows_whether_it_was_written_leaves_the_call_to_the_next_webhook() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("media") == 1);
        table.operations().failAll(Operation.CALLS_PLACE::equals);
        bot.send(TRANSFER);
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
        assertThat(bot.count("transfer-refused")).isZero();
        assertThat(table.written("transfer-unknown")).hasSize(1);
        assertThat(table.look(ACME, call(1)).finished()).isFalse();
    }

    @Test
    void a_transfer_that_was_written_though_its_reply_was_lost_is_one() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("media") == 1);
        table.operations().fail(Operation.CALLS_PLACE, 1, Moment.AFTER);
        bot.send(TRANSFER);
        assertThat(stream.awaitClosed().code()).isEqualTo(1_000);
        assertThat(bot.count("transfer-refused")).isZero();
        assertThat(table.look(ACME, call(1)).current()).contains(new Answer.Transfer("+15005550009", NOW));
    }

    @Test
    void a_table_that_does_not_answer_at_all_keeps_no_caller_waiting_for_a_transfer() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("media") == 1);
        CountDownLatch never = new CountDownLatch(1);
        table.operations().on(Operation.CALLS_PLACE, 1, Moment.BEFORE, () -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        bot.send(TRANSFER);
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
        assertThat(table.written("transfer-unknown")).hasSize(1);
        never.countDown();
    }

    @Test
    void a_call_that_went_on_elsewhere_is_not_transferred_and_the_bot_is_told() {
        bot.greeting(1);
        Rig rig = rig(bot.bot(), PATIENT);
        TestStream stream = open(rig);
        await().until(() -> stream.count("media") == 1);
        table.calls().place(ACME, call(1), 1, answer(rig, 2));
        bot.send(TRANSFER);
        await().until(() -> bot.count("transfer-refused") == 1);
        assertThat(stream.isClosed()).isFalse();
    }

    @Test
    void a_call_whose_last_word_is_being_heard_is_not_handed_over() {
        bot.greeting(1);
        Rig rig = Rig.of(upstream(), clock, ACME_POOL, "c1")
                .bots(new Bots(bot.bot(), PATIENT, List.of("+1500555")))
                .limits(StreamLimits.standard(Duration.ofMillis(50)))
                .start();
        started = rig;
        TestStream stream = open(rig);
        await().until(() -> stream.count("media") == 1);
        // One second of farewell; the hand-off would wait for a twentieth of it.
        bot.say(50, "farewell");
        bot.send("{\"event\":\"hangup\"}");
        await().until(() -> table.look(ACME, call(1)).finished());
        rig.streams().handOff(generation(1, 1));
        assertThat(stream.awaitClosed().code()).isEqualTo(1_000);
        assertThat(table.written("stream-closed").getLast().fields().get("reason"))
                .isEqualTo("the conversation is finished");
    }

    @Test
    void a_bot_that_is_not_there_gives_the_call_back() throws IOException {
        int nobody;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = closed.getLocalPort();
        }
        Bot missing = new Bot(URI.create("ws://127.0.0.1:" + nobody + "/ws"), null);
        TestStream stream = open(rig(missing, PATIENT));
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
        assertThat(reason()).contains("cannot be reached");
    }

    @Test
    void a_personas_bot_is_not_reached_on_the_containers_own_loopback() {
        Tenant acme = Sample.tenant(ACME);
        Persona spoken = new Persona(Persona.UPSTREAM, "plain", "Hello.", "Where were we?", "Goodbye.", bot.bot());
        table.put(new Tenant(acme.id(), acme.numbers(), acme.accountSid(), acme.secretName(), spoken));
        Rig rig = Rig.of(table, clock, ACME_POOL, "c1")
                .bots(new Bots(null, PATIENT, List.of()))
                .start();
        started = rig;
        TestStream stream = open(rig);
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
        assertThat(reason()).contains("no address that may be asked");
        assertThat(bot.streams()).isZero();
    }

    @Test
    void a_bot_that_does_not_answer_the_handshake_is_waited_for_as_long_as_the_connection_may_take()
            throws IOException {
        try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Bot there = new Bot(URI.create("ws://127.0.0.1:" + mute.getLocalPort() + "/ws"), null);
            TestStream stream = open(rig(there, limits(100, 0, 60_000, 60_000)));
            assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
            assertThat(reason()).contains("100 ms");
        }
    }

    @Test
    void a_bot_that_refuses_the_handshake_gives_the_call_back() {
        Bot elsewhere = new Bot(bot.url().resolve("/no-such-path"), null);
        TestStream stream = open(rig(elsewhere, PATIENT));
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
    }

    @Test
    void a_bot_that_never_says_anything_leaves_nobody_in_silence() {
        TestStream stream = open(rig(bot.bot(), limits(60_000, 100, 60_000, 60_000)));
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
        assertThat(reason()).contains("said nothing for 100 ms");
    }

    @Test
    void a_frozen_bot_is_noticed_by_the_pings_that_it_does_not_answer() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), limits(60_000, 0, 600, 60_000)));
        await().until(() -> stream.count("media") == 1);
        bot.freeze(true);
        assertThat(stream.awaitClosed().code()).isEqualTo(1_001);
        assertThat(reason()).contains("no ping");
    }

    @Test
    void a_bot_that_does_not_read_slows_twilio_down_and_loses_nothing() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("media") == 1);
        bot.freeze(true);
        // When half of them are sent, 420 kB are on their way: more than fits between here and a bot that does not
        // read.
        int all = 2_400;
        AtomicInteger sent = new AtomicInteger();
        Thread.ofVirtual().start(() -> {
            for (int i = 0; i < all; i++) {
                stream.frames(1, false);
                sent.incrementAndGet();
            }
        });
        await().until(() -> sent.get() >= all / 2);
        bot.freeze(false);
        await().atMost(Duration.ofSeconds(30)).until(() -> bot.count("media") == all);
    }

    @Test
    void a_bot_that_takes_nothing_for_too_long_gives_the_call_back() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), limits(60_000, 0, 60_000, 200)));
        await().until(() -> stream.count("media") == 1);
        bot.freeze(true);
        Thread.ofVirtual().start(() -> {
            try {
                stream.frames(40_000, false);
            } catch (CompletionException e) {
                // the stream was closed meanwhile, as it should be
            }
        });
        assertThat(stream.awaitClosed().code()).isIn(1_001, 1_006);
        await().until(() -> !table.written("bot-broke").isEmpty());
        assertThat(reason()).contains("took nothing");
    }

    @Test
    void a_caller_that_is_not_reached_slows_the_bot_down_and_loses_nothing() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("mark") == 1);
        stream.pause(true);
        int sent = 0;
        while (bot.isWritable() && sent < 200_000) {
            bot.say(1, "m" + sent);
            sent++;
        }
        assertThat(sent).isLessThan(200_000);
        stream.pause(false);
        int all = sent + 1;
        await().atMost(Duration.ofSeconds(30)).until(() -> stream.count("media") == all);
    }

    @Test
    void a_message_that_twilio_would_not_take_is_dropped_with_one_line() {
        bot.greeting(1);
        TestStream stream = open(rig(bot.bot(), PATIENT));
        await().until(() -> stream.count("media") == 1);
        bot.send("{\"event\":\"metrics\"}");
        bot.send("nonsense");
        bot.say(1, "after");
        await().until(() -> stream.count("media") == 2);
        assertThat(stream.received())
                .noneMatch(message -> message.path("event").asText().equals("metrics"));
        assertThat(table.written("bot-message-dropped")).hasSize(1);
    }

    @Test
    void a_call_that_comes_back_is_told_to_the_bot_as_one_that_goes_on() {
        bot.greeting(1);
        again(began(rig(bot.bot(), PATIENT)));
        await().until(() -> bot.count("start") == 1);
        assertThat(lastStart().path("customParameters").path("opening").asText())
                .isEqualTo("resume");
    }

    @Test
    void a_conversation_goes_with_its_call_and_is_gone_when_it_ends() {
        bot.greeting(1);
        try (TestState state = new TestState("turn one")) {
            Rig rig = rig(new Bot(bot.url(), state.url()), PATIENT);
            TestStream first = open(rig);
            await().until(() -> first.count("media") == 1);
            rig.streams().handOff(generation(1, 1));
            assertThat(first.awaitClosed().code()).isEqualTo(1_000);
            await().until(() -> bot.count("stop") == 1);
            assertThat(kept()).isEqualTo("turn one");

            TestStream second = again(rig);
            await().until(() -> bot.count("start") == 2);
            assertThat(state.put()).containsExactly("/calls/" + call(1).value() + " turn one");
            assertThat(lastStart().path("customParameters").path("conversation").asText())
                    .isEqualTo("restored");
            second.stop();
            await().until(() -> bot.count("stop") == 2);
            assertThat(kept()).as("a stream's end may be a move").isEqualTo("turn one");
            new CallEnding(
                            table.calls(),
                            table.containers(),
                            table.announcements(),
                            table.conversations(),
                            table.journal())
                    .end(ACME, call(1), FinalStatus.COMPLETED, NOW);
            assertThat(kept()).isEmpty();
        }
    }

    @Test
    void a_conversation_that_cannot_be_restored_begins_politely_anew_and_says_so() {
        bot.greeting(1);
        try (TestState state = new TestState("turn one")) {
            state.refuse();
            Rig rig = rig(new Bot(bot.url(), state.url()), PATIENT);
            TestStream first = open(rig);
            await().until(() -> first.count("media") == 1);
            rig.streams().handOff(generation(1, 1));
            assertThat(first.awaitClosed().code()).isEqualTo(1_000);
            again(rig);
            await().until(() -> bot.count("start") == 2);
            assertThat(lastStart().path("customParameters").path("opening").asText())
                    .isEqualTo("resume");
            assertThat(lastStart().path("customParameters").path("conversation").asText())
                    .isEqualTo("lost");
            assertThat(table.written("conversation-lost")).hasSize(1);
            assertThat(table.written("conversation-unsaved")).isNotEmpty();
        }
    }

    @Test
    void a_bot_whose_state_never_comes_after_its_headers_holds_no_hand_off_up() {
        bot.greeting(1);
        try (TestState state = new TestState("turn one").stall()) {
            Rig rig = rig(new Bot(bot.url(), state.url()), PATIENT);
            TestStream first = open(rig);
            await().until(() -> first.count("media") == 1);
            rig.streams().handOff(generation(1, 1));
            assertThat(first.awaitClosed().code()).isEqualTo(1_000);
            assertThat(kept()).isEmpty();
            assertThat(table.written("conversation-unsaved").getFirst().toString())
                    .contains("1000 ms");
        }
    }

    @Test
    void a_conversation_that_is_too_large_is_not_kept_and_holds_nothing_up() {
        bot.greeting(1);
        try (TestState state = new TestState("x".repeat(200_001))) {
            Rig rig = rig(new Bot(bot.url(), state.url()), PATIENT);
            TestStream first = open(rig);
            await().until(() -> first.count("media") == 1);
            rig.streams().handOff(generation(1, 1));
            assertThat(first.awaitClosed().code()).isEqualTo(1_000);
            assertThat(kept()).isEmpty();
            assertThat(String.valueOf(table.written("conversation-unsaved")
                            .getFirst()
                            .fields()
                            .get("reason")))
                    .contains("200000 bytes");
        }
    }

    @Test
    void a_table_that_does_not_answer_keeps_no_caller_in_silence_and_the_bot_begins_anew() {
        bot.greeting(1);
        table.conversations().keep(ACME, call(1), 1, "turn one".getBytes(StandardCharsets.UTF_8), NOW);
        try (TestState state = new TestState("turn one");
                HeldConversations held = new HeldConversations(table.conversations())) {
            held.holdFinds();
            again(began(rig(new Bot(bot.url(), state.url()), PATIENT, held)));
            await().until(() -> bot.count("start") == 1);
            assertThat(lastStart().path("customParameters").path("conversation").asText())
                    .isEqualTo("lost");
            assertThat(table.written("conversation-lost"))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.toString()).contains("the table"));
            // What comes too late is not given to a bot that has begun anew.
            held.release();
            await().until(() -> held.found() == 1);
            bot.say(1, "more");
            await().until(() -> bot.count("mark") == 2);
            assertThat(state.put()).isEmpty();
        }
    }

    @Test
    void a_slow_table_and_a_slow_bot_have_one_second_together_to_bring_a_conversation_back() {
        bot.greeting(1);
        table.conversations().keep(ACME, call(1), 1, "turn one".getBytes(StandardCharsets.UTF_8), NOW);
        try (TestState state = new TestState("turn one").stallPuts();
                HeldConversations held = new HeldConversations(table.conversations())) {
            held.slowFinds(Duration.ofMillis(850));
            Rig rig = began(rig(new Bot(bot.url(), state.url()), PATIENT, held));
            long opened = System.nanoTime();
            again(rig);
            await().until(() -> bot.count("start") == 1);
            // One after the other they would have had 1,850 ms.
            assertThat(Duration.ofNanos(System.nanoTime() - opened)).isLessThan(Duration.ofMillis(1_750));
            assertThat(lastStart().path("customParameters").path("conversation").asText())
                    .isEqualTo("lost");
        }
    }

    @Test
    void a_table_that_takes_nothing_holds_no_hand_off_up() {
        bot.greeting(1);
        try (TestState state = new TestState("turn one");
                HeldConversations held = new HeldConversations(table.conversations())) {
            held.holdKeeps();
            Rig rig = rig(new Bot(bot.url(), state.url()), PATIENT, held);
            TestStream stream = open(rig);
            await().until(() -> stream.count("media") == 1);
            rig.streams().handOff(generation(1, 1));
            assertThat(stream.awaitClosed().code()).isEqualTo(1_000);
        }
    }

    @Test
    void a_slow_save_does_not_land_after_a_newer_one_and_what_is_newest_is_kept_in_the_end() {
        bot.greeting(1);
        try (TestState state = new TestState("turn one");
                HeldConversations held = new HeldConversations(table.conversations())) {
            held.holdKeeps();
            Rig rig = rig(new Bot(bot.url(), state.url()), PATIENT, held);
            TestStream stream = open(rig);
            await().until(() -> stream.count("media") == 1);
            await().until(() -> held.begun() == 1);
            // when the call leaves while the first save is still on its way
            state.has("turn two");
            rig.streams().handOff(generation(1, 1));
            assertThat(stream.awaitClosed().code()).isEqualTo(1_000);
            held.release();
            // then
            await().until(() -> held.kept().size() == 2);
            assertThat(held.kept()).containsExactly("turn one", "turn two");
            assertThat(kept()).isEqualTo("turn two");
        }
    }

    @Test
    void a_save_that_failed_is_tried_again_though_nobody_speaks() {
        bot.greeting(1);
        try (TestState state = new TestState("turn one")) {
            state.refuse();
            TestStream stream = open(rig(new Bot(bot.url(), state.url()), PATIENT));
            await().until(() -> stream.count("media") == 1);
            await().until(() -> table.written("conversation-unsaved").size() == 1);
            state.accept();
            await().until(() -> kept().equals("turn one"));
        }
    }

    /** A call that was talking somewhere else. */
    private Rig began(Rig rig) {
        Answer.Stream before = answer(rig, 1);
        table.put(Call.placedDirectly(ACME, call(1), before));
        table.calls().connect(ACME, call(1), before.generation());
        return rig;
    }

    private String kept() {
        return table.conversations()
                .find(ACME, call(1))
                .map(state -> new String(state, StandardCharsets.UTF_8))
                .orElse("");
    }

    private JsonNode lastStart() {
        return bot.received().stream()
                .filter(message -> message.path("event").asText().equals("start"))
                .toList()
                .getLast()
                .path("start");
    }

    /** The call comes back, as after a hand-off. */
    private TestStream again(Rig rig) {
        Answer.Stream next = answer(rig, 2);
        table.calls().place(ACME, call(1), 1, next);
        claim(rig, next);
        return TestStream.open(rig.ws(rig.path(ACME, call(1), next))).start(call(1).value(), "acme");
    }

    private String reason() {
        return String.valueOf(table.written("bot-broke").getFirst().fields().get("reason"));
    }

    private TestStream open(Rig rig) {
        Answer.Stream answer = answer(rig, 1);
        claim(rig, answer);
        table.put(Call.placedDirectly(ACME, call(1), answer));
        return TestStream.open(rig.ws(rig.path(ACME, call(1), answer))).start(call(1).value(), "acme");
    }

    private void claim(Rig rig, Answer.Stream answer) {
        table.containers()
                .claim(ACME_POOL, rig.id(), call(1), Claim.reserved(answer.generation(), ACME, NOW, NOW), 6, NOW);
    }

    private static Answer.Stream answer(Rig rig, int hop) {
        return new Answer.Stream(ACME_POOL, rig.id(), generation(hop, 1), NOW.plusSeconds(60), NOW);
    }
}
