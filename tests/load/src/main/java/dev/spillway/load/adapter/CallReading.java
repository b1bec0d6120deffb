package dev.spillway.load.adapter;

import dev.spillway.load.ledger.Evidence;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.schedule.Ending;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallHistory;
import dev.spillway.localcloud.twilio.CallHistory.Purpose;
import dev.spillway.localcloud.twilio.CallHistory.Webhook;
import dev.spillway.localcloud.twilio.EndReason;
import dev.spillway.localcloud.twilio.Moment;
import dev.spillway.localcloud.twilio.Move;
import dev.spillway.localcloud.twilio.StreamHistory;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads from a call's history how it went. */
final class CallReading {
    private static final Set<Integer> REFUSALS = Set.of(429, 503);
    private static final Set<EndReason> GIVEN_UP = Set.of(
            EndReason.ABANDONED,
            EndReason.CALLER_HUNG_UP,
            EndReason.CALLEE_BUSY,
            EndReason.CALLEE_DID_NOT_ANSWER,
            EndReason.CALLEE_UNREACHABLE);

    private final Call call;
    private final CallHistory history;
    private final Operation operation;
    private final String tenant;

    CallReading(Call call, Operation operation, String tenant) {
        this.call = call;
        this.history = call.history();
        this.operation = operation;
        this.tenant = tenant;
    }

    /** @param waitNanos of an outbound call, until it was dialled */
    Evidence evidence(@Nullable URI gateway, @Nullable Long waitNanos) {
        List<Evidence.TurnSeen> turns = new ArrayList<>();
        for (CallHistory.Turn turn : history.turns()) {
            turns.add(new Evidence.TurnSeen(
                    turn.number(),
                    isCutOffByTheScript(turn) ? null : at(turn.lastSpeechSentAt()),
                    at(turn.firstAnswerAt()),
                    turn.bargeIn() ? "interrupt" : turn.corrected() ? "correct" : "speak",
                    turn.repeats(),
                    turn.cutMediaAfterClear()));
        }
        List<Evidence.Gap> gaps = history.gaps().stream()
                .map(gap -> new Evidence.Gap(
                        operation.sinceOrigin(gap.from().nanos()), gap.length().toNanos()))
                .toList();
        List<Evidence.Request> requests = history.webhooks().stream()
                .map(hook -> new Evidence.Request(
                        hook.purpose().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                        operation.sinceOrigin(hook.sentAt().nanos()),
                        hook.took().toNanos(),
                        hook.status(),
                        hook.errorCode()))
                .toList();
        return new Evidence(turns, gaps, requests, handOffs(), seen(gateway, waitNanos));
    }

    private List<Evidence.HandOff> handOffs() {
        List<Evidence.HandOff> handOffs = new ArrayList<>();
        for (Move move : history.moves()) {
            if (move.handedOver()) {
                move.gap()
                        .ifPresent(gap -> handOffs.add(new Evidence.HandOff(
                                operation.sinceOrigin(move.leftAt().nanos()), gap.toNanos())));
            }
        }
        return handOffs;
    }

    private Evidence.CallSeen seen(@Nullable URI gateway, @Nullable Long waitNanos) {
        List<StreamHistory> streams = history.streams();
        return new Evidence.CallSeen(
                call.sid(),
                tenant,
                history.movedAt().size(),
                streams.stream().mapToLong(StreamHistory::framesSent).sum(),
                streams.stream().mapToLong(StreamHistory::framesLate).sum(),
                streams.stream()
                        .mapToLong(stream -> stream.worstLateness().toNanos())
                        .max()
                        .orElse(0),
                streams.stream().mapToLong(StreamHistory::audioBytesReceived).sum(),
                (int) history.personas().stream()
                        .filter(mark -> !mark.tenant().equals(tenant))
                        .count(),
                gateway == null ? null : onGateway(streams, gateway),
                waitNanos,
                call.endReason().map(EndReason::name).orElse("UP").toLowerCase(Locale.ROOT));
    }

    /** The turn in whose middle the caller hung up as planned: it was not spoken to its end. */
    private boolean isCutOffByTheScript(CallHistory.Turn turn) {
        return operation.callClass().endingOf(operation.arrival()) == Ending.MID_TURN
                && turn.number() >= operation.callClass().turns().size();
    }

    private static long onGateway(List<StreamHistory> streams, URI gateway) {
        long nanos = 0;
        for (StreamHistory stream : streams) {
            Moment opened = stream.openedAt().orElse(null);
            Moment ended = stream.endedAt().orElse(null);
            if (opened != null
                    && ended != null
                    && gateway.getAuthority().equals(stream.url().getAuthority())) {
                nanos += ended.since(opened).toNanos();
            }
        }
        return nanos;
    }

    private @Nullable Long at(@Nullable Moment moment) {
        return moment == null ? null : Long.valueOf(operation.sinceOrigin(moment.nanos()));
    }

    /**
     * What became of it.
     *
     * @throws NotSentException if neither webhook found a connection
     * @throws UnknownOutcomeException if one was sent and not answered
     */
    Answer answer() throws NotSentException, UnknownOutcomeException {
        EndReason reason = call.endReason().orElse(EndReason.CLOSED);
        boolean heard = history.streams().stream()
                .anyMatch(stream -> stream.firstAudioAt().isPresent());
        boolean spoke = history.turns().stream().anyMatch(turn -> turn.lastSpeechSentAt() != null);
        boolean conversation = heard && spoke;
        boolean planned = operation.callClass().endingOf(operation.arrival()) == Ending.UNANSWERED;
        if (planned && !conversation && GIVEN_UP.contains(reason)) {
            return new Answer(Outcome.UNANSWERED, reason.name().toLowerCase(Locale.ROOT));
        }
        return switch (reason) {
            case REJECTED, REJECTED_BUSY -> Answer.rejected("Reject");
            case NO_TWIML -> noTwiml();
            case STREAM_LOST ->
                new Answer(Outcome.ADAPTER_ERROR, "cut off: the stream was lost and nothing came after");
            case CLOSED -> new Answer(Outcome.ADAPTER_ERROR, "the generator closed");
            case CALLEE_BUSY, CALLEE_DID_NOT_ANSWER, CALLEE_UNREACHABLE ->
                new Answer(Outcome.UNANSWERED, reason.name().toLowerCase(Locale.ROOT));
            case AGENT_HUNG_UP, CALLER_HUNG_UP, ABANDONED, COMPLETED_BY_REST, CANCELED_BY_REST ->
                ended(reason, heard, conversation);
        };
    }

    private Answer ended(EndReason reason, boolean heard, boolean conversation) {
        boolean early = reason == EndReason.AGENT_HUNG_UP
                && operation.callClass().endingOf(operation.arrival()) != Ending.BY_AGENT;
        if (conversation && !early) {
            return nothingWasAnswered()
                    ? new Answer(Outcome.ADAPTER_ERROR, "one-way audio: nothing was answered")
                    : Answer.COMPLETED;
        }
        if (conversation && history.spoken().isEmpty()) {
            return new Answer(Outcome.ADAPTER_ERROR, "the agent hung up before the caller's script was over");
        }
        if (!history.spoken().isEmpty()) {
            return Answer.rejected("was told: " + history.spoken().getFirst());
        }
        String what = heard ? "one-way audio: the caller never spoke" : "nothing was heard of an agent";
        return new Answer(Outcome.ADAPTER_ERROR, what + "; " + reason.name().toLowerCase(Locale.ROOT));
    }

    /** Whether the caller spoke, had time to be answered, and never was: an agent that is deaf after its greeting. */
    private boolean nothingWasAnswered() {
        List<CallHistory.Turn> spoken = history.turns().stream()
                .filter(turn -> turn.lastSpeechSentAt() != null && !isCutOffByTheScript(turn))
                .toList();
        if (spoken.isEmpty() || spoken.stream().anyMatch(turn -> turn.firstAnswerAt() != null)) {
            return false;
        }
        Moment last = spoken.getFirst().lastSpeechSentAt();
        Moment ended = call.endedAt().orElseGet(Moment::now);
        return spoken.size() > 1
                || spoken.getFirst().repeats() > 0
                || (last != null && ended.since(last).compareTo(Outcome.TIME_FOR_AN_ANSWER) > 0);
    }

    private Answer noTwiml() throws NotSentException, UnknownOutcomeException {
        List<Webhook> asked = history.webhooks().stream()
                .filter(hook -> hook.purpose() == Purpose.VOICE
                        || hook.purpose() == Purpose.FALLBACK
                        || hook.purpose() == Purpose.REDIRECT)
                .toList();
        Webhook last = asked.isEmpty() ? null : asked.getLast();
        long unconnected = history.problems().stream()
                .filter(problem -> problem.text().contains("no connection"))
                .count();
        if (!asked.isEmpty() && unconnected >= asked.size()) {
            throw new NotSentException("no webhook found a connection");
        }
        if (last != null && last.status() == 0) {
            throw new UnknownOutcomeException("the last webhook was not answered: " + last.errorCode());
        }
        if (last != null && REFUSALS.contains(last.status())) {
            return Answer.rejected("no TwiML: HTTP status " + last.status());
        }
        return new Answer(Outcome.ADAPTER_ERROR, "no TwiML: " + history.problemCodes());
    }
}
