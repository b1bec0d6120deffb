package dev.spillway.media.agent;

import dev.spillway.core.call.Conversations;
import dev.spillway.media.admission.Seat;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Keeps what an embedded agent knows of its call where the next container finds it. Every method blocks, and throws {@link
 * dev.spillway.core.DependencyException} if the table cannot be reached.
 */
public final class AgentMemory {
    private final Conversations conversations;
    private final Seat seat;
    private final InstantSource clock;

    public AgentMemory(Conversations conversations, Seat seat, InstantSource clock) {
        this.conversations = conversations;
        this.seat = seat;
        this.clock = clock;
    }

    /** False if the call has gone on elsewhere, or is over: then nothing of it is to be kept here. */
    public boolean save(byte[] conversation) {
        return conversations.keep(seat.tenant(), seat.sid(), seat.generation().hop(), conversation, clock.instant());
    }

    /** Empty if nothing was said to its end yet. */
    public Optional<byte[]> find() {
        return conversations.find(seat.tenant(), seat.sid());
    }

    /** The call is over. */
    public void forget() {
        conversations.forget(seat.tenant(), seat.sid(), clock.instant());
    }
}
