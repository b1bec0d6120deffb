package dev.spillway.system.conform;

import static dev.spillway.system.conform.Trial.demand;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Offer;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamAddress.Parsed;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a container does with calls. */
final class CallRules {
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Duration FRAME = Duration.ofMillis(20);
    /** So long that whoever listens has heard that the caller speaks. */
    private static final Duration A_WORD = Duration.ofMillis(300);

    private CallRules() {}

    static final List<Rule> ALL = List.of(
            new Rule(
                    "signature",
                    "a webhook without Twilio's signature, of another account or for another number gets 403 and no slot",
                    CallRules::signature),
            new Rule(
                    "claim",
                    "a signed webhook gets TwiML pinned to a claim of this container, once however often it comes, and"
                            + " is put on record",
                    CallRules::claim),
            new Rule(
                    "address",
                    "a stream whose address is malformed, not signed for the pool, or expired, is refused before the"
                            + " upgrade",
                    CallRules::address),
            new Rule("start", "a stream whose start does not fit its address is closed", CallRules::start),
            new Rule(
                    "connect",
                    "a stream's start turns its claim to connected, and the call's record too",
                    CallRules::connect),
            new Rule("once", "the same stream is opened once, also when its call is over", CallRules::once),
            new Rule("end", "the end of a call takes its claim away and announces the slot", CallRules::end),
            new Rule(
                    "full",
                    "with as many claims as the limit a webhook gets 503 at once and nothing is written",
                    CallRules::full),
            new Rule("held", "a claim held here is let in, also when the container is full", CallRules::held),
            new Rule(
                    "handoff",
                    "a call whose claim carries an offer is closed at the end of a turn, 5 s later at most",
                    CallRules::handOff));

    private static void signature(Trial trial) throws Violation, IOException, InterruptedException {
        Webhook good = Webhook.of(trial.newCall());
        Map<String, Webhook> wrong = Map.of(
                "without a signature", good.signedWith(""),
                "signed with another token", good.signedWith("another-token"),
                "of another account", good.with("AccountSid", "AC" + "f".repeat(32)),
                "for a number that is not the tenant's", good.with("To", "+15005550099"));
        for (Map.Entry<String, Webhook> webhook : wrong.entrySet()) {
            CallSid call = trial.newCall();
            int status = trial.voice(webhook.getValue().with("CallSid", call.value()))
                    .statusCode();
            demand(status == 403, "a webhook " + webhook.getKey() + " was answered " + status + ", not 403");
            demand(trial.claimOf(call).isEmpty(), "a webhook " + webhook.getKey() + " got a claim");
        }
    }

    private static void claim(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        HttpResponse<String> answer = trial.voice(Webhook.of(call));
        demand(answer.statusCode() == 200, "a signed webhook was answered " + answer.statusCode() + ", not 200");
        demand(
                answer.headers().firstValue("content-type").orElse("").contains("xml"),
                "the answer is no XML but " + answer.headers().firstValue("content-type"));
        Generation generation = pinned(trial, call, StreamTwiml.read(answer.body()));
        trial.within(
                SOON,
                "the webhook was answered, and no claim is in the item",
                () -> trial.claimOf(call).isPresent());
        Claim claim = trial.claimOf(call).orElseThrow(() -> new Violation("the claim is gone before its stream came"));
        demand(claim.phase() == Claim.Phase.RESERVED, "the claim is not reserved but " + claim.phase());
        demand(claim.generation().equals(generation), "the claim has another generation than the address");
        trial.matches("container-item.json", trial.item());
        recorded(trial, call, generation);
        Generation again = pinned(
                trial, call, StreamTwiml.read(trial.voice(Webhook.of(call)).body()));
        demand(again.equals(generation), "the same webhook again did not get the same claim");
    }

    /** Which claim the answer is for. */
    private static Generation pinned(Trial trial, CallSid call, StreamTwiml twiml) throws Violation {
        demand(
                twiml.url().startsWith(Ground.STREAM_URL + "/"),
                "the stream's URL does not begin with the pool's, " + Ground.STREAM_URL + ": " + twiml.url());
        Parsed parsed = StreamAddress.parse(
                twiml.url().substring(Ground.STREAM_URL.length()), Ground.key(trial.tenant()), Instant.now());
        if (!(parsed instanceof Parsed.Valid(StreamAddress address))) {
            throw new Violation("the stream's address is not valid for this pool: " + parsed);
        }
        demand(
                trial.id().equals(address.container()) && address.call().equals(call),
                "the stream's address names another container or another call");
        demand(
                twiml.parameters()
                        .equals(Map.of(
                                "tenant",
                                trial.tenant().value(),
                                "generation",
                                address.generation().toString())),
                "the stream's parameters are not the tenant and the generation of its address but "
                        + twiml.parameters());
        goesOn(trial, address.generation(), "redirect", "/twilio/continue/", twiml.redirect());
        goesOn(trial, address.generation(), "statusCallback", "/twilio/stream-status/", twiml.statusCallback());
        return address.generation();
    }

    private static void goesOn(Trial trial, Generation generation, String which, String path, String found)
            throws Violation {
        String wanted = Ground.PUBLIC_URL + path + trial.tenant() + "/" + generation.hop();
        demand(found.equals(wanted), "the TwiML's " + which + " is '" + found + "', not " + wanted);
    }

    private static void recorded(Trial trial, CallSid call, Generation generation)
            throws Violation, IOException, InterruptedException {
        trial.within(SOON, "the call has no record", () -> !trial.record(call).isEmpty());
        JsonNode record = trial.record(call);
        trial.matches("call-item.json", record);
        demand(
                trial.recordOf(call).filter(found -> found.names(generation)).isPresent(),
                "the call's record does not name its claim");
        Map<String, String> listed = Map.of(
                "listing",
                trial.tenant() + "#attempts",
                "listed",
                record.path("arrivedAtMillis").asText() + "_" + call,
                "attemptId",
                call.value(),
                "kind",
                "inbound");
        for (Map.Entry<String, String> wanted : listed.entrySet()) {
            String found = record.path(wanted.getKey()).asText();
            demand(
                    found.equals(wanted.getValue()),
                    "the call's record is in no list of attempts: its " + wanted.getKey() + " is '" + found + "', not '"
                            + wanted.getValue() + "'");
        }
    }

    private static void address(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call);
        String good = StreamAddress.of(trial.tenant(), call, answer).path(Ground.key(trial.tenant()));
        Answer.Stream old = new Answer.Stream(
                trial.pool(), trial.id(), answer.generation(), Instant.now().minusSeconds(10), answer.at());
        Map<String, String> wrong = Map.of(
                "of another form",
                "/stream/" + trial.tenant() + "/" + call,
                "with a wrong MAC",
                good.substring(0, good.lastIndexOf('/')) + "/" + "A".repeat(22),
                "that has expired",
                StreamAddress.of(trial.tenant(), call, old).path(Ground.key(trial.tenant())));
        for (Map.Entry<String, String> path : wrong.entrySet()) {
            refused(trial.address(path.getValue()), "an address " + path.getKey());
        }
    }

    /** A refusal is the caller's fault: a 5xx would say that it is the container's. */
    private static void refused(URI address, String which) throws Violation {
        try (Caller.Opened opened = Caller.open(address)) {
            demand(
                    opened.status() >= 400 && opened.status() < 500,
                    which + (opened.status() < 0 ? " got no answer" : " was answered " + opened.status())
                            + ", not 4xx");
        }
    }

    private static void start(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid other = trial.newCall();
        for (String which : List.of("call", "tenant", "generation")) {
            CallSid call = trial.newCall();
            Answer.Stream answer = trial.place(call);
            try (Caller.Opened opened = Caller.open(trial.address(call, answer))) {
                Caller caller = opened.caller();
                if (caller == null) {
                    throw new Violation("the stream of a claim that it holds was answered " + opened.status());
                }
                caller.start(
                        which.equals("tenant") ? "another" : trial.tenant().value(),
                        which.equals("call") ? other.value() : call.value(),
                        which.equals("generation")
                                ? "1.another000000000"
                                : answer.generation().toString());
                trial.within(
                        SOON, "a stream whose start names another " + which + " is still open", () -> !caller.isOpen());
                demand(
                        trial.claimOf(call)
                                .filter(claim -> claim.phase() == Claim.Phase.CONNECTED)
                                .isEmpty(),
                        "a stream whose start names another " + which + " was connected");
            }
        }
    }

    private static void connect(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call);
        try (Caller caller = trial.talking(call, answer)) {
            trial.within(
                    SOON,
                    "the call's record does not say that hop 1 is connected",
                    () -> trial.recordOf(call)
                            .filter(record -> record.connectedHop() == 1)
                            .isPresent());
            for (int i = 0; i < 50; i++) {
                caller.silence();
            }
            demand(caller.isOpen(), "the stream was closed after a second of silence");
        }
    }

    private static void once(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call);
        try (Caller caller = trial.talking(call, answer)) {
            refused(trial.address(call, answer), "a stream that is open already");
            caller.silence();
            demand(caller.isOpen(), "the second handshake closed the first stream");
            trial.hangUp(caller, call);
        }
        refused(trial.address(call, answer), "the stream of a call that is over");
    }

    private static void end(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call);
        int before = trial.ground().events("SlotFreed", trial.pool()).size();
        try (Caller caller = trial.talking(call, answer)) {
            trial.hangUp(caller, call);
        }
        trial.within(
                SOON,
                "the slot was freed and SlotFreed was not announced",
                () -> trial.ground().events("SlotFreed", trial.pool()).size() > before);
        trial.matches(
                "SlotFreed.json",
                trial.ground().events("SlotFreed", trial.pool()).getLast());
    }

    private static void full(Trial trial) throws Violation, IOException, InterruptedException {
        Map<CallSid, Answer.Stream> others = trial.fill();
        CallSid call = trial.newCall();
        int status = trial.voice(Webhook.of(call)).statusCode();
        demand(
                status == 503,
                "with " + Ground.SLOTS + " claims of " + Ground.SLOTS + " a webhook was answered " + status
                        + ", not 503");
        demand(trial.claimOf(call).isEmpty(), "a refused call has a claim");
        demand(trial.record(call).isEmpty(), "a refused call has a record");
        others.forEach(trial::release);
        trial.within(
                trial.beats(),
                "/health is not 200 after the slots were freed",
                () -> trial.get("/health").statusCode() == 200);
    }

    private static void held(Trial trial) throws Violation, IOException, InterruptedException {
        Map.Entry<CallSid, Answer.Stream> one =
                trial.fill().entrySet().iterator().next();
        try (Caller caller = trial.talking(one.getKey(), one.getValue())) {
            trial.hangUp(caller, one.getKey());
        }
    }

    private static void handOff(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call);
        try (Caller caller = trial.talking(call, answer)) {
            speak(caller, A_WORD);
            Offer offer = new Offer(new ContainerId("elsewhere"), new Generation(2, "offered000000001"), Instant.now());
            demand(
                    trial.containers().announce(trial.pool(), trial.id(), call, answer.generation(), offer),
                    "the offer could not be written on its claim");
            // As long as it takes until the container has surely read it, and shorter than it may wait.
            Duration sentence =
                    shorter(trial.beats(), trial.timing().turnBoundary().minusSeconds(1));
            demand(
                    speak(caller, sentence),
                    "the stream of a call with an offer was closed while the caller spoke, less than "
                            + trial.timing().turnBoundary().toSeconds() + " s later");
            Duration most = trial.beats().plus(trial.timing().turnBoundary());
            trial.within(most, "the stream of a call with an offer is still open", () -> {
                caller.silence();
                return !caller.isOpen();
            });
            trial.within(
                    SOON,
                    "the claim of a call that was handed over is still there",
                    () -> trial.claimOf(call).isEmpty());
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** The caller speaks for that long, in real time. Whether the stream is still open then. */
    private static boolean speak(Caller caller, Duration length) throws InterruptedException {
        long start = System.nanoTime();
        for (long sent = 0; sent < length.toMillis() && caller.isOpen(); sent += FRAME.toMillis()) {
            caller.voice();
            TimeUnit.NANOSECONDS.sleep(start + FRAME.toNanos() + sent * 1_000_000 - System.nanoTime());
        }
        return caller.isOpen();
    }
}
