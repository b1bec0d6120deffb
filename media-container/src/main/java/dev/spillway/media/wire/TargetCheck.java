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
    /** How an Application Load Balancer's health checks name themselves (AWS, "Health checks for ALB target groups"). */
    private static final String LOAD_BALANCER = "ELB-HealthChecker/";

    private final Admission admission;
    private final CountDownLatch passed = new CountDownLatch(1);

    public TargetCheck(Admission admission) {
        this.admission = admission;
    }

    /**
     * Why nothing should be brought here; empty if the load balancer may.
     *
     * @param userAgent of whoever asks: anybody may, and only the load balancer's own question counts as passed
     */
    Optional<String> refusal(String userAgent) {
        Optional<String> refusal = admission.leaving();
        if (refusal.isEmpty() && userAgent.startsWith(LOAD_BALANCER)) {
            passed.countDown();
        }
        return refusal;
    }

    /** Ends the waiting: this container will not be READY any more. */
    public void giveUp() {
        passed.countDown();
    }

    /** Waits until it has passed once, or was given up; false if it did not within that time. */
    public boolean awaitPass(Duration most) throws InterruptedException {
        return passed.await(most.toNanos(), TimeUnit.NANOSECONDS);
    }
}
