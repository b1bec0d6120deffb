package dev.spillway.localcloud.twilio;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Everything that happened to one call, as Twilio and the caller saw it. Every accessor answers a copy. */
public final class CallHistory {

    /** What a webhook was sent for. */
    public enum Purpose {
        VOICE,
        FALLBACK,
        REDIRECT,
        UPDATE,
        STREAM_STATUS,
        CALL_STATUS
    }

    /**
     * A webhook and its outcome.
     *
     * @param status of the answer; 0 without one
     * @param errorCode Twilio's; 0 for none
     */
    public record Webhook(
            Purpose purpose,
            String method,
            URI url,
            Map<String, String> parameters,
            Moment sentAt,
            Duration took,
            int status,
            int errorCode) {}

    /** A verb that ran. */
    public record Executed(String verb, Moment at) {}

    /** An error or warning, under Twilio's code. */
    public record Problem(int code, String text, Moment at) {}

    /** The agent's announcement of who speaks: a mark named {@code persona:{tenant}:{kind}}. */
    public record PersonaMark(String tenant, String kind, String streamSid, Moment at) {}

    /** A time in which the caller heard nothing although something was due. */
    public record Gap(Moment from, Duration length) {}

    /**
     * A turn of the caller.
     *
     * @param number from 1
     * @param bargeIn whether the caller spoke into the agent's speech on purpose
     * @param corrected whether the caller spoke once more to put right what was said
     * @param repeats how often the caller said it again for want of an answer
     * @param lastSpeechSentAt when the last audible frame went to the server
     * @param firstAnswerAt when the first audible media message after it reached the socket
     * @param heardWhileSpeaking how much of the agent's speech was played while the caller spoke
     * @param cutMediaAfterClear audible media messages of the interrupted answer received after {@code clear}, or, of an agent
     *     that announces its utterances, once the caller had finished and before another was announced
     */
    public record Turn(
            int number,
            boolean bargeIn,
            boolean corrected,
            int repeats,
            Moment startedAt,
            @Nullable Moment lastSpeechSentAt,
            @Nullable Moment firstAnswerAt,
            Duration heardWhileSpeaking,
            int cutMediaAfterClear) {

        /** From the end of the caller's speech to the first audible media message; empty without an answer. */
        public Optional<Duration> responseLatency() {
            return lastSpeechSentAt == null || firstAnswerAt == null
                    ? Optional.empty()
                    : Optional.of(firstAnswerAt.since(lastSpeechSentAt));
        }
    }

    private final List<Webhook> webhooks = new ArrayList<>();
    private final List<Executed> verbs = new ArrayList<>();
    private final List<Problem> problems = new ArrayList<>();
    private final List<PersonaMark> personas = new ArrayList<>();
    private final List<StreamHistory> streams = new ArrayList<>();
    private final List<String> spoken = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private final List<Turn> turns = new ArrayList<>();
    private final List<Utterance> utterances = new ArrayList<>();
    private Duration longestSilence = Duration.ZERO;
    private @Nullable Moment firstSpokenAt;

    public synchronized List<Webhook> webhooks() {
        return List.copyOf(webhooks);
    }

    public List<Webhook> webhooks(Purpose purpose) {
        return webhooks().stream().filter(hook -> hook.purpose() == purpose).toList();
    }

    public synchronized List<Executed> verbs() {
        return List.copyOf(verbs);
    }

    public synchronized List<Problem> problems() {
        return List.copyOf(problems);
    }

    /** The codes of all problems, in order. */
    public List<Integer> problemCodes() {
        return problems().stream().map(Problem::code).toList();
    }

    public synchronized List<PersonaMark> personas() {
        return List.copyOf(personas);
    }

    /** The media streams tried, in order. */
    public synchronized List<StreamHistory> streams() {
        return List.copyOf(streams);
    }

    /** The texts of Say, and the URLs of Play, in order. */
    public synchronized List<String> spoken() {
        return List.copyOf(spoken);
    }

    /** Silences longer than one second, in order. */
    public synchronized List<Gap> gaps() {
        return List.copyOf(gaps);
    }

    public synchronized List<Turn> turns() {
        return List.copyOf(turns);
    }

    /** The longest time in which something was due and nothing was heard, one second or not. */
    public synchronized Duration longestSilence() {
        return longestSilence;
    }

    /** When the caller's line first carried something audible: speech of an agent, or of Say or Play. */
    public synchronized Optional<Moment> firstAudioAt() {
        Moment first = firstSpokenAt;
        for (StreamHistory stream : streams) {
            Moment at = stream.firstAudioAt().orElse(null);
            if (at != null && (first == null || at.nanos() - first.nanos() < 0)) {
                first = at;
            }
        }
        return Optional.ofNullable(first);
    }

    /** When each stream after the first opened: the times at which the call was moved. */
    public List<Moment> movedAt() {
        return streams().stream()
                .flatMap(stream -> stream.openedAt().stream())
                .skip(1)
                .toList();
    }

    /** Every move of the call from one stream to the next, in order; streams that were never opened are no places. */
    public List<Move> moves() {
        List<StreamHistory> opened = streams().stream()
                .filter(stream -> stream.openedAt().isPresent())
                .toList();
        List<Move> moves = new ArrayList<>();
        for (int i = 1; i < opened.size(); i++) {
            Move.between(opened.get(i - 1), opened.get(i), webhooks()).ifPresent(moves::add);
        }
        return moves;
    }

    /** What agents said that announce their utterances, in order; the last one may still be going on. */
    public synchronized List<Utterance> utterances() {
        return List.copyOf(utterances);
    }

    /** SHA-256, in hexadecimal, of the first so many bytes (of 16,000) of the first stream that carried audio. */
    public Optional<String> greetingSha256(int bytes) {
        return streams().stream()
                .filter(stream -> stream.audioBytesReceived() > 0)
                .findFirst()
                .map(stream -> stream.audioSha256(bytes));
    }

    synchronized void webhook(Webhook webhook) {
        webhooks.add(webhook);
    }

    synchronized void verb(String verb) {
        verbs.add(new Executed(verb, Moment.now()));
    }

    synchronized void problem(int code, String text) {
        problems.add(new Problem(code, text, Moment.now()));
    }

    synchronized void persona(PersonaMark mark) {
        personas.add(mark);
    }

    synchronized void stream(StreamHistory stream) {
        streams.add(stream);
    }

    synchronized void spoken(String text) {
        spoken.add(text);
        if (firstSpokenAt == null) {
            firstSpokenAt = Moment.now();
        }
    }

    /** Records the turn, in place of what was known of it before. */
    synchronized void turn(Turn turn) {
        if (turn.number() <= turns.size()) {
            turns.set(turn.number() - 1, turn);
        } else {
            turns.add(turn);
        }
    }

    /** Records what is known of the utterance of that number, from 0, in place of what was known before. */
    synchronized void utterance(int number, Utterance utterance) {
        if (number < utterances.size()) {
            utterances.set(number, utterance);
        } else {
            utterances.add(utterance);
        }
    }

    synchronized void silence(Moment from, Duration length) {
        if (length.compareTo(longestSilence) > 0) {
            longestSilence = length;
        }
        if (length.compareTo(Duration.ofSeconds(1)) > 0) {
            gaps.add(new Gap(from, length));
        }
    }
}
