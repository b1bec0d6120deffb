package dev.spillway.localcloud.twilio;

import dev.spillway.localcloud.twilio.CallHistory.Purpose;
import dev.spillway.localcloud.twilio.TwilioSwitches.AfterStreamFailure;
import dev.spillway.localcloud.twilio.TwimlParser.InvalidTwiml;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one call: fetches TwiML, does what it says, falls back when it cannot, until the call ends. One virtual thread;
 * it never touches audio, and reads one mailbox, so that a hang-up or an update interrupts whatever it waits for.
 */
final class CallSession implements Runnable {
    private static final Set<String> TWIML_TYPES = Set.of("text/xml", "application/xml", "text/html");

    /** Stops a call whose TwiML redirects for ever; a guess. */
    private static final int MOST_DOCUMENTS = 200;

    /** The client's own time-outs end a fetch long before this. */
    private static final Duration LONGEST_FETCH = Duration.ofMinutes(2);

    /** The audio thread answers within milliseconds unless it is gone. */
    private static final Duration LONGEST_GOODBYE = Duration.ofSeconds(1);

    /** 150 words a minute. */
    private static final Duration PER_WORD = Duration.ofMillis(400);

    /** Whoever is dialled counts as this long, whether they pick up or not. */
    private static final Duration PER_DIAL = Duration.ofMillis(500);

    /** Audio files are not fetched; each counts as this long. */
    private static final Duration PER_PLAY = Duration.ofSeconds(2);

    /** The call is to do something else. */
    private static final class Diversion extends Exception {
        private static final long serialVersionUID = 1;
        final transient Step step;

        Diversion(Step step) {
            super("diverted", null, false, false);
            this.step = step;
        }
    }

    private final Call call;
    private final TwilioAccount account;
    private final TwilioNumber number;
    private final Webhooks webhooks;
    private final AudioTicker ticker;
    private final Supplier<TwilioSwitches> switches;
    private final Line line;
    private final CallStreams streams;
    private final @Nullable OutboundCall outbound;
    private int documents;

    CallSession(
            Call call,
            CallScript script,
            TwilioAccount account,
            TwilioNumber number,
            Webhooks webhooks,
            AudioTicker ticker,
            Supplier<TwilioSwitches> switches,
            @Nullable OutboundCall outbound) {
        this.outbound = outbound;
        this.call = call;
        this.account = account;
        this.number = number;
        this.webhooks = webhooks;
        this.ticker = ticker;
        this.switches = switches;
        this.line = new Line(script, call.history(), call::hangUp);
        this.streams = new CallStreams(call, account, webhooks, ticker, line, switches, script.parameters());
    }

    @Override
    public void run() {
        EndReason reason = EndReason.CLOSED;
        try {
            reason = interpret();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the stand-in closes
        } catch (RuntimeException e) {
            reason = EndReason.NO_TWIML;
            call.history().problem(0, "the stand-in failed: " + e);
            System.err.println("twilio: " + call.sid() + ": " + e);
        } finally {
            streams.stop();
            // the history is complete before anybody is told of the end; joining ignores an interrupt
            ticker.remove(line)
                    .completeOnTimeout(null, LONGEST_GOODBYE.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            TwilioSwitches atTheEnd = switches.get(); // before anybody who waits for the end can turn them
            call.ended(reason);
            report(atTheEnd);
        }
    }

    private EndReason interpret() throws InterruptedException {
        Step step = outbound == null ? first() : new Step.Ring(outbound);
        while (true) {
            try {
                step = switch (step) {
                    case Step.Fetch fetch -> fetch(fetch);
                    case Step.Run run -> run(run);
                    case Step.Ring ring -> ring(ring.outbound());
                    case Step.End end -> end;
                };
                if (step instanceof Step.End(EndReason reason)) {
                    return reason;
                }
            } catch (Diversion diversion) {
                streams.stop();
                ticker.run(() -> line.spoken(false));
                step = diversion.step;
            }
        }
    }

    private Step first() {
        return new Step.Fetch(Purpose.VOICE, number.voiceUrl(), "POST", Map.of());
    }

    private Step ring(OutboundCall dialled) throws InterruptedException, Diversion {
        await(dialled.queued(), dialled);
        tellProgress(dialled, "initiated", "initiated");
        call.ringing();
        tellProgress(dialled, "ringing", "ringing");
        return switch (dialled.callee()) {
            case Callee.Answers answers -> {
                await(answers.after(), dialled);
                answer();
                tellProgress(dialled, "answered", "in-progress");
                yield first();
            }
            case Callee.Busy busy -> {
                await(busy.after(), dialled);
                yield new Step.End(EndReason.CALLEE_BUSY);
            }
            case Callee.NoAnswer silent -> {
                await(silent.after(), dialled);
                yield new Step.End(EndReason.CALLEE_DID_NOT_ANSWER);
            }
            case Callee.Fails fails -> {
                await(fails.after(), dialled);
                yield new Step.End(EndReason.CALLEE_UNREACHABLE);
            }
            case Callee.RingsOn ringsOn -> {
                await(Duration.ofHours(1), dialled);
                yield new Step.End(EndReason.CALLEE_DID_NOT_ANSWER);
            }
        };
    }

    private void tellProgress(OutboundCall dialled, String event, String status) {
        URI url = number.statusCallback();
        if (url != null && dialled.events().contains(event)) {
            Map<String, String> fields = CallFields.of(call);
            fields.put("CallStatus", status);
            fields.put("CallbackSource", "call-progress-events");
            fields.put(
                    "SequenceNumber",
                    Integer.toString(List.of("initiated", "ringing", "answered").indexOf(event)));
            fields.put("Timestamp", RestDates.format(Moment.now().wall()));
            TwilioSwitches now = switches.get();
            webhooks.tell(
                    call.history(),
                    Purpose.CALL_STATUS,
                    new WebhookRequest(url, "POST", fields, account.authToken(), now.signFragment()),
                    now.callCallbacks(),
                    1);
        }
    }

    /** Waits for a signal about the given thing, or null after the time; everything else is old news. */
    private @Nullable Signal await(Duration most, Object about) throws InterruptedException, Diversion {
        long deadline = System.nanoTime() + most.toNanos();
        while (true) {
            Signal signal = call.next(deadline - System.nanoTime());
            switch (signal) {
                case null -> {
                    return null;
                }
                case Signal.Diverted(Step step) -> throw new Diversion(step);
                case Signal.Fetched fetched -> {
                    if (about.equals(fetched.document())) {
                        return signal;
                    }
                }
                case Signal.StreamEnded ended -> {
                    if (about.equals(ended.stream())) {
                        return signal;
                    }
                }
            }
        }
    }

    private Step fetch(Step.Fetch fetch) throws InterruptedException, Diversion {
        int document = ++documents;
        if (document > MOST_DOCUMENTS) {
            call.history().problem(0, "more than " + MOST_DOCUMENTS + " documents in one call");
            return new Step.End(EndReason.NO_TWIML);
        }
        Map<String, String> fields = CallFields.of(call);
        fields.putAll(fetch.extra());
        var request = new WebhookRequest(
                fetch.url(),
                fetch.method(),
                fields,
                account.authToken(),
                switches.get().signFragment());
        webhooks.ask(call.history(), fetch.purpose(), request)
                .thenAccept(answer -> call.post(new Signal.Fetched(document, answer)));
        Signal signal = await(LONGEST_FETCH, document);
        if (!(signal instanceof Signal.Fetched(int same, WebhookAnswer answer))) {
            return failed(fetch, 11200, "no answer at all");
        }
        return switch (answer) {
            case WebhookAnswer.Failure failure -> failed(fetch, failure.errorCode(), failure.reason());
            case WebhookAnswer.Success success -> document(fetch, success);
        };
    }

    private Step document(Step.Fetch fetch, WebhookAnswer.Success success) {
        String type = success.contentType().split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (!TWIML_TYPES.contains(type)) {
            return failed(fetch, 12300, "content type '" + type + "'");
        }
        try {
            return new Step.Run(verbs(success.body()), fetch.url(), false);
        } catch (InvalidTwiml e) {
            return failed(fetch, 12100, String.valueOf(e.getMessage()));
        }
    }

    private List<Twiml.Verb> verbs(byte[] xml) throws InvalidTwiml {
        Twiml twiml = TwimlParser.parse(xml);
        twiml.warnings().forEach(warning -> call.history().problem(12200, warning));
        return twiml.verbs();
    }

    private Step failed(Step.Fetch fetch, int errorCode, String reason) {
        call.history().problem(errorCode, fetch.purpose() + ": " + reason);
        URI fallback = number.voiceFallbackUrl();
        if (fetch.purpose() == Purpose.FALLBACK || fallback == null) {
            return new Step.End(EndReason.NO_TWIML);
        }
        URI errorUrl =
                switches.get().errorUrlKeepsFragment() ? fetch.url() : ConnectionOverrides.withoutFragment(fetch.url());
        Map<String, String> extra = new LinkedHashMap<>();
        extra.put("ErrorCode", Integer.toString(errorCode));
        extra.put("ErrorUrl", errorUrl.toString());
        return new Step.Fetch(Purpose.FALLBACK, fallback, "POST", extra);
    }

    private Step run(Step.Run run) throws InterruptedException, Diversion {
        if (run.verbs().isEmpty()) {
            answer();
            return new Step.End(run.streamLost() ? EndReason.STREAM_LOST : EndReason.AGENT_HUNG_UP);
        }
        Twiml.Verb verb = run.verbs().getFirst();
        var rest = new Step.Run(run.verbs().subList(1, run.verbs().size()), run.base(), run.streamLost());
        call.history().verb(verb.describe());
        if (verb instanceof Twiml.Reject(boolean busy)) {
            return reject(busy);
        }
        answer();
        switch (verb) {
            case Twiml.Say(String text, int loop) -> say(text, PER_WORD.multipliedBy(words(text)), loop);
            case Twiml.Play(String url, String digits, int loop) -> say(url.isEmpty() ? digits : url, PER_PLAY, loop);
            case Twiml.Pause(int seconds) -> await(Duration.ofSeconds(seconds), call);
            case Twiml.Unknown unknown -> {} // noted as 12200 when it was read
            case Twiml.Redirect(String url, String method) -> {
                return redirect(run.base(), url, method);
            }
            case Twiml.Connect connect -> {
                return connect(connect, rest);
            }
            case Twiml.Dial dial -> {
                return dial(dial, rest);
            }
            case Twiml.Hangup hangup -> {
                return new Step.End(EndReason.AGENT_HUNG_UP);
            }
            case Twiml.Reject reject -> throw new IllegalStateException("handled above");
        }
        return rest;
    }

    /** Nobody picks up at a number that ends in 8; all others talk for a moment and hang up. */
    private Step dial(Twiml.Dial dial, Step.Run rest) throws InterruptedException, Diversion {
        await(PER_DIAL, call);
        if (dial.action() == null) {
            return rest;
        }
        String status = dial.number().endsWith("8") ? "no-answer" : "completed";
        return new Step.Fetch(
                Purpose.REDIRECT, rest.base().resolve(dial.action()), dial.method(), Map.of("DialCallStatus", status));
    }

    private Step reject(boolean busy) {
        if (call.answeredAt().isPresent()) {
            call.history().problem(12200, "Reject after the call was answered");
            return new Step.End(EndReason.AGENT_HUNG_UP);
        }
        return new Step.End(busy ? EndReason.REJECTED_BUSY : EndReason.REJECTED);
    }

    private void answer() {
        if (call.answeredAt().isEmpty()) {
            call.answered();
            ticker.add(line);
        }
    }

    private static int words(String text) {
        return Math.max(1, text.split("\\s+").length);
    }

    private void say(String text, Duration length, int loop) throws InterruptedException, Diversion {
        int times = loop == 0 ? 1_000 : loop;
        call.history().spoken(text);
        ticker.run(() -> line.spoken(true));
        await(length.multipliedBy(times), call);
        ticker.run(() -> line.spoken(false));
    }

    private Step redirect(URI base, String url, String method) {
        try {
            URI target = url.isEmpty() ? base : base.resolve(url);
            return new Step.Fetch(Purpose.REDIRECT, target, method, Map.of());
        } catch (IllegalArgumentException e) {
            return failed(new Step.Fetch(Purpose.REDIRECT, base, method, Map.of()), 11100, "invalid URL " + url);
        }
    }

    private Step connect(Twiml.Connect connect, Step.Run rest) throws InterruptedException, Diversion {
        MediaStream stream = streams.open(connect, rest.base());
        StreamEnding ending = StreamEnding.HANDSHAKE_REFUSED;
        if (stream != null) {
            Signal signal = await(Duration.ofDays(1), stream); // a call of Twilio's lasts 4 h at most, 24 h on request
            ending = signal instanceof Signal.StreamEnded ended ? ended.ending() : StreamEnding.ABRUPT;
        }
        boolean lost = ending.neverOpened() || ending.broke();
        AfterStreamFailure then = ending.neverOpened()
                ? switches.get().afterRefusedStream()
                : ending.broke() ? switches.get().afterAbruptClose() : AfterStreamFailure.NEXT_VERB;
        if (then == AfterStreamFailure.WAIT_FOR_UPDATE) {
            await(switches.get().updateWait(), call);
            return new Step.End(EndReason.STREAM_LOST);
        }
        String action = connect.action();
        return action != null ? redirect(rest.base(), action, "POST") : new Step.Run(rest.verbs(), rest.base(), lost);
    }

    /** TwiML given to the REST API; its relative URLs are resolved against the number's. */
    static Step.Run given(String twiml, Call call, TwilioNumber number) throws InvalidTwiml {
        Twiml parsed = TwimlParser.parse(twiml.getBytes(StandardCharsets.UTF_8));
        parsed.warnings().forEach(warning -> call.history().problem(12200, warning));
        return new Step.Run(parsed.verbs(), number.voiceUrl(), false);
    }

    private void report(TwilioSwitches atTheEnd) {
        URI url = number.statusCallback();
        if (url != null) {
            Map<String, String> fields = CallFields.of(call);
            long seconds = (call.length().toMillis() + 999) / 1_000;
            fields.put("CallDuration", Long.toString(seconds));
            fields.put("Duration", Long.toString((seconds + 59) / 60));
            fields.put("SequenceNumber", outbound == null ? "0" : "3");
            fields.put("CallbackSource", "call-progress-events");
            fields.put("Timestamp", RestDates.format(Moment.now().wall()));
            var request = new WebhookRequest(url, "POST", fields, account.authToken(), atTheEnd.signFragment());
            webhooks.tell(call.history(), Purpose.CALL_STATUS, request, atTheEnd.callCallbacks(), 1);
        }
    }
}
