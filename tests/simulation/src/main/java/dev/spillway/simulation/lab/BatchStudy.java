package dev.spillway.simulation.lab;

import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.outbound.OutboundPolicy.Warmth;
import dev.spillway.core.outbound.Prewarming;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.scaling.Backlog;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.core.scaling.ScaleOut;
import dev.spillway.simulation.lab.CallTimes.CallTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * What lead and keep-warm times are worth for calls out whose time is known: one tenant, batches of 36 jobs that are due at
 * once, an outbound limit of 12, a dial a second, nobody who calls in. Growing and shrinking are the core's decisions with {@link
 * Prewarming}'s figures; the dialer is modelled.
 */
final class BatchStudy {
    private static final int BATCHES = 8;
    private static final int JOBS = 36;
    private static final int OUTBOUND_LIMIT = 12;
    private static final Duration FIRST = Duration.ofHours(1);
    private static final Generation GENERATION = new Generation(1, "laboratory000003");

    /**
     * @param waitMean seconds from a job's time to its dial
     * @param firstWaitMean of the first 12 jobs of each batch: those that could be dialled at once
     */
    record Result(Warmth warmth, Duration gap, double waitMean, double firstWaitMean, double hours, double least) {}

    private record Dial(Job job, Instant at, long endMillis) {}

    private final Agenda agenda = new Agenda();
    private final Tally tally = new Tally(agenda);
    private final Conditions conditions = Conditions.STANDARD;
    private final Random random = new Random(7);
    private final OutboundPolicy policy;
    private final Duration gap;
    private final TenantPool pool;
    private final List<Job> waiting = new ArrayList<>();
    private final List<Dial> dials = new ArrayList<>();
    private final Map<JobId, Generation> live = new HashMap<>();
    private boolean dialling;

    private BatchStudy(Warmth warmth, Duration gap) {
        this.gap = gap;
        this.policy = new OutboundPolicy(
                OUTBOUND_LIMIT, 0, 1000, 1, 10_000, Map.of(), List.of(Country.always("+1")), Set.of(), warmth);
        Policy rules = new Policy(
                0, conditions.maximum(), conditions.limit(), 0, Policy.USUAL_SCALE_OUT, Policy.USUAL_SCALE_IN);
        this.pool = new TenantPool(
                agenda, conditions, rules, tally, box -> agenda.in(conditions.announcement(), this::look));
    }

    static Result run(Warmth warmth, Duration gap) {
        return new BatchStudy(warmth, gap).run();
    }

    /** Every pair of some margins and keep-warm times, for batches that are close and for some that are not. */
    static String table() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%d batches of %d calls out, limit %d%n%8s %8s %8s %8s %10s %8s %8s%n",
                BATCHES,
                JOBS,
                OUTBOUND_LIMIT,
                "gap",
                "margin",
                "keep",
                "wait s",
                "first 12 s",
                "hours",
                "x least"));
        for (int gap : new int[] {15, 30, 60}) {
            for (int margin : new int[] {0, 1, 2, 4}) {
                for (int keep : new int[] {0, 10, 20}) {
                    Result result = run(
                            new Warmth(Duration.ofMinutes(margin), Duration.ofMinutes(keep)), Duration.ofMinutes(gap));
                    text.append(String.format(
                            Locale.ROOT,
                            "%6d m %6d m %6d m %8.1f %10.1f %8.2f %8.2f%n",
                            gap,
                            margin,
                            keep,
                            result.waitMean(),
                            result.firstWaitMean(),
                            result.hours(),
                            result.hours() / result.least()));
                }
            }
        }
        return text.toString();
    }

    private Result run() {
        for (int batch = 0; batch < BATCHES; batch++) {
            Instant due = Agenda.START.plus(FIRST).plus(gap.multipliedBy(batch));
            for (int n = 0; n < JOBS; n++) {
                waiting.add(job(batch, n, due));
            }
            agenda.at(due.toEpochMilli() - Agenda.START.toEpochMilli(), this::look); // the dialer is woken then
        }
        nextRound(0);
        int jobs = waiting.size();
        while ((dials.size() < jobs || !live.isEmpty() || !pool.boxes().isEmpty()) && agenda.step()) {
            // Each step is one event.
        }
        CallTimes times = new CallTimes(
                "batches",
                "",
                dials.stream()
                        .map(dial -> new CallTime(millis(dial.at()), dial.endMillis()))
                        .toList(),
                0);
        return new Result(
                policy.warmth(),
                gap,
                dials.stream().mapToDouble(BatchStudy::waited).average().orElse(0),
                dials.stream()
                        .filter(dial ->
                                Integer.parseInt(dial.job().id().random().substring(16)) < OUTBOUND_LIMIT)
                        .mapToDouble(BatchStudy::waited)
                        .average()
                        .orElse(0),
                tally.hours(),
                times.lowerBoundHours(conditions.limit()));
    }

    private static long millis(Instant at) {
        return Duration.between(Agenda.START, at).toMillis();
    }

    private static double waited(Dial dial) {
        return Duration.between(dial.job().notBefore(), dial.at()).toMillis() / 1000.0;
    }

    private static Job job(int batch, int n, Instant due) {
        return Job.accepted(
                new JobId(TenantPool.TENANT, "%016d%04d".formatted(batch, n)),
                "+1500555%04d".formatted(n),
                "+15005550006",
                "scripted",
                new Job.Batch("b" + batch, 1),
                due,
                due.plus(Duration.ofHours(1)),
                Duration.ofMinutes(15),
                Agenda.START);
    }

    private Backlog.Work work() {
        return Prewarming.plan(
                waiting,
                policy,
                OUTBOUND_LIMIT - live.size(),
                conditions.timing().coldStart(),
                agenda.now());
    }

    /** What the dialer does whenever it is told of something: dials what fits, and asks for what is missing. */
    private void look() {
        dial();
        for (boolean again = true; again; ) {
            ScaleOut decision = ScaleOut.plan(pool.view(), 0, work(), false, conditions.timing(), agenda.now());
            again = switch (decision) {
                case ScaleOut.Stay stay -> false;
                case ScaleOut.BackOff backOff -> false;
                case ScaleOut.Grow grow -> {
                    pool.desire(grow.desired(), grow.reason());
                    yield false;
                }
                case ScaleOut.Undrain undrain -> {
                    pool.undrain(pool.box(undrain.container().id()).orElseThrow(), undrain.reason());
                    yield true;
                }
            };
        }
    }

    private void dial() {
        Optional<Job> due = waiting.stream()
                .filter(job -> !job.notBefore().isAfter(agenda.now()))
                .findFirst();
        Optional<Box> free = pool.leastBusy().filter(box -> !box.isFull());
        if (dialling || due.isEmpty() || free.isEmpty() || live.size() >= OUTBOUND_LIMIT) {
            return;
        }
        Job job = due.get();
        Box box = free.get();
        waiting.remove(job);
        live.put(job.id(), GENERATION);
        pool.outbound(live);
        box.put(job.id(), Claim.connected(GENERATION, TenantPool.TENANT, agenda.now(), agenda.now()));
        box.active(agenda.now());
        // A call out of a minute or so, lognormal like those that come in.
        long end = agenda.millis() + Math.round(60_000 * Math.exp(0.7 * random.nextGaussian()));
        dials.add(new Dial(job, agenda.now(), end));
        agenda.at(end, () -> {
            live.remove(job.id());
            pool.outbound(live);
            box.remove(job.id());
            box.active(agenda.now());
            pool.closeIfEmpty(box);
            agenda.in(conditions.announcement(), this::look);
        });
        dialling = true;
        agenda.in(Duration.ofSeconds(1), () -> {
            dialling = false;
            dial();
        });
    }

    private void nextRound(long minute) {
        Duration round = conditions.timing().round();
        agenda.at(minute * round.toMillis() + random.nextLong(round.toMillis()), () -> {
            round();
            nextRound(minute + 1);
        });
    }

    private void round() {
        pool.stopDrained();
        switch (ScaleIn.plan(pool.view(), 0, work(), conditions.timing(), agenda.now())) {
            case ScaleIn.Keep keep -> {}
            case ScaleIn.Restart restart -> pool.restartIdleWindow(agenda.now());
            case ScaleIn.Drain drain -> {
                pool.lock();
                pool.restartIdleWindow(agenda.now());
                for (Container container : drain.containers()) {
                    Box box = pool.box(container.id()).orElseThrow();
                    if (box.state() == ContainerState.READY) {
                        pool.drain(box, drain.reason());
                    }
                }
            }
        }
        look();
    }
}
