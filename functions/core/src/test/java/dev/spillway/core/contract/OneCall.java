package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Offer;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;

/** A call that each test has for itself, so that a table may be shared by all of them. */
@SuppressWarnings("NullAway.Init")
public abstract class OneCall {
    private static final AtomicInteger NEXT = new AtomicInteger(10_000);

    Calls calls;
    CallSid sid;

    /** The port to test. */
    protected abstract Calls calls();

    @BeforeEach
    void freshCall() {
        calls = calls();
        sid = Sample.call(NEXT.incrementAndGet());
    }

    Call call() {
        return calls.find(ACME, sid).orElseThrow();
    }

    static Answer.Stream onGateway(int hop, int n) {
        return stream(PoolId.GATEWAY, "gw1", hop, n, seconds(hop));
    }

    static Answer.Stream onOwn(int hop, int n) {
        return stream(ACME_POOL, "a1", hop, n, seconds(hop));
    }

    static Offer offer(int hop, int n) {
        return new Offer(new ContainerId("a1"), generation(hop, n), seconds(40));
    }

    void placedOnGateway() {
        calls.begin(Call.arrived(ACME, sid, NOW));
        calls.place(ACME, sid, 0, onGateway(1, 1));
    }
}
