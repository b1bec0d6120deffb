package dev.spillway.localcloud.twilio;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** A call's history as lines of text, in order of time; without phone numbers, so that it may be logged. */
public final class CallTimeline {
    private record Entry(long nanos, String text) {}

    private final Call call;
    private final List<Entry> entries = new ArrayList<>();

    private CallTimeline(Call call) {
        this.call = call;
    }

    /** Each line begins with the seconds since the call arrived. */
    public static List<String> of(Call call) {
        return new CallTimeline(call).lines();
    }

    private List<String> lines() {
        CallHistory history = call.history();
        call.answeredAt().ifPresent(at -> add(at, "answered"));
        call.endedAt()
                .ifPresent(at -> add(
                        at, "ended: " + call.endReason().map(EndReason::name).orElse("?")));
        for (CallHistory.Webhook hook : history.webhooks()) {
            String error = hook.errorCode() == 0 ? "" : ", error " + hook.errorCode();
            add(
                    hook.sentAt(),
                    hook.purpose() + " " + hook.url() + ": " + hook.status() + error + " after "
                            + hook.took().toMillis() + " ms");
        }
        history.verbs().forEach(verb -> add(verb.at(), verb.verb()));
        history.problems().forEach(problem -> add(problem.at(), "error " + problem.code() + ": " + problem.text()));
        history.personas().forEach(mark -> add(mark.at(), mark.tenant() + " speaks: " + mark.kind()));
        history.gaps()
                .forEach(gap -> add(gap.from(), "silent for " + gap.length().toMillis() + " ms"));
        history.streams().forEach(this::stream);
        history.turns().forEach(this::turn);
        entries.sort(Comparator.comparingLong(Entry::nanos));
        return entries.stream()
                .map(entry -> String.format(Locale.ROOT, "%8.3f  %s", entry.nanos() / 1e9, entry.text()))
                .toList();
    }

    private void stream(StreamHistory stream) {
        add(stream.connectingAt(), "connecting to " + stream.url());
        stream.openedAt().ifPresent(at -> add(at, "stream open"));
        stream.firstAudioAt().ifPresent(at -> add(at, "first audio of the stream"));
        stream.endedAt()
                .ifPresent(at -> add(
                        at,
                        "stream ended: "
                                + stream.ending().map(StreamEnding::name).orElse("?") + " " + stream.detail()));
    }

    private void turn(CallHistory.Turn turn) {
        String latency = turn.responseLatency()
                .map(time -> "answered after " + time.toMillis() + " ms")
                .orElse("not answered");
        String manner = turn.bargeIn() ? ", interrupting" : "";
        add(turn.startedAt(), "turn " + turn.number() + manner + ", " + turn.repeats() + " repeats: " + latency);
    }

    private void add(Moment at, String text) {
        entries.add(new Entry(at.nanos() - call.placedAt().nanos(), text));
    }
}
