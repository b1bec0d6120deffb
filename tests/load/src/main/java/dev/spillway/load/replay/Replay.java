package dev.spillway.load.replay;

import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Operation;
import dev.spillway.load.ledger.Journal;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.Ending;
import dev.spillway.load.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Offers a schedule's arrivals at their times, whatever becomes of those before: an open model. One thread does nothing but
 * wait for the next time and launch what is due; each operation has a virtual thread of its own. Every arrival ends in
 * exactly one row.
 */
public final class Replay {
    /** A look at the system under test takes a fraction of it. */
    private static final long WAVE_LEAD_NANOS = 1_000_000_000;

    private final Schedule schedule;
    private final double speed;
    private final Limits limits;
    private final Adapter adapter;
    private final Journal journal;
    private final StopRules rules;
    private final StopRules.Count count;
    private final AtomicReferenceArray<@Nullable Row> rows;
    private final Set<Flight> flights = ConcurrentHashMap.newKeySet();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicReference<@Nullable String> stopped = new AtomicReference<>();
    private final CountDownLatch paced = new CountDownLatch(1);
    private final ThreadFactory threads = Thread.ofVirtual().name("call-", 0).factory();
    private final ScheduledThreadPoolExecutor timer;
    private IntConsumer beforeWave = wave -> {};
    private volatile long originNanos;
    private volatile boolean begun;
    private volatile @Nullable Thread pacer;

    public Replay(Schedule schedule, double speed, Limits limits, StopRules rules, Adapter adapter, Journal journal) {
        this.schedule = schedule;
        this.speed = speed;
        this.limits = limits;
        this.rules = rules;
        this.count = new StopRules.Count(rules);
        this.adapter = adapter;
        this.journal = journal;
        this.rows = new AtomicReferenceArray<>(schedule.arrivals().size());
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("time-outs").daemon().factory());
        timer.setRemoveOnCancelPolicy(true);
        this.originNanos = System.nanoTime();
        adapter.whenUnexpected(this::unexpected);
    }

    /**
     * Called, on a thread of its own, a second before a wave begins, so that it sees nothing of it; with the wave's place in
     * the schedule's list. A wave within the first second is told of before the run.
     */
    public void beforeEachWave(IntConsumer listener) {
        beforeWave = listener;
    }

    /**
     * What a run came to.
     *
     * @param rows in the schedule's order, one for each arrival
     * @param stopped why it ended early; null if it did not
     * @param leftOver operations that had not come back when the time for cleaning up was over
     */
    public record Ended(List<Row> rows, @Nullable String stopped, int leftOver) {
        public Ended {
            rows = List.copyOf(rows);
        }
    }

    /** Runs the schedule to its end, or until it is stopped; once. */
    public Ended run() throws InterruptedException {
        for (int wave = 0; wave < schedule.waves().size() && leadNanos(wave) <= 0; wave++) {
            beforeWave.accept(wave);
        }
        originNanos = System.nanoTime();
        begun = true;
        journal.note("{\"e\":\"origin\",\"t\":0,\"at\":\"" + Instant.now() + "\"}");
        scheduleStop();
        scheduleWaves();
        Thread thread = Thread.ofPlatform().name("pacer").unstarted(this::pace);
        pacer = thread;
        thread.start();
        try {
            paced.await();
            awaitFlights();
        } catch (InterruptedException e) {
            stop("interrupted");
            paced.await(); // the rows come first
            awaitFlights();
            throw e;
        } finally {
            timer.shutdownNow();
        }
        return new Ended(settledRows(), stopped.get(), inFlight.get());
    }

    /** {@link System#nanoTime} of the start. */
    public long originNanos() {
        return originNanos;
    }

    /** Operations whose adapter has not come back. */
    public int inFlight() {
        return inFlight.get();
    }

    /** Why it was stopped; null if it was not. */
    public @Nullable String stopped() {
        return stopped.get();
    }

    /** No new arrivals from now on; what has started is told to end. The first reason is kept. */
    public void stop(String why) {
        if (!stopped.compareAndSet(null, why)) {
            return;
        }
        journal.note("{\"e\":\"stop\",\"t\":" + (System.nanoTime() - originNanos) / 1_000_000 + ",\"inFlight\":"
                + inFlight.get() + ",\"why\":\"" + plain(why) + "\"}");
        Thread thread = pacer;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
        flights.forEach(Flight::cancel);
    }

    private void unexpected(String effect) {
        journal.note("{\"e\":\"unexpected\",\"t\":" + (System.nanoTime() - originNanos) / 1_000_000 + ",\"what\":\""
                + plain(effect) + "\"}");
        stop("unexpected side effect: " + effect);
    }

    private static String plain(String text) {
        return text.replace('"', '\'').replace('\\', '/');
    }

    private void scheduleStop() {
        Double most = rules.maxSeconds();
        if (most != null) {
            timer.schedule(
                    () -> stop("the run's longest time is over: " + most + " s"),
                    Math.round(most * 1e9),
                    TimeUnit.NANOSECONDS);
        }
    }

    /** When the wave is told of, from the start. */
    private long leadNanos(int wave) {
        return Math.round(schedule.waves().get(wave) / speed * 1e9) - WAVE_LEAD_NANOS;
    }

    private void scheduleWaves() {
        for (int i = 0; i < schedule.waves().size(); i++) {
            int wave = i;
            if (leadNanos(wave) > 0) {
                timer.schedule(
                        () -> Thread.ofVirtual().name("wave").start(() -> beforeWave.accept(wave)),
                        leadNanos(wave),
                        TimeUnit.NANOSECONDS);
            }
        }
    }

    /** Whether {@link #run} has begun: only then is {@link #originNanos} the start. */
    public boolean begun() {
        return begun;
    }

    private void pace() {
        CatchUp catchUp = new CatchUp(limits.maxPerSecond());
        try {
            for (Arrival arrival : schedule.arrivals()) {
                long due = arrival.dueNanos(speed);
                if (!waitUntil(due) || !waitUntil(catchUp.earliest(System.nanoTime() - originNanos))) {
                    settle(unstarted(arrival, Outcome.NOT_ATTEMPTED, "the run was stopped"));
                } else if (inFlight.get() >= limits.maxInFlight()) {
                    settle(unstarted(arrival, Outcome.GENERATOR_DROPPED, limits.maxInFlight() + " were in flight"));
                } else {
                    catchUp.launched(System.nanoTime() - originNanos);
                    launch(arrival);
                }
            }
        } finally {
            paced.countDown();
        }
    }

    /** False if the run was stopped before. */
    private boolean waitUntil(long dueNanos) {
        while (stopped.get() == null) {
            long left = originNanos + dueNanos - System.nanoTime();
            if (left <= 0) {
                return true;
            }
            LockSupport.parkNanos(this, left);
        }
        return false;
    }

    private void launch(Arrival arrival) {
        inFlight.incrementAndGet();
        Flight flight = new Flight(arrival);
        flights.add(flight);
        flight.thread.start();
        if (stopped.get() != null) {
            flight.cancel(); // stopped between the check and the launch
        }
    }

    private Row unstarted(Arrival arrival, Outcome outcome, String detail) {
        return new Row(
                arrival.id(),
                arrival.className(),
                schedule.directionOf(arrival),
                arrival.dueNanos(speed),
                null,
                null,
                null,
                outcome,
                detail,
                arrival.retryOf(),
                null);
    }

    private void settle(Row row) {
        if (rows.compareAndSet(row.id(), null, row)) {
            journal.settled(row);
            String enough;
            synchronized (count) {
                enough = count.add(row).orElse(null);
            }
            if (enough != null) {
                stop(enough);
            }
        }
    }

    private void awaitFlights() throws InterruptedException {
        long end = Long.MAX_VALUE;
        while (inFlight.get() > 0) {
            if (end == Long.MAX_VALUE && stopped.get() != null) {
                end = System.nanoTime() + limits.cleanup().toNanos();
            }
            if (end != Long.MAX_VALUE && System.nanoTime() - end > 0) {
                flights.forEach(Flight::giveUp);
                return;
            }
            if (!flights.isEmpty() && flights.stream().allMatch(flight -> flight.givenUp)) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    private List<Row> settledRows() {
        List<Row> all = new ArrayList<>(rows.length());
        for (int i = 0; i < rows.length(); i++) {
            Row row = rows.get(i);
            if (row == null) {
                throw new IllegalStateException("arrival " + i + " has no row");
            }
            all.add(row);
        }
        return all;
    }

    /** How long an operation may take: its call's length, if it has one, and the limit. */
    private Duration patience(Arrival arrival) {
        Double duration = arrival.duration();
        double seconds = 0;
        if (adapter.lastsAsLongAsItsCall()) {
            seconds = duration != null && schedule.classOf(arrival).endingOf(arrival) == Ending.AFTER_DURATION
                    ? duration / speed
                    : schedule.classOf(arrival).guessedSeconds();
        }
        return limits.timeout().plusNanos(Math.round(seconds * 1e9));
    }

    /** One operation that was launched. */
    private final class Flight {
        private final Arrival arrival;
        private final Operation operation;
        private final Thread thread;
        private volatile @Nullable Long started;
        private volatile boolean givenUp;
        /** Why it was told to end, and when; the first reason counts. */
        private final AtomicReference<@Nullable Cause> cause = new AtomicReference<>();

        private record Cause(Outcome outcome, String detail, long nanos) {}

        Flight(Arrival arrival) {
            this.arrival = arrival;
            this.operation = new Operation(
                    arrival, schedule.classOf(arrival), schedule.directionOf(arrival), speed, originNanos);
            this.thread = threads.newThread(this::run);
        }

        private void run() {
            try {
                begin();
            } finally {
                inFlight.decrementAndGet(); // first: whoever finds no flights finds none counted either
                flights.remove(this);
            }
        }

        private void begin() {
            long now;
            synchronized (this) {
                if (cause.get() != null) {
                    settle(unstarted(arrival, Outcome.CANCELED_BEFORE_START, "the run was stopped"));
                    return;
                }
                now = System.nanoTime() - originNanos;
                started = now;
            }
            journal.started(arrival.id(), now);
            Duration patience = patience(arrival);
            var timeout = timer.schedule(() -> expire(patience), patience.toNanos(), TimeUnit.NANOSECONDS);
            Outcome outcome;
            String detail;
            try {
                var answer = adapter.call(operation);
                outcome = answer.outcome();
                detail = answer.detail();
            } catch (dev.spillway.load.adapter.NotSentException e) {
                outcome = Outcome.CONNECTION_REFUSED;
                detail = String.valueOf(e.getMessage());
            } catch (dev.spillway.load.adapter.UnknownOutcomeException e) {
                outcome = Outcome.UNKNOWN;
                detail = String.valueOf(e.getMessage());
            } catch (InterruptedException e) {
                outcome = Outcome.ADAPTER_ERROR;
                detail = "interrupted";
            } catch (Exception e) {
                outcome = Outcome.ADAPTER_ERROR;
                detail = e.toString();
            }
            timeout.cancel(false);
            long finished = System.nanoTime() - originNanos;
            Cause told = cause.get();
            settle(
                    told == null
                            ? ended(outcome, detail, finished)
                            : ended(told.outcome(), told.detail(), told.nanos()));
        }

        private Row ended(Outcome outcome, String detail, long finished) {
            // an adapter cannot answer that its operation never started
            boolean plausible = outcome.started();
            return new Row(
                    arrival.id(),
                    arrival.className(),
                    operation.direction(),
                    arrival.dueNanos(speed),
                    started,
                    operation.firstAudio(),
                    finished,
                    plausible ? outcome : Outcome.ADAPTER_ERROR,
                    plausible ? detail : "the adapter answered " + outcome.text(),
                    arrival.retryOf(),
                    operation.evidence());
        }

        private void expire(Duration patience) {
            if (tell(Outcome.TIMEOUT, "not ended after " + patience.toMillis() + " ms")) {
                try {
                    timer.schedule(this::giveUp, limits.cleanup().toNanos(), TimeUnit.NANOSECONDS);
                } catch (java.util.concurrent.RejectedExecutionException e) {
                    giveUp(); // the run ends at this very moment
                }
            }
        }

        private synchronized void cancel() {
            tell(Outcome.CANCELED, "the run was stopped");
        }

        private boolean tell(Outcome outcome, String detail) {
            if (cause.compareAndSet(null, new Cause(outcome, detail, System.nanoTime() - originNanos))) {
                thread.interrupt();
                return true;
            }
            return false;
        }

        /** It was told to end and has not: its row is settled without it. */
        private void giveUp() {
            Cause told = cause.get();
            if (told != null && started != null) {
                settle(ended(told.outcome(), told.detail() + "; its cleanup was not over in time", told.nanos()));
            } else if (started == null) {
                settle(unstarted(arrival, Outcome.CANCELED_BEFORE_START, "the run was stopped"));
            }
            givenUp = true; // last: whoever sees it takes the row to be there
        }
    }
}
