package dev.spillway.media.wire;

import dev.spillway.media.admission.Admission;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What the load balancer asks before it brings anything here. A full container passes: it takes its own streams and passes
 * others on, and a load balancer that finds no healthy target at all would use every registered one, the fewest requests
 * first, and so the very one whose port is not open yet (decision 24). Whether a new call would be taken is said by
 * {@code /health}.
 */
public final class TargetCheck {
    private final Admission admission;
    private final CountDownLatch passed = new CountDownLatch(1);

    public TargetCheck(Admission admission) {
        this.admission = admission;
    }

    /** Why nothing should be brought here; empty if the load balancer may, and then it has passed. */
    Optional<String> refusal() {
        Optional<String> refusal = admission.leaving();
        if (refusal.isEmpty()) {
            passed.countDown();
        }
        return refusal;
    }

    /** Waits until it has passed once; false if it did not within that time. */
    public boolean awaitPass(Duration most) throws InterruptedException {
        return passed.await(most.toNanos(), TimeUnit.NANOSECONDS);
    }
}
