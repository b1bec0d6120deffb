package dev.spillway.core.call;

import dev.spillway.core.DependencyException;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What an agent knows of its call, kept so that another container can go on with it. Only the agent understands it. It lies
 * beside the call's record, is gone with the call, and after a day at the latest. Everything may throw {@link
 * DependencyException}.
 */
public interface Conversations {
    /** Half of what an item may hold. */
    int MOST_BYTES = 200_000;

    Duration KEPT = Duration.ofDays(1);

    /**
     * Keeps it in place of what was kept before, IF that is not of a later hop and the call is not over: a container that the
     * call has left must not overwrite what the next one knows, nor bring back what was forgotten. Whether it did.
     *
     * @throws IllegalArgumentException for more than {@link #MOST_BYTES}
     */
    boolean keep(TenantId tenant, CallSid sid, int hop, byte[] state, Instant now);

    Optional<byte[]> find(TenantId tenant, CallSid sid);

    /** The call is over; nothing of the conversation stays, and nothing is kept of it any more, whoever comes late. */
    void forget(TenantId tenant, CallSid sid, Instant now);

    /** Keeps nothing: for pools whose agents have nothing to keep. */
    Conversations NONE = new Conversations() {
        @Override
        public boolean keep(TenantId tenant, CallSid sid, int hop, byte[] state, Instant now) {
            return false;
        }

        @Override
        public Optional<byte[]> find(TenantId tenant, CallSid sid) {
            return Optional.empty();
        }

        @Override
        public void forget(TenantId tenant, CallSid sid, Instant now) {}
    };
}
