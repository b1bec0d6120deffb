package dev.spillway.localcloud.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.localcloud.twilio.Application.Received;
import dev.spillway.localcloud.twilio.CallHistory.PersonaMark;
import dev.spillway.localcloud.twilio.CallScript.Ending;
import dev.spillway.localcloud.twilio.CallScript.Keys;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MediaStreamTest {
    private static final CallScript SHORT_TURNS = CallScript.ofTurns(2).withUtterance(Duration.ofMillis(200));
    private static final Duration SLOW = Duration.ofMillis(100);
    private static final CallScript ONE_SHORT_TURN = CallScript.ofTurns(1).withUtterance(Duration.ofMillis(200));

    private final Application application = new Application();
    private final StreamServer server = new StreamServer();

    @AfterEach
    void close() {
        application.close();
        server.close();
    }

    /** Greets, answers when the caller has been quiet for 100 ms after speaking, and announces each utterance. */
    private StreamServer.Behaviour agent(String tenant, int greetingFrames) {
        var spoke = new AtomicInteger();
        var quiet = new AtomicInteger();
        return (connection, message) -> {
            switch (message.path("event").asText()) {
                case "start" -> {
                    connection.mark("persona:" + tenant + ":greeting");
                    connection.tone(greetingFrames);
                }
                case "media" -> {
                    boolean audible = Mulaw.audible(Base64.getDecoder()
                            .decode(message.at("/media/payload").asText()));
                    quiet.set(audible ? 0 : quiet.get() + 1);
                    spoke.addAndGet(audible ? 1 : 0);
                    if (spoke.get() > 0 && quiet.get() == 5) {
                        spoke.set(0);
                        connection.mark("persona:" + tenant + ":answer");
                        connection.tone(10);
                    }
                }
                default -> {}
            }
        };
    }

    @Test
    void the_messages_are_those_of_media_streams() throws Exception {
        server.on("/s", agent("acme", 10));
        application.twiml(
                "/voice",
                "<Connect><Stream url=\"" + server.url("/s")
                        + "?stripped=1\"><Parameter name=\"token\" value=\"abc\"/></Stream></Connect>");

        Call call = Application.toItsEnd(application.call(SHORT_TURNS.withKeys(new Keys(1, "4#"))));

        var connection = server.connections.getFirst();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> !connection.events("stop").isEmpty());
        List<JsonNode> messages = connection.messages;
        assertThat(messages.getFirst().toString())
                .isEqualTo("{\"event\":\"connected\",\"protocol\":\"Call\",\"version\":\"1.0.0\"}");
        JsonNode start = messages.get(1);
        assertThat(start.path("sequenceNumber").asText()).isEqualTo("1");
        assertThat(start.path("streamSid").asText()).matches("MZ[0-9a-f]{32}");
        assertThat(start.at("/start/callSid").asText()).isEqualTo(call.sid());
        assertThat(start.at("/start/accountSid").asText()).isEqualTo(Application.ACCOUNT);
        assertThat(start.at("/start/tracks/0").asText()).isEqualTo("inbound");
        assertThat(start.at("/start/customParameters/token").asText()).isEqualTo("abc");
        assertThat(start.at("/start/mediaFormat").toString())
                .isEqualTo("{\"encoding\":\"audio/x-mulaw\",\"sampleRate\":8000,\"channels\":1}");
        List<JsonNode> media = connection.events("media");
        assertThat(media).hasSizeGreaterThan(20).allSatisfy(frame -> {
            assertThat(frame.at("/media/track").asText()).isEqualTo("inbound");
            assertThat(frame.at("/media/chunk").isTextual()).isTrue();
            assertThat(Base64.getDecoder().decode(frame.at("/media/payload").asText()))
                    .hasSize(160);
        });
        assertThat(media.stream().map(frame -> frame.at("/media/chunk").asText()))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, media.size())
                        .mapToObj(Integer::toString)
                        .toList());
        assertThat(media.get(9).at("/media/timestamp").asText()).isEqualTo("180");
        assertThat(messages.stream()
                        .skip(1)
                        .map(message -> message.path("sequenceNumber").asInt()))
                .containsExactlyElementsOf(
                        IntStream.range(1, messages.size()).boxed().toList());
        assertThat(connection.events("dtmf").stream()
                        .map(message -> message.at("/dtmf/digit").asText()))
                .containsExactly("4", "#");
        assertThat(connection.events("stop").getFirst().at("/stop/callSid").asText())
                .isEqualTo(call.sid());
        assertThat(connection.signature).isNull();
        assertThat(call.endReason()).hasValue(EndReason.CALLER_HUNG_UP);
        assertThat(call.history().streams().getFirst().ending()).hasValue(StreamEnding.STOPPED);
        assertThat(call.history().streams().getFirst().framesSent()).isEqualTo(media.size());
    }

    @Test
    void a_conversation_is_measured_turn_by_turn() throws Exception {
        server.on("/s", agent("acme", 10));
        application.twiml("/voice", Application.stream(server.url("/s")));

        Call call = Application.toItsEnd(application.call(SHORT_TURNS));

        CallHistory history = call.history();
        assertThat(history.turns()).hasSize(2);
        assertThat(history.turns()).allSatisfy(turn -> {
            assertThat(turn.responseLatency()).isPresent();
            assertThat(turn.responseLatency().orElseThrow()).isPositive();
            assertThat(turn.cutMediaAfterClear()).isZero();
        });
        assertThat(history.personas().stream().map(PersonaMark::kind)).containsExactly("greeting", "answer", "answer");
        assertThat(history.personas()).allMatch(mark -> mark.tenant().equals("acme"));
        assertThat(call.timeToFirstAudio()).isPresent();
        byte[] greeting = new byte[1_600];
        for (int i = 0; i < 1_600; i++) {
            greeting[i] = Base64.getDecoder().decode(Mulaw.speechPayload(0))[i % 160];
        }
        assertThat(history.greetingSha256(1_600))
                .hasValue(HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(greeting)));
    }

    @Test
    void marks_come_back_after_their_audio_and_at_once_after_a_clear() throws Exception {
        var clearedAt = new AtomicInteger(-1);
        server.on("/s", (connection, message) -> {
            switch (message.path("event").asText()) {
                case "start" -> {
                    connection.mark("at once");
                    connection.tone(10);
                    connection.mark("played");
                    connection.tone(1_000);
                    connection.mark("cleared");
                }
                case "mark" -> {
                    if (message.at("/mark/name").asText().equals("played")) {
                        clearedAt.set(connection.events("media").size());
                        connection.clear();
                    } else if (message.at("/mark/name").asText().equals("cleared")) {
                        connection.close(1000);
                    }
                }
                default -> {}
            }
        });
        application.twiml("/voice", Application.stream(server.url("/s")) + "<Hangup/>");

        Call call = application.callToItsEnd();

        assertThat(server.connections.getFirst().events("mark").stream()
                        .map(message -> message.at("/mark/name").asText()))
                .containsExactly("at once", "played", "cleared");
        assertThat(clearedAt.get()).isGreaterThanOrEqualTo(9);
        assertThat(call.history().streams().getFirst().clears()).isEqualTo(1);
        assertThat(call.history().streams().getFirst().marks()).containsExactly("at once", "played", "cleared");
    }

    @Test
    void what_twilio_does_not_understand_is_noted_once_and_the_stream_goes_on() throws Exception {
        server.on("/s", (connection, message) -> {
            if (message.path("event").asText().equals("start")) {
                connection.raw("{");
                connection.raw("{\"event\":\"speak\"}");
                connection.binary();
                connection.tone(5);
                connection.mark("after");
            } else if (message.path("event").asText().equals("mark")) {
                connection.close(1000);
            }
        });
        application.twiml("/voice", Application.stream(server.url("/s")) + "<Hangup/>");

        Call call = application.callToItsEnd();

        assertThat(call.history().problemCodes()).containsExactly(31951, 31921);
        assertThat(call.history().streams().getFirst().badMessages()).isEqualTo(3);
    }

    @Test
    void a_stream_closed_by_the_server_continues_with_the_next_verb() throws Exception {
        server.on("/one", (connection, message) -> {
            if (message.path("event").asText().equals("start")) {
                connection.close(1000);
            }
        });
        server.on("/two", agent("acme", 10));
        application
                .twiml(
                        "/voice",
                        "<Connect><Stream url=\"" + server.url("/one")
                                + "\" statusCallback=\"/stream-status\"/></Connect><Redirect>/continue</Redirect>")
                .twiml("/continue", Application.stream(server.url("/two")))
                .twiml("/stream-status", "");

        Call call = Application.toItsEnd(application.call(SHORT_TURNS));

        assertThat(call.history().streams().getFirst().ending()).hasValue(StreamEnding.SERVER_CLOSED);
        assertThat(call.history().streams().getFirst().detail()).isEqualTo("1000 bye");
        assertThat(call.history().movedAt()).hasSize(1);
        assertThat(call.history().turns()).hasSize(2);
        await().atMost(Duration.ofSeconds(10))
                .until(() -> application.received("/stream-status").size() == 3);
        assertThat(application.received("/stream-status"))
                .allMatch(Received::signed)
                .extracting(told -> told.fields().get("StreamEvent"))
                .containsExactlyInAnyOrder("stream-started", "stream-error", "stream-stopped");
        assertThat(application.received("/stream-status"))
                .allMatch(told -> call.sid().equals(told.fields().get("CallSid")))
                .anyMatch(told -> told.fields().getOrDefault("StreamError", "").startsWith("31921"));
    }

    @Test
    void an_interruption_is_measured_up_to_the_new_answer() throws Exception {
        var interrupted = new AtomicBoolean();
        server.on("/s", (connection, message) -> {
            switch (message.path("event").asText()) {
                case "start" -> {
                    connection.mark("persona:acme:greeting");
                    connection.tone(500);
                }
                case "media" -> {
                    boolean audible = Mulaw.audible(Base64.getDecoder()
                            .decode(message.at("/media/payload").asText()));
                    if (audible && interrupted.compareAndSet(false, true)) {
                        connection.clear();
                        connection.tone(1); // one message of the old answer comes too late
                        connection.mark("persona:acme:answer");
                        connection.tone(40);
                    }
                }
                default -> {}
            }
        });
        application.twiml("/voice", Application.stream(server.url("/s")));

        Call call = Application.toItsEnd(application.call(CallScript.ofTurns(1)
                .withUtterance(Duration.ofMillis(400))
                .withBargeIn(new CallScript.BargeIn(0, Duration.ofMillis(300)))));

        var turn = call.history().turns().getFirst();
        assertThat(turn.bargeIn()).isTrue();
        assertThat(turn.cutMediaAfterClear()).isEqualTo(1);
        assertThat(turn.heardWhileSpeaking()).isPositive();
        assertThat(call.endReason()).hasValue(EndReason.CALLER_HUNG_UP);
    }

    @Test
    void silence_while_an_answer_is_due_is_counted_across_a_move() throws Exception {
        server.on("/mute", (connection, message) -> {
            if (message.path("event").asText().equals("start")) {
                connection.tone(10);
            } else if (connection.events("media").size() == 100) { // 2 s: the caller has spoken at 0.6 s
                connection.close(1000);
            }
        });
        server.on("/two", agent("acme", 10));
        application
                .twiml("/voice", Application.stream(server.url("/mute")) + "<Redirect>/continue</Redirect>")
                .twiml("/continue", Application.stream(server.url("/two")));

        Call call = Application.toItsEnd(application.call(SHORT_TURNS));

        assertThat(call.history().gaps()).hasSize(1);
        assertThat(call.history().longestSilence())
                .isEqualTo(call.history().gaps().getFirst().length());
        assertThat(CallTimeline.of(call))
                .anyMatch(line -> line.contains("silent for"))
                .anyMatch(line -> line.contains("acme speaks: greeting"))
                .noneMatch(line -> line.contains(Application.CALLER));
        assertThat(application.twilio.streamsOpen()).isZero();
    }

    @Test
    void a_silence_lasts_until_the_agent_is_heard_however_often_the_caller_asks_again() throws Exception {
        // two seconds pass before the caller asks again, and as many before he would do so once more
        server.on("/slow", once(2, 5, connection -> connection.tone(10)));
        application.twiml("/voice", Application.stream(server.url("/slow")));

        Call call = Application.toItsEnd(application.call(ONE_SHORT_TURN.withRepeatAfter(Duration.ofSeconds(2))));

        assertThatTheCallerAskedAgainWithinAGap(call);
    }

    @Test
    void a_silence_goes_on_over_a_repeat_on_a_line_that_was_cut() throws Exception {
        // the line is dead for two seconds, and the caller asks again every half second
        server.on("/mute", once(1, 5, connection -> connection.close(1000)));
        server.on("/two", agent("acme", 10));
        application
                .twiml(
                        "/voice",
                        Application.stream(server.url("/mute")) + "<Pause length=\"2\"/><Redirect>/continue</Redirect>")
                .twiml("/continue", Application.stream(server.url("/two")));

        Call call = Application.toItsEnd(application.call(ONE_SHORT_TURN.withRepeatAfter(Duration.ofMillis(500))));

        assertThat(call.history().turns().getFirst().repeats()).isPositive();
        Moment left = call.history().streams().getFirst().endedAt().orElseThrow();
        Moment opened = call.history().streams().getLast().openedAt().orElseThrow();
        assertThat(call.history().gaps()).anySatisfy(gap -> {
            assertThat(left.since(gap.from())).isPositive();
            assertThat(opened.since(gap.from())).isLessThan(gap.length());
        });
    }

    /**
     * Greets, and does something once: at the silent frame of that number, from 1, after the caller has spoken so many times.
     * Both are counted in what was heard, so that a slow machine changes nothing.
     */
    private static StreamServer.Behaviour once(int speeches, int silentFrames, Consumer<StreamServer.Connection> then) {
        var speaking = new AtomicBoolean();
        var ended = new AtomicInteger();
        var silent = new AtomicInteger();
        return (connection, message) -> {
            if (message.path("event").asText().equals("start")) {
                connection.tone(10);
            } else if (message.path("event").asText().equals("media")) {
                boolean audible = Mulaw.audible(
                        Base64.getDecoder().decode(message.at("/media/payload").asText()));
                if (speaking.getAndSet(audible) && !audible) {
                    ended.incrementAndGet();
                    silent.set(0);
                }
                if (!audible && ended.get() == speeches && silent.incrementAndGet() == silentFrames) {
                    then.accept(connection);
                }
            }
        };
    }

    private static void assertThatTheCallerAskedAgainWithinAGap(Call call) {
        CallHistory.Turn turn = call.history().turns().getFirst();
        assertThat(turn.repeats()).isPositive();
        Moment asked = Objects.requireNonNull(turn.lastSpeechSentAt());
        assertThat(call.history().gaps())
                .anySatisfy(
                        gap -> assertThat(asked.since(gap.from())).isPositive().isLessThan(gap.length()));
    }

    @Test
    void a_move_is_timed_at_the_socket_without_its_webhook_and_an_utterance_that_it_cuts_is_seen() throws Exception {
        server.on("/one", (connection, message) -> {
            if (message.path("event").asText().equals("start")) {
                connection.mark("persona:acme:greeting");
                connection.tone(10);
                connection.mark("end:1");
            } else if (message.at("/mark/name").asText().equals("end:1")) { // the greeting was heard
                connection.mark("persona:acme:answer");
                connection.tone(100);
                connection.mark("end:2");
                connection.close(1000); // two seconds of the answer are still to be heard
            }
        });
        server.on("/two", (connection, message) -> {
            if (message.path("event").asText().equals("start")) {
                connection.mark("persona:acme:resume");
                connection.tone(10);
                connection.mark("end:1");
            }
        });
        application
                .twiml("/voice", Application.stream(server.url("/one")) + "<Redirect>/continue</Redirect>")
                .answer("/continue", request -> {
                    slept();
                    return Application.xml("<Response>" + Application.stream(server.url("/two")) + "</Response>");
                });

        Call call = Application.toItsEnd(application.call(CallScript.lasting(Duration.ofSeconds(3))));

        assertThat(call.history().utterances())
                .extracting(Utterance::kind, Utterance::frames, Utterance::whole, Utterance::cut)
                .containsExactly(
                        tuple("greeting", 10, true, false),
                        tuple("answer", 100, false, true),
                        tuple("resume", 10, true, false));
        assertThat(call.history().utterances().getFirst().words())
                .isEqualTo(call.history().utterances().getLast().words());
        assertThat(call.history().moves()).singleElement().satisfies(move -> {
            assertThat(move.handedOver()).isTrue();
            assertThat(move.webhooks()).isGreaterThanOrEqualTo(SLOW);
            Duration whole = Objects.requireNonNull(move.heardAt()).since(move.leftAt());
            assertThat(move.gap()).contains(whole.minus(move.webhooks()));
        });
    }

    /** A call whose agent has only begun to say something of ten seconds. */
    private Call inMidAnswer() {
        server.on("/s", (connection, message) -> {
            if (message.path("event").asText().equals("start")) {
                connection.mark("persona:acme:answer");
                connection.tone(500);
                connection.mark("end:1");
            }
        });
        application.twiml("/voice", Application.stream(server.url("/s")));
        Call call = application.call();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> call.history().utterances().stream().anyMatch(utterance -> utterance.frames() == 500));
        return call;
    }

    @Test
    void a_caller_who_hangs_up_in_mid_answer_was_not_cut_off() throws Exception {
        Call call = inMidAnswer();

        call.hangUp();

        assertThat(Application.toItsEnd(call).endReason()).hasValue(EndReason.CALLER_HUNG_UP);
        assertThat(call.history().streams().getFirst().ending()).hasValue(StreamEnding.STOPPED);
        assertThat(call.history().utterances()).singleElement().satisfies(answer -> {
            assertThat(answer.whole()).isFalse();
            assertThat(answer.cut()).isFalse();
        });
    }

    @Test
    void an_update_in_mid_answer_cuts_the_caller_off() throws Exception {
        Call call = inMidAnswer();

        assertThat(call.divertIf(CallStatus.IN_PROGRESS, new Step.End(EndReason.COMPLETED_BY_REST)))
                .isTrue();

        Application.toItsEnd(call);
        assertThat(call.history().streams().getFirst().ending()).hasValue(StreamEnding.STOPPED);
        assertThat(call.history().utterances())
                .singleElement()
                .satisfies(answer -> assertThat(answer.cut()).isTrue());
    }

    /** A webhook that takes its time. */
    private static void slept() {
        java.util.concurrent.locks.LockSupport.parkNanos(SLOW.plusMillis(50).toNanos());
    }

    @Test
    void three_hundred_streams_share_one_audio_thread() throws Exception {
        var frames = new AtomicInteger();
        server.on("/s", (connection, message) -> {
            if (message.path("event").asText().equals("media")) {
                frames.incrementAndGet();
            }
        });
        application.twiml("/voice", Application.stream(server.url("/s")));
        List<Call> calls = IntStream.range(0, 300)
                .mapToObj(i -> application.call(CallScript.of(new Ending.After(Duration.ofSeconds(6)))))
                .toList();

        await().atMost(Duration.ofSeconds(30)).until(() -> server.connections.size() == 300);
        for (Call call : calls) {
            Application.toItsEnd(call);
        }

        assertThat(calls).allMatch(call -> call.endReason().equals(java.util.Optional.of(EndReason.CALLER_HUNG_UP)));
        assertThat(frames.get()).isGreaterThan(300 * 50);
    }
}
