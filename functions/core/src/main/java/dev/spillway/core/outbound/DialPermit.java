package dev.spillway.core.outbound;

import dev.spillway.core.attempt.Cause;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Whether that number may be dialled at all, and now. */
public final class DialPermit {
    private final NumberHash hash;

    public DialPermit(NumberHash hash) {
        this.hash = hash;
    }

    /** What came of asking. */
    public sealed interface Verdict {
        record Granted() implements Verdict {}

        record NotNow(Admission.Defer defer) implements Verdict {}

        record Never(String reason) implements Verdict {}
    }

    /** @param busy numbers to which a call is up or may be */
    public Verdict of(Job job, OutboundPolicy policy, Set<String> busy, Instant now) {
        Optional<Country> country = policy.countryOf(job.to());
        if (country.isEmpty()) {
            return new Verdict.Never("no number of that country may be dialled");
        }
        if (policy.suppressed().contains(hash.of(job.tenant(), job.to()))) {
            return new Verdict.Never("the number is on the suppression list");
        }
        if (!country.get().isOpen(now)) {
            return new Verdict.NotNow(new Admission.Defer(
                    Cause.CALLING_HOURS,
                    "calls begin from " + country.get().opens() + " to "
                            + country.get().closes() + " where the number is",
                    country.get().nextOpening(now).orElse(job.deadline())));
        }
        if (busy.contains(job.to())) {
            return new Verdict.NotNow(
                    new Admission.Defer(Cause.FAIRNESS, "another call to this number is under way", now));
        }
        return new Verdict.Granted();
    }
}
