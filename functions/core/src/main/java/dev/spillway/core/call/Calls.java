package dev.spillway.core.call;

import dev.spillway.core.DependencyException;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The calls in the table. Each write is one conditional write on one item; {@code false} means that the condition did
 * not hold, and nothing changed. After a lost reply the adapter reads consistently: a write whose own generation is
 * found counts as applied. Everything may throw {@link DependencyException}.
 *
 * <p>What is told of a call, its steps, is added by the very write that it tells about, and only if that write took
 * effect: telling costs no write, but for what happens without one. A story that is full only counts what it drops; see {@link
 * dev.spillway.core.attempt.Story}.
 */
public interface Calls {
    /** What the story tells of an adoption of a call that had no record. */
    String UNKNOWN = "taken in without a record of the call";

    /** What the story tells of an adoption of a call that was sent elsewhere, or anywhere. */
    String ADOPTED = "taken in by whoever had room";

    /** Writes the attempt; false if the call is known already. */
    boolean begin(Call call);

    Optional<Call> find(TenantId tenant, CallSid sid);

    /** Moves the call from {@code fromHop} to the next, drops its offer and stores the answer, IF it is still there and open. */
    boolean place(TenantId tenant, CallSid sid, int fromHop, Answer answer, List<Step> steps);

    /** With nothing to tell. */
    default boolean place(TenantId tenant, CallSid sid, int fromHop, Answer answer) {
        return place(tenant, sid, fromHop, answer, List.of());
    }

    /** Writes the offer IF the call is at that hop, open and not finished, and has none; and tells of it. */
    boolean offer(TenantId tenant, CallSid sid, int hop, Offer offer);

    /** Takes back that very offer. */
    boolean withdraw(TenantId tenant, CallSid sid, Generation offer);

    /** Marks the hop as connected IF the call is placed on that generation and the hop was not connected before. */
    boolean connect(TenantId tenant, CallSid sid, Generation generation, List<Step> steps);

    /** With nothing to tell. */
    default boolean connect(TenantId tenant, CallSid sid, Generation generation) {
        return connect(tenant, sid, generation, List.of());
    }

    /**
     * A container other than the addressee takes the call, or one that found no record of it: places it here and marks
     * the hop as connected, IF the call is not past that hop and the hop was not connected. Creates the call if it is
     * unknown. Moving the call to a later hop drops its offer; adopted at the hop it is on, it keeps the offer, whose
     * slot waits for it wherever it talks meanwhile. The call's story tells of it.
     *
     * @param arrivedAt used only for a call that is unknown
     */
    boolean adopt(TenantId tenant, CallSid sid, Answer.Stream here, Instant arrivedAt);

    /**
     * The call turns out to have been dialled for a job, while its record was made by one who did not know that: it is no
     * attempt of its own any more. IF the call is known, and of no job.
     */
    boolean belong(TenantId tenant, CallSid sid, JobId job);

    /** Adds steps that came with no other write, IF the call is still at that hop and open. */
    boolean tell(TenantId tenant, CallSid sid, int hop, List<Step> steps);

    /** The agent has ended the conversation: the next webhook hangs up. */
    void finish(TenantId tenant, CallSid sid);

    /** Writes the terminal outcome IF there is none. */
    boolean end(TenantId tenant, CallSid sid, Outcome outcome, Instant now, List<Step> steps);

    /** With nothing to tell. */
    default boolean end(TenantId tenant, CallSid sid, Outcome outcome, Instant now) {
        return end(tenant, sid, outcome, now, List.of());
    }
}
