package dev.spillway.core.memory;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Conversations in memory. */
public final class MemoryConversations implements Conversations {
    private record Kept(int hop, byte[] state) {
        /** Nothing is kept of a call that is over. */
        private static final Kept OVER = new Kept(Integer.MAX_VALUE, new byte[0]);
    }

    private final Map<String, Kept> kept = new ConcurrentHashMap<>();

    @Override
    public boolean keep(TenantId tenant, CallSid sid, int hop, byte[] state, Instant now) {
        if (state.length > MOST_BYTES) {
            throw new IllegalArgumentException("a conversation has " + MOST_BYTES + " bytes at most");
        }
        AtomicBoolean done = new AtomicBoolean();
        kept.compute(key(tenant, sid), (key, before) -> {
            done.set(before == null || before.hop() <= hop);
            return before == null || before.hop() <= hop ? new Kept(hop, state.clone()) : before;
        });
        return done.get();
    }

    @Override
    public Optional<byte[]> find(TenantId tenant, CallSid sid) {
        return Optional.ofNullable(kept.get(key(tenant, sid)))
                .map(Kept::state)
                .filter(state -> state.length > 0)
                .map(byte[]::clone);
    }

    @Override
    public void forget(TenantId tenant, CallSid sid, Instant now) {
        kept.put(key(tenant, sid), Kept.OVER);
    }

    private static String key(TenantId tenant, CallSid sid) {
        return tenant + "/" + sid;
    }
}
