package dev.spillway.simulation.world;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.routing.CallAnswering.Answered;
import dev.spillway.core.tenant.TenantId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The invariants of callers: each is let in once, keeps what was kept of the call, and hears somebody, or is told. */
final class CallerLaws {
    private final MemoryTable table;
    private final Scheduler scheduler;
    private final Laws laws;
    private final Expectation expectation;
    private final Map<CallSid, Conversation> talking = new HashMap<>();
    private final Set<CallSid> kept = new HashSet<>();
    private long longestSilence;

    CallerLaws(MemoryTable table, Scheduler scheduler, Laws laws, Expectation expectation) {
        this.table = table;
        this.scheduler = scheduler;
        this.laws = laws;
        this.expectation = expectation;
    }

    /** The last conversation into which that call was let; null if there was none. */
    @Nullable
    Conversation talking(CallSid sid) {
        return talking.get(sid);
    }

    /** Every URL failed. */
    void dropped(PhoneCall call) {
        laws.require(
                expectation.drops(),
                Invariant.OWNED,
                () -> call + " (" + call.sid() + ") was dropped: no URL answered");
    }

    void apologised(PhoneCall call) {
        laws.require(expectation.apologies(), Invariant.OWNED, () -> call + " (" + call.sid() + ") heard an apology");
    }

    /** A load balancer waits no longer for the streams of a task that ECS stops: its container should have let them go. */
    void cut(MediaTask task, boolean carries) {
        laws.require(
                expectation.cuts() || !carries,
                Invariant.OWNED,
                () -> "callers are cut off " + task + ", whose task ECS stops: none was let go in time");
    }

    /** TwiML goes out. */
    void answered(TenantId tenant, CallSid sid, Answered answered, boolean inTime) {
        laws.require(
                !inTime
                        || answered.answer() instanceof Answer.HangUp
                        || table.peek(tenant, sid).isPresent(),
                Invariant.ONE_OUTCOME,
                () -> sid + " was answered without a record: " + answered);
    }

    /** A caller is let in. */
    void connected(Conversation conversation) {
        CallSid sid = conversation.seat().sid();
        Conversation before = talking.put(sid, conversation);
        laws.require(
                before == null
                        || before == conversation
                        || !before.isHeard()
                        || conversation.call().conversation() != before,
                Invariant.LIMIT,
                () -> sid + " talks to " + conversation.task() + " and to another stream at once");
        if (conversation.seat().isCallKnown()) {
            Optional<Call> record = table.peek(conversation.seat().tenant(), sid);
            laws.require(
                    record.filter(call -> call.hop()
                                            > conversation.seat().generation().hop()
                                    || call.names(conversation.seat().generation()))
                            .isPresent(),
                    Invariant.OLD_NOTICES,
                    () -> sid + " talks to " + conversation.task() + " as "
                            + conversation.seat().generation() + ", and its record says otherwise: "
                            + record.flatMap(Call::current));
        }
        long live = conversation.task().conversations().stream()
                .filter(Conversation::isLive)
                .count();
        laws.require(
                live <= conversation.task().admission().limit(),
                Invariant.LIMIT,
                () -> conversation.task() + " has " + live + " calls");
    }

    /** The table took what an agent knows, or refused it. */
    void kept(Conversation conversation, boolean taken) {
        if (taken) {
            kept.add(conversation.seat().sid());
        }
    }

    /** A conversation goes on elsewhere: whether what was kept of it was found. */
    void remembers(Conversation conversation, boolean found) {
        PhoneCall call = conversation.call();
        laws.require(
                found || !kept.contains(call.sid()) || call.isOver(),
                Invariant.OWNED,
                () -> call + " (" + call.sid() + ") goes on in " + conversation.task()
                        + ", and what was kept of it is gone");
    }

    /** Twice a second: whoever is on the phone hears something, or is told. */
    void look(List<PhoneCall> calls) {
        long now = scheduler.now();
        for (PhoneCall call : calls) {
            long silence = call.silence(now);
            if (call.wasHeard()) {
                longestSilence = Math.max(longestSilence, silence);
            }
            laws.require(
                    silence <= (call.wasHeard() ? expectation.silenceOfTalkersMicros() : expectation.silenceMicros()),
                    Invariant.OWNED,
                    () -> call + " (" + call.sid() + ", hop " + call.hop() + ") has heard nobody for "
                            + silence / 1_000_000.0 + " s");
        }
    }

    /** Of anybody who was talking before. */
    long longestSilence() {
        return longestSilence;
    }
}
