package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.generation;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.attempt.Attempts.Cursor;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.attempt.Summary;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobState;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Some thousand attempts and Twilio's callbacks about them, duplicated and in any order: a thousand callers, and five
 * hundred jobs of which half are being dialled and half have a call. What is to become of each follows from its one final
 * status.
 */
public final class Ingestion {
    public static final int CALLERS = 1000;
    public static final int JOBS = 500;
    public static final int CALLBACKS = 6000;
    private static final TenantId TENANT = Sample.ACME;
    private static final PoolId POOL = Sample.ACME_POOL;
    private static final int WORKERS = 8;

    /** Each look reads every attempt: without a rest between them, most of the time would go to looking. */
    private static final int BETWEEN_LOOKS = 50;

    private static final Duration BOUND = Duration.ofMinutes(5);

    /**
     * One status callback.
     *
     * @param job null for a caller's
     * @param generation of the job's dial
     * @param status Twilio's word
     */
    public record Callback(
            CallSid call, @Nullable JobId job, @Nullable Generation generation, String status) {}

    private enum Placed {
        UNANSWERED,
        SENT,
        CONNECTED,
        BUSY
    }

    private final Random random;
    private final Map<String, Outcome> expected = new LinkedHashMap<>();
    private final List<Callback> callbacks = new ArrayList<>();

    /** @param seed printed, so that a run can be repeated */
    public Ingestion(long seed) {
        System.out.println("ingestion: seed " + seed);
        this.random = new Random(seed);
    }

    /** Writes the attempts, and makes the callbacks about them. */
    public void prepare(Calls calls, Jobs jobs, Containers containers) {
        for (int n = 0; n < CALLERS; n++) {
            caller(calls, n);
        }
        Map<ClaimKey, Claim> claims = new HashMap<>();
        for (int n = CALLERS; n < CALLERS + JOBS; n++) {
            job(calls, jobs, n);
            claims.put(Sample.job(n), Claim.reserved(generation(1, n), TENANT, NOW, NOW));
            if (claims.size() == Sample.LIMIT || n == CALLERS + JOBS - 1) {
                containers.register(container((n - CALLERS) / Sample.LIMIT).withClaims(claims));
                claims.clear();
            }
        }
        List<Callback> all = new ArrayList<>(callbacks);
        while (all.size() < CALLBACKS) {
            all.add(callbacks.get(random.nextInt(callbacks.size())));
        }
        Collections.shuffle(all, random);
        callbacks.clear();
        callbacks.addAll(all);
    }

    private static Container container(int n) {
        return Sample.ready(POOL, "a" + n);
    }

    private void caller(Calls calls, int n) {
        CallSid call = Sample.call(n);
        calls.begin(Call.arrived(TENANT, call, at(n)));
        Placed placed = List.of(Placed.SENT, Placed.CONNECTED, Placed.BUSY).get(random.nextInt(3));
        if (placed == Placed.BUSY) {
            calls.place(TENANT, call, 0, new Answer.Busy(at(n)));
        } else {
            calls.place(TENANT, call, 0, Sample.stream(PoolId.GATEWAY, "gw1", 1, n, at(n)));
        }
        if (placed == Placed.CONNECTED) {
            calls.connect(TENANT, call, generation(1, n));
        }
        String last = List.of("completed", "completed", "no-answer", "failed", "canceled")
                .get(random.nextInt(5));
        expected.put(call.value(), outcome(placed, last));
        for (String status : List.of("in-progress", last)) {
            callbacks.add(new Callback(call, null, null, status));
        }
    }

    private void job(Calls calls, Jobs jobs, int n) {
        JobId id = Sample.job(n);
        CallSid call = Sample.call(n);
        Job accepted = Job.accepted(
                id,
                "+1500555%04d".formatted(n),
                "+15005550006",
                "scripted",
                new Job.Batch("spring", 1),
                NOW,
                NOW.plusSeconds(36_000),
                Duration.ofMinutes(15),
                at(n));
        JobState.Dial dial =
                new JobState.Dial(container((n - CALLERS) / Sample.LIMIT).id(), generation(1, n), at(n));
        Job job = accepted.dialling(dial, "call out");
        Placed placed = random.nextBoolean() ? Placed.UNANSWERED : Placed.CONNECTED;
        jobs.create(accepted);
        jobs.replace(job);
        if (placed == Placed.CONNECTED) {
            calls.begin(Call.dialled(id, call, at(n)));
            jobs.replace(job.dialled(call, "Twilio's reply", at(n)));
            calls.place(TENANT, call, 0, Sample.stream(PoolId.GATEWAY, "gw1", 1, n, at(n)));
            calls.connect(TENANT, call, generation(1, n));
        }
        String last = placed == Placed.CONNECTED
                ? random.nextInt(4) == 0 ? "failed" : "completed"
                : List.of("busy", "no-answer", "failed", "canceled").get(random.nextInt(4));
        expected.put(id.value(), outcome(placed, last));
        for (String status : List.of("initiated", "ringing", "in-progress", last)) {
            callbacks.add(new Callback(call, id, generation(1, n), status));
        }
    }

    private static Outcome outcome(Placed placed, String last) {
        if (placed == Placed.BUSY) {
            return Outcome.REFUSED;
        }
        boolean connected = placed == Placed.CONNECTED;
        return switch (last) {
            case "completed" -> connected ? Outcome.COMPLETED : Outcome.ABANDONED;
            case "failed" -> connected ? Outcome.LOST : Outcome.SETUP_FAILED;
            case "canceled" -> Outcome.CANCELED;
            default -> Outcome.ABANDONED;
        };
    }

    private static Instant at(int n) {
        return NOW.plusMillis(n);
    }

    /**
     * Has every callback taken, by several workers at once, while the sums are looked at again and again: nobody is lost,
     * what has ended stays so, and {@code offered = terminals + open} (a summary that does not add up cannot be made).
     */
    public void run(Consumer<Callback> handler, Attempts attempts) throws Exception {
        AttemptListing listing = new AttemptListing(attempts);
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger taken = new AtomicInteger();
        Semaphore looks = new Semaphore(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Integer> looking = threads.submit(() -> look(listing, looks, done));
            List<Callable<Integer>> workers = new ArrayList<>();
            for (int worker = 0; worker < WORKERS; worker++) {
                int first = worker;
                workers.add(() -> {
                    for (int i = first; i < callbacks.size(); i += WORKERS) {
                        handler.accept(callbacks.get(i));
                        if (taken.incrementAndGet() % BETWEEN_LOOKS == 0) {
                            looks.release();
                        }
                    }
                    return first;
                });
            }
            try {
                for (Future<Integer> worker : threads.invokeAll(workers)) {
                    worker.get(BOUND.toSeconds(), TimeUnit.SECONDS);
                }
            } finally {
                done.set(true);
                looks.release();
            }
            System.out.println(
                    "ingestion: the sums held " + looking.get(BOUND.toSeconds(), TimeUnit.SECONDS) + " times");
        }
    }

    private static int look(AttemptListing listing, Semaphore turns, AtomicBoolean done) throws InterruptedException {
        int looks = 0;
        int open = CALLERS + JOBS;
        while (true) {
            turns.acquire();
            turns.drainPermits(); // one look is enough for all that has happened since
            boolean last = done.get();
            Summary summary = listing.list(TENANT, NOW, null, 1, NOW.plusSeconds(60))
                    .summary()
                    .orElseThrow();
            looks++;
            assertThat(summary.offered()).isEqualTo(CALLERS + JOBS);
            assertThat(summary.open()).isLessThanOrEqualTo(open);
            open = summary.open();
            if (last) {
                return looks;
            }
        }
    }

    /** Each attempt has the outcome that it should have, once, and no slot is held for a job. */
    public void check(Attempts attempts, Pools pools) {
        Map<String, Outcome> found = new HashMap<>();
        Cursor after = null;
        do {
            Attempts.Page page = attempts.page(TENANT, NOW, after, 100);
            for (Attempt attempt : page.attempts()) {
                assertThat(found.put(attempt.id(), attempt.outcome())).isNull();
                assertThat(attempt.story().steps().stream().filter(step -> step.kind() == Step.Kind.ENDED))
                        .as("ends of " + attempt.id())
                        .hasSize(1);
            }
            after = page.next();
        } while (after != null);
        assertThat(found).isEqualTo(expected);
        Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            counts.put(outcome, Collections.frequency(expected.values(), outcome));
        }
        Summary summary = new AttemptListing(attempts)
                .list(TENANT, NOW, null, 1, NOW.plusSeconds(60))
                .summary()
                .orElseThrow();
        assertThat(summary.open()).isZero();
        assertThat(summary.outcomes()).isEqualTo(counts);
        assertThat(summary.inbound().offered()).isEqualTo(CALLERS);
        assertThat(summary.outbound().offered()).isEqualTo(JOBS);
        assertThat(pools.read(POOL).orElseThrow().containers())
                .allSatisfy(container -> assertThat(container.claims()).isEmpty());
    }
}
