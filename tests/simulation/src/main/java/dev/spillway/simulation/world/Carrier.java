package dev.spillway.simulation.world;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.CallStatus;
import dev.spillway.core.call.StreamFailure.Kind;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.routing.CallAnswering.Answered;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.media.call.DirectCalls;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Twilio and its callers. */
final class Carrier implements Telephony {
    static final String API = "https://api.example.com";
    static final String VOICE_URL = "https://voice.example.com/voice";
    private static final Pattern STREAM = Pattern.compile("<Stream[^>]* url=\"wss://[^/]+(/[^\"]+)\"");
    private static final long SECOND = 1_000_000;
    /** Until then the first containers of all may still be starting, and every target refuses. */
    private static final long FIRST_MINUTE = 60 * SECOND;

    /**
     * What nobody could verify of Twilio, and how reliable its callbacks are.
     *
     * @param redirectAfterRefusal whether it goes on with the redirect after a refused handshake
     * @param redirectAfterBreak whether it does after a broken connection
     */
    record Manners(
            boolean redirectAfterRefusal, boolean redirectAfterBreak, double lost, double late, double doubled) {}

    private final Ports ports;
    private final Functions functions;
    private final Faults faults;
    private final long seed;
    private final Manners manners;
    private final Machine process = new Machine("twilio", 0);
    private final Map<CallSid, PhoneCall> calls = new LinkedHashMap<>();
    private final List<PhoneCall> open = new ArrayList<>();
    private final Map<CallSid, Chance> balancing = new HashMap<>();
    private final Balancers balancers;
    private final Upgrades upgrades;

    Carrier(Ports ports, Balancers balancers, Functions functions, Faults faults, long seed, Manners manners) {
        this.ports = ports;
        this.balancers = balancers;
        this.upgrades = new Upgrades(ports);
        this.functions = functions;
        this.faults = faults;
        this.seed = seed;
        this.manners = manners;
    }

    /** One of our URLs, asked on behalf of a call. */
    @FunctionalInterface
    interface Webhook {
        /** @param cause why it is asked, for the record */
        CompletableFuture<Answered> ask(String cause);
    }

    /** What a call does next. */
    private sealed interface Instruction {
        record Open(PoolId pool, String path, int hop) implements Instruction {}

        record Say(String what, FinalStatus then) implements Instruction {}

        record Continue(int hop) implements Instruction {}
    }

    List<PhoneCall> calls() {
        return List.copyOf(calls.values());
    }

    void expect(PhoneCall call, long atMicros) {
        add(call);
        scheduler().spawn(call.toString(), process, atMicros - scheduler().now(), () -> live(call));
    }

    /**
     * Callers who wait give up.
     *
     * @return whose call is not over
     */
    List<PhoneCall> listen() {
        long now = scheduler().now();
        for (PhoneCall call : open) {
            if (!call.isOver() && call.isArrived() && call.silence(now) >= call.patienceMicros()) {
                trace(call, "gives up");
                call.giveUp();
                hangUp(call);
            }
        }
        open.removeIf(PhoneCall::isOver);
        return open;
    }

    void hangUp(PhoneCall call) {
        if (call.isOver()) {
            return;
        }
        call.end(call.isAnswered() ? FinalStatus.COMPLETED : FinalStatus.CANCELED);
        Conversation conversation = call.conversation();
        if (conversation != null) {
            conversation.stopped(true);
        }
    }

    /** Everybody hangs up. */
    void closeTime() {
        List.copyOf(calls.values()).stream().filter(PhoneCall::isArrived).forEach(this::hangUp);
    }

    private void live(PhoneCall call) {
        call.arrive();
        call.progress(PhoneCall.Progress.RINGING);
        trace(call, "calls " + call.tenant());
        goOn(call, primary(call));
        notices(call);
    }

    /** Twilio knows of it from now on. */
    void add(PhoneCall call) {
        calls.put(call.sid(), call);
        open.add(call);
    }

    /**
     * Whoever was dialled has picked up; comes back when the call is over.
     *
     * @param webhook asks the URL of the dial, and then its fallback, for a cause
     */
    void answered(PhoneCall call, Webhook webhook) {
        call.arrive();
        goOn(call, asked(call, webhook, "dial", 0, 15 * SECOND, true));
    }

    private void goOn(PhoneCall call, Instruction first) {
        Instruction next = first;
        while (!call.isOver()) {
            if (call.isRedirected()) {
                next = new Instruction.Continue(call.takeRedirect());
            }
            next = switch (next) {
                case Instruction.Open open -> follow(call, open);
                case Instruction.Continue on -> proceed(call, on.hop());
                case Instruction.Say say -> {
                    trace(call, "hears: " + say.what());
                    if (!call.isDropped()) {
                        call.tell();
                    }
                    scheduler().await(call.nextNews(), 4 * SECOND);
                    call.end(say.then());
                    yield say;
                }
            };
        }
        trace(call, "is over: " + call.ended());
    }

    private Instruction primary(PhoneCall call) {
        PoolId pool = PoolId.of(call.tenant());
        MediaTask task = balanced(call, pool);
        boolean turnedAway = false;
        if (task != null && task.isListening()) {
            CompletableFuture<DirectCalls.Reply> reply = task.process().owes(new CompletableFuture<>());
            DirectCalls direct = task.direct();
            scheduler().spawn(task + " voice " + call, task.process(), 20_000, () -> {
                try {
                    if (direct != null) {
                        Map<String, String> form = SignedForms.of(call);
                        reply.complete(direct.answer(form, SignedForms.signature(VOICE_URL, form)));
                    }
                } catch (RuntimeException e) {
                    ports.laws().surprise(e);
                }
            });
            if (scheduler().await(reply, 15 * SECOND) && !reply.isCompletedExceptionally()) {
                DirectCalls.Reply answer = reply.join();
                trace(call, task + " answers " + answer.status());
                if (answer.status() == 200) {
                    Matcher matcher = STREAM.matcher(answer.body());
                    if (!matcher.find()) {
                        throw new IllegalStateException("no stream in " + answer.body());
                    }
                    call.answered();
                    return new Instruction.Open(pool, matcher.group(1), 1);
                }
                turnedAway = answer.status() == 503;
            }
        }
        boolean refused = turnedAway;
        return asked(
                call,
                cause -> functions.webhook(call.tenant(), call.sid(), 0, cause, refused && !cause.equals("repeated")),
                "fallback",
                0,
                15 * SECOND,
                false);
    }

    /** The continue URL of that hop, then the fallback URL. */
    private Instruction proceed(PhoneCall call, int hop) {
        return asked(
                call,
                cause -> functions.webhook(call.tenant(), call.sid(), hop, cause, false),
                "continue",
                hop,
                5 * SECOND,
                true);
    }

    private Instruction asked(
            PhoneCall call, Webhook webhook, String cause, int hop, long patience, boolean mayFallBack) {
        CompletableFuture<Answered> answer = webhook.ask(cause);
        if (faults.happens("doubled webhook " + call + " " + hop, manners.doubled())) {
            webhook.ask("repeated");
        }
        if (scheduler().await(answer, patience) && !answer.isCompletedExceptionally()) {
            call.answered();
            return instruction(call, answer.join());
        }
        if (mayFallBack && !call.isOver()) {
            trace(call, cause + " failed: asks the fallback URL");
            return asked(call, webhook, "fallback of " + cause, hop, 15 * SECOND, false);
        }
        call.drop();
        ports.laws().callers().dropped(call);
        return new Instruction.Say("an application error has occurred", FinalStatus.FAILED);
    }

    private Instruction instruction(PhoneCall call, Answered answered) {
        return switch (answered.answer()) {
            case Answer.Stream stream ->
                new Instruction.Open(
                        stream.pool(),
                        StreamAddress.of(call.tenant(), call.sid(), stream).path(ports.key(stream.pool())),
                        answered.hop());
            case Answer.Busy busy -> new Instruction.Say("busy", FinalStatus.COMPLETED);
            case Answer.Apology apology -> {
                if (scheduler().now() >= FIRST_MINUTE) {
                    ports.laws().callers().apologised(call);
                }
                yield new Instruction.Say("apology", FinalStatus.COMPLETED);
            }
            case Answer.HangUp hangUp -> new Instruction.Say("the end", FinalStatus.COMPLETED);
            // Only a bot gives a call away, and here are none.
            case Answer.Transfer transfer -> new Instruction.Say("elsewhere", FinalStatus.COMPLETED);
        };
    }

    private Instruction follow(PhoneCall call, Instruction.Open open) {
        call.follow(open.hop());
        Conversation conversation = upgrades.open(balanced(call, open.pool()), open.path(), call);
        if (call.isOver() || call.isRedirected()) {
            if (conversation != null) {
                conversation.stopped(call.isOver());
            }
            return new Instruction.Continue(open.hop());
        }
        if (conversation == null) {
            trace(call, "its stream is refused");
            return after(call, open.hop(), Kind.NEVER_OPENED, manners.redirectAfterRefusal());
        }
        call.conversation(conversation);
        scheduler().at(scheduler().now() + 80_000, conversation.task().process(), conversation::start);
        conversation.end().whenComplete((end, thrown) -> call.news());
        conversation.live().thenRun(() -> talk(call, conversation));
        while (!conversation.end().isDone() && !call.isOver() && !call.isRedirected()) {
            scheduler().await(call.nextNews(), 3_600 * SECOND);
        }
        call.conversation(null);
        if (call.isOver() || call.isRedirected()) {
            conversation.stopped(call.isOver());
            return new Instruction.Continue(open.hop());
        }
        return conversation.end().join() == Conversation.End.CLOSED
                ? new Instruction.Continue(open.hop())
                : after(call, open.hop(), Kind.BROKE, manners.redirectAfterBreak());
    }

    /** The stream is not, or no longer, there. Without the redirect only the callback can help. */
    private Instruction after(PhoneCall call, int hop, Kind kind, boolean redirects) {
        String name = "stream callback " + call + " " + hop;
        boolean lost = redirects && faults.happens("lost " + name, manners.lost());
        if (!lost) {
            long delay = faults.happens("late " + name, manners.late()) ? 20 * SECOND : SECOND / 5;
            functions.streamFailed(call.tenant(), call.sid(), hop, kind, delay);
            if (faults.happens("doubled " + name, manners.doubled())) {
                functions.streamFailed(call.tenant(), call.sid(), hop, kind, 2 * delay + SECOND);
            }
        }
        if (redirects) {
            return new Instruction.Continue(hop);
        }
        while (!call.isOver() && !call.isRedirected()) {
            scheduler().await(call.nextNews(), 3_600 * SECOND);
        }
        return new Instruction.Continue(hop);
    }

    private void talk(PhoneCall call, Conversation conversation) {
        call.isHeard();
        trace(call, "talks to " + conversation.task());
        scheduler().at(scheduler().now() + call.talkMicros(), null, () -> {
            if (conversation.isLive() && call.conversation() == conversation && !call.isOver()) {
                if (call.agentEndsIt() && conversation.isHeard()) {
                    conversation.hangUp();
                } else {
                    trace(call, "hangs up");
                    hangUp(call);
                }
            }
        });
    }

    private @Nullable MediaTask balanced(PhoneCall call, PoolId pool) {
        return balancers.target(
                pool, balancing.computeIfAbsent(call.sid(), sid -> Chance.of(seed, "load balancers for " + call)));
    }

    private void notices(PhoneCall call) {
        FinalStatus status = call.ended();
        String name = "status callback " + call;
        if (status == null || faults.happens("lost " + name, manners.lost())) {
            return;
        }
        long delay = faults.happens("late " + name, manners.late())
                ? Chance.of(seed, name).between(SECOND, 90 * SECOND)
                : SECOND / 4;
        functions.ended(call.tenant(), call.sid(), status, delay);
        if (faults.happens("doubled " + name, manners.doubled())) {
            functions.ended(call.tenant(), call.sid(), status, 3 * delay);
        }
    }

    /** Twilio sends on what is in progress, and nothing that still rings. */
    @Override
    public boolean sendToContinue(Tenant tenant, CallSid sid, int hop) {
        Optional<PhoneCall> call = of(tenant, sid).filter(one -> one.isAnswered() && !one.isOver());
        call.ifPresent(one -> one.redirect(hop));
        return call.isPresent();
    }

    @Override
    public CallStatus status(Tenant tenant, CallSid sid) {
        return of(tenant, sid)
                .map(PhoneCall::word)
                .filter(word -> !word.isEmpty())
                .map(CallStatus::of)
                .orElseGet(CallStatus.Unknown::new);
    }

    /** Each tenant has an account of its own: Twilio knows no other's calls. */
    private Optional<PhoneCall> of(Tenant tenant, CallSid sid) {
        return Optional.ofNullable(calls.get(sid)).filter(call -> call.tenant().equals(tenant.id()));
    }

    private Scheduler scheduler() {
        return ports.scheduler();
    }

    private void trace(PhoneCall call, String words) {
        ports.trace().write(call.toString(), () -> words);
    }
}
