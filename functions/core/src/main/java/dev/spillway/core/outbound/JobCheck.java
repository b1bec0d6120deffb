package dev.spillway.core.outbound;

import dev.spillway.core.call.JobId;
import dev.spillway.core.tenant.Tenant;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether a call that is asked for can be made at all, and what its unsaid parts are. */
public final class JobCheck {
    /** What a job without a deadline has. A guess: the day's work. */
    static final Duration USUAL_WINDOW = Duration.ofHours(24);

    /** The longest window; Twilio queues a day at most, and a job of next month is another system's. A guess. */
    static final Duration LONGEST_WINDOW = Duration.ofDays(14);

    /** How long a job lets other batches take their turns. A guess. */
    static final Duration USUAL_MAXIMUM_WAIT = Duration.ofMinutes(15);

    private final NumberHash hash;

    public JobCheck(NumberHash hash) {
        this.hash = hash;
    }

    /**
     * One thing that is wrong.
     *
     * @param field its name in the request
     * @param reason never repeats what was sent
     */
    public record Problem(String field, String reason) {}

    /** What came of the check: a job, or every problem. */
    public sealed interface Checked {
        record Sound(Job job) implements Checked {}

        record Faulty(List<Problem> problems) implements Checked {}
    }

    public Checked check(JobWish wish, Tenant tenant, OutboundPolicy policy, JobId id, Instant now) {
        List<Problem> problems = new ArrayList<>();
        Optional<Country> country = checkTo(wish.to(), tenant, policy, problems);
        String from = checkFrom(wish.from(), tenant, problems);
        if (wish.agent() != null && !wish.agent().equals(tenant.persona().agent())) {
            problems.add(new Problem("agent", "this tenant has no such agent"));
        }
        if (wish.batch() != null && !Job.Batch.isName(wish.batch())) {
            problems.add(new Problem("batch", "want up to 64 letters, digits, dots, hyphens and underscores"));
        }
        if (wish.weight() != null && (wish.weight() < 1 || wish.weight() > 100)) {
            problems.add(new Problem("weight", "want a whole number from 1 to 100"));
        }
        if (wish.maximumWait() != null
                && (wish.maximumWait().isNegative() || wish.maximumWait().compareTo(LONGEST_WINDOW) > 0)) {
            problems.add(new Problem("maximumWait", "want a duration of 0 to " + LONGEST_WINDOW.toDays() + " days"));
        }
        if (wish.notBefore() != null && wish.notBefore().isAfter(now.plus(LONGEST_WINDOW))) {
            // Nothing is reckoned with it: a time at the end of all time has none after it.
            problems.add(new Problem("notBefore", "lies more than " + LONGEST_WINDOW.toDays() + " days ahead"));
            return new Checked.Faulty(problems);
        }
        Instant notBefore = wish.notBefore() == null || wish.notBefore().isBefore(now) ? now : wish.notBefore();
        Instant deadline = wish.deadline() == null ? notBefore.plus(USUAL_WINDOW) : wish.deadline();
        checkWindow(notBefore, deadline, country, now, problems);
        if (!problems.isEmpty()) {
            return new Checked.Faulty(problems);
        }
        return new Checked.Sound(Job.accepted(
                id,
                Objects.requireNonNull(wish.to()),
                from,
                tenant.persona().agent(),
                new Job.Batch(
                        wish.batch() == null ? "default" : wish.batch(), wish.weight() == null ? 1 : wish.weight()),
                notBefore,
                deadline,
                wish.maximumWait() == null ? USUAL_MAXIMUM_WAIT : wish.maximumWait(),
                now));
    }

    private Optional<Country> checkTo(
            @Nullable String to, Tenant tenant, OutboundPolicy policy, List<Problem> problems) {
        if (to == null || !Job.isNumber(to)) {
            problems.add(new Problem("to", "want a phone number in E.164, such as +15005550006"));
            return Optional.empty();
        }
        Optional<Country> country = policy.countryOf(to);
        if (country.isEmpty()) {
            problems.add(new Problem("to", "no number of that country may be dialled"));
        } else if (policy.suppressed().contains(hash.of(tenant.id(), to))) {
            problems.add(new Problem("to", "the number is on the suppression list"));
        }
        return country;
    }

    private static String checkFrom(@Nullable String from, Tenant tenant, List<Problem> problems) {
        if (from == null && tenant.numbers().size() == 1) {
            return tenant.numbers().iterator().next();
        }
        if (from == null || !tenant.numbers().contains(from)) {
            problems.add(new Problem("from", "want one of the tenant's own numbers"));
            return "";
        }
        return from;
    }

    private static void checkWindow(
            Instant notBefore, Instant deadline, Optional<Country> country, Instant now, List<Problem> problems) {
        if (!deadline.isAfter(now)) {
            problems.add(new Problem("deadline", "lies in the past"));
        } else if (!deadline.isAfter(notBefore)) {
            problems.add(new Problem("deadline", "the window never opens: it is not after notBefore"));
        } else if (deadline.isAfter(now.plus(LONGEST_WINDOW))) {
            problems.add(new Problem("deadline", "lies more than " + LONGEST_WINDOW.toDays() + " days ahead"));
        } else if (country.isPresent()
                && country.get()
                        .nextOpening(notBefore)
                        .filter(opening -> opening.isBefore(deadline))
                        .isEmpty()) {
            problems.add(new Problem(
                    "deadline",
                    "the window never opens: calls begin from " + country.get().opens() + " to "
                            + country.get().closes() + " where the number is"));
        }
    }
}
