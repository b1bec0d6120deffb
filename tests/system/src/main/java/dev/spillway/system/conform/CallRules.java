package dev.spillway.system.conform;

import static dev.spillway.system.conform.Trial.demand;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Offer;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamAddress.Parsed;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a container does with calls. */
final class CallRules {
    private static final Pattern STREAM = Pattern.compile("<Stream[^>]* url=\"wss?://[^/\"]+(/[^\"]+)\"");
    private static final Duration SOON = Duration.ofSeconds(5);

    private CallRules() {}

    static final List<Rule> ALL = List.of(
            new Rule("signature", "a webhook without Twilio's signature gets 403 and no slot", CallRules::signature),
            new Rule(
                    "claim",
                    "a signed webhook gets TwiML pinned to a claim of this container, once however often it comes",
                    CallRules::claim),
            new Rule(
                    "address",
                    "a stream whose address is not signed for the pool, or expired, is refused before the upgrade",
                    CallRules::address),
            new Rule(
                    "connect",
                    "a stream's start turns its claim to connected, and the call's record too",
                    CallRules::connect),
            new Rule("once", "the same stream is opened once", CallRules::once),
            new Rule("end", "the end of a call takes its claim away and announces the slot", CallRules::end),
            new Rule(
                    "full",
                    "with as many claims as the limit a webhook gets 503 at once and nothing is written",
                    CallRules::full),
            new Rule("held", "a claim held here is let in, also when the container is full", CallRules::held),
            new Rule(
                    "handoff",
                    "a call whose claim carries an offer is closed at a turn boundary, 5 s later at most",
                    CallRules::handOff));

    private static void signature(Trial trial) throws Violation, IOException, InterruptedException {
        for (String token : List.of("", "another-token")) {
            CallSid call = trial.newCall();
            int status = trial.voice(call, token).statusCode();
            String which = token.isEmpty() ? "without a signature" : "signed with another token";
            demand(status == 403, "a webhook " + which + " was answered " + status + ", not 403");
            demand(trial.claimOf(call).isEmpty(), "a webhook " + which + " got a claim");
        }
    }

    private static void claim(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        HttpResponse<String> answer = trial.voice(call, Ground.TOKEN);
        demand(answer.statusCode() == 200, "a signed webhook was answered " + answer.statusCode() + ", not 200");
        demand(
                answer.headers().firstValue("content-type").orElse("").contains("xml"),
                "the answer is no XML but " + answer.headers().firstValue("content-type"));
        demand(
                answer.body().matches("(?s).*<Connect>.*</Connect>\\s*<Redirect.*"),
                "the TwiML has no Connect that a Redirect follows: " + answer.body());
        Parsed parsed = pinned(trial, answer.body());
        if (!(parsed instanceof Parsed.Valid(StreamAddress address))) {
            throw new Violation("the stream's address is not valid for this pool: " + parsed);
        }
        demand(
                trial.id().equals(address.container()) && address.call().equals(call),
                "the stream's address names another container or another call");
        trial.within(
                SOON,
                "the webhook was answered, and no claim is in the item",
                () -> trial.claimOf(call).isPresent());
        Claim claim = trial.claimOf(call).orElseThrow(() -> new Violation("the claim is gone before its stream came"));
        demand(claim.phase() == Claim.Phase.RESERVED, "the claim is not reserved but " + claim.phase());
        demand(claim.generation().equals(address.generation()), "the claim has another generation than the address");
        trial.within(
                SOON,
                "the call has no record that names the claim",
                () -> trial.recordOf(call)
                        .filter(record -> record.names(claim.generation()))
                        .isPresent());
        Parsed again = pinned(trial, trial.voice(call, Ground.TOKEN).body());
        demand(
                again instanceof Parsed.Valid(StreamAddress same)
                        && same.generation().equals(claim.generation()),
                "the same webhook again did not get the same claim");
        trial.containers().release(trial.pool(), trial.id(), call, claim.generation());
    }

    private static Parsed pinned(Trial trial, String twiml) throws Violation {
        Matcher stream = STREAM.matcher(twiml);
        demand(stream.find(), "the TwiML has no Stream: " + twiml);
        return StreamAddress.parse(stream.group(1), Ground.key(trial.tenant()), Instant.now());
    }

    private static void address(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call);
        String good = StreamAddress.of(trial.tenant(), call, answer).path(Ground.key(trial.tenant()));
        Answer.Stream old = new Answer.Stream(
                trial.pool(), trial.id(), answer.generation(), Instant.now().minusSeconds(10), answer.at());
        Map<String, String> wrong = Map.of(
                "with a wrong MAC",
                good.substring(0, good.lastIndexOf('/')) + "/" + "A".repeat(22),
                "that has expired",
                StreamAddress.of(trial.tenant(), call, old).path(Ground.key(trial.tenant())));
        for (Map.Entry<String, String> path : wrong.entrySet()) {
            try (Caller.Opened opened = Caller.open(trial.address(path.getValue()))) {
                demand(
                        opened.status() >= 400,
                        "an address " + path.getKey() + " was answered " + opened.status() + ", not 4xx");
            }
        }
        trial.release(call, answer);
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
        try (Caller caller = trial.talking(call, answer);
                Caller.Opened second = Caller.open(trial.address(call, answer))) {
            demand(second.status() >= 400, "the same stream was opened twice: " + second.status());
            caller.silence();
            demand(caller.isOpen(), "the second handshake closed the first stream");
        }
    }

    private static void end(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call);
        int before = trial.ground().events("SlotFreed", trial.pool()).size();
        try (Caller caller = trial.talking(call, answer)) {
            caller.stop(call.value());
            trial.within(
                    SOON,
                    "its claim is still there after the call's stop",
                    () -> trial.claimOf(call).isEmpty());
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
        int status = trial.voice(call, Ground.TOKEN).statusCode();
        demand(
                status == 503,
                "with " + Ground.SLOTS + " claims of " + Ground.SLOTS + " a webhook was answered " + status
                        + ", not 503");
        demand(trial.claimOf(call).isEmpty(), "a refused call has a claim");
        demand(trial.recordOf(call).isEmpty(), "a refused call has a record");
        others.forEach(trial::release);
        trial.within(
                trial.beats(),
                "/health is not 200 after the slots were freed",
                () -> trial.get("/health").statusCode() == 200);
    }

    private static void held(Trial trial) throws Violation, IOException, InterruptedException {
        Map<CallSid, Answer.Stream> others = trial.fill();
        Map.Entry<CallSid, Answer.Stream> one = others.entrySet().iterator().next();
        try (Caller caller = trial.talking(one.getKey(), one.getValue())) {
            caller.stop(one.getKey().value());
            trial.within(
                    SOON,
                    "its claim is still there after the call's stop",
                    () -> trial.claimOf(one.getKey()).isEmpty());
        }
        others.forEach(trial::release);
    }

    private static void handOff(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call);
        try (Caller caller = trial.talking(call, answer)) {
            Offer offer = new Offer(new ContainerId("elsewhere"), new Generation(2, "offered000000001"), Instant.now());
            demand(
                    trial.containers().announce(trial.pool(), trial.id(), call, answer.generation(), offer),
                    "the offer could not be written on its claim");
            Duration most = trial.beats().plus(trial.timing().turnBoundary());
            trial.within(most, "the stream of a call with an offer is still open", () -> !caller.isOpen());
            trial.within(
                    SOON,
                    "the claim of a call that was handed over is still there",
                    () -> trial.claimOf(call).isEmpty());
        }
    }
}
