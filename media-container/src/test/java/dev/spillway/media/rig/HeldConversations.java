package dev.spillway.media.rig;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.tenant.TenantId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Conversations of a table that is slow: the first save waits until the test lets it go, and so does every reading. */
public final class HeldConversations implements Conversations, AutoCloseable {
    private final Conversations table;
    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger found = new AtomicInteger();
    private final List<String> kept = new CopyOnWriteArrayList<>();
    private volatile boolean holdingKeeps;
    private volatile Duration beforeFinds = Duration.ZERO;

    public HeldConversations(Conversations table) {
        this.table = table;
    }

    public void holdKeeps() {
        holdingKeeps = true;
    }

    public void holdFinds() {
        beforeFinds = Duration.ofMinutes(1);
    }

    /** Each reading takes that long. */
    public void slowFinds(Duration each) {
        beforeFinds = each;
    }

    public void release() {
        released.countDown();
    }

    /** Saves that were begun. */
    public int begun() {
        return begun.get();
    }

    /** What was saved, in the order in which it landed. */
    public List<String> kept() {
        return kept;
    }

    /** Readings that were answered. */
    public int found() {
        return found.get();
    }

    @Override
    public boolean keep(TenantId tenant, CallSid sid, int hop, byte[] state, Instant now) {
        if (begun.incrementAndGet() == 1 && holdingKeeps) {
            hold(Duration.ofMinutes(1));
        }
        kept.add(new String(state, StandardCharsets.UTF_8));
        return table.keep(tenant, sid, hop, state, now);
    }

    @Override
    public Optional<byte[]> find(TenantId tenant, CallSid sid) {
        hold(beforeFinds);
        Optional<byte[]> answer = table.find(tenant, sid);
        found.incrementAndGet();
        return answer;
    }

    @Override
    public void forget(TenantId tenant, CallSid sid, Instant now) {
        table.forget(tenant, sid, now);
    }

    private void hold(Duration atMost) {
        try {
            released.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        release();
    }
}
