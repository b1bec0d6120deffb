package dev.spillway.core.outbound;

import dev.spillway.core.Timing;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.outbound.JobState.Dial;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Answers Twilio when the person who was dialled picks up: the call gets its name, its claim is kept under that name, and
 * the stream is pinned to it. Repeating it is harmless.
 */
public final class DialAnswering {
    private final DialProgress progress;
    private final Calls calls;
    private final Containers containers;
    private final Journal journal;
    private final Timing timing;

    public DialAnswering(DialProgress progress, Calls calls, Containers containers, Journal journal, Timing timing) {
        this.progress = progress;
        this.calls = calls;
        this.containers = containers;
        this.journal = journal;
        this.timing = timing;
    }

    /** What to tell Twilio. */
    public sealed interface Said {
        /** The answer to hop 1. */
        record Told(Answer answer) implements Said {}

        /** The claimed slot is gone: place the call as one that overflowed. */
        record Elsewhere(String reason) implements Said {}
    }

    public Said answer(JobId id, Generation generation, CallSid sid, Instant now) {
        Optional<Job> known = progress.learn(id, generation, sid, "its TwiML was asked for", now);
        if (known.isEmpty()
                || known.get().cancelRequested()
                || !known.get().state().isInFlight()) {
            // Not a dial of ours any more: nobody is to talk to a call that no slot and no count is held for.
            return new Said.Told(new Answer.HangUp(now));
        }
        Job job = known.get();
        Optional<Answer> given = first(job, sid);
        if (given.isPresent()) {
            return new Said.Told(given.get());
        }
        Dial dial = job.state().lastDial().orElseThrow();
        PoolId pool = PoolId.of(job.tenant());
        if (!containers.rename(pool, dial.container(), id, sid, generation)) {
            return new Said.Elsewhere("the slot claimed for it is gone");
        }
        Answer.Stream answer = new Answer.Stream(pool, dial.container(), generation, now.plus(timing.tokenLife()), now);
        Step answered = Step.answered(answer, "pinned to the slot claimed before the dial");
        if (!calls.place(job.tenant(), sid, 0, answer, List.of(answered))) {
            Optional<Answer> stands = first(job, sid);
            if (stands.flatMap(Answer::placed).filter(generation::equals).isEmpty()) {
                containers.release(pool, dial.container(), sid, generation); // it has another slot, or is over
            }
            return stands.<Said>map(Said.Told::new)
                    .orElseGet(() -> new Said.Elsewhere("the call was moved or ended by another webhook"));
        }
        journal.write(Entry.of("answered")
                .with("tenant", job.tenant())
                .with("callSid", sid)
                .with("job", id)
                .with("container", dial.container())
                .with("reason", "outbound: pinned to the slot claimed before the dial"));
        return new Said.Told(answer);
    }

    private Optional<Answer> first(Job job, CallSid sid) {
        return calls.find(job.tenant(), sid)
                .flatMap(call -> Optional.ofNullable(call.answers().get(1)));
    }
}
