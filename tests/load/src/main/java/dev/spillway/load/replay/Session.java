package dev.spillway.load.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Answer;
import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.adapter.NotSentException;
import dev.spillway.load.adapter.Operation;
import dev.spillway.load.adapter.UnknownOutcomeException;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Journal;
import dev.spillway.load.ledger.Outcome;
import dev.spillway.load.ledger.Row;
import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.Schedule;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One run from its start conditions to its probe call, into one folder. */
public final class Session {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** A stopped run does not wait for long, and says what is left. */
    private static final Duration AFTER_A_STOP = Duration.ofSeconds(10);

    private static final double PROBE_SECONDS = 30;

    /**
     * How it is run.
     *
     * @param quiet how long the system may take to come to its baseline after the last call
     * @param startWait how long the start conditions may take to come about
     */
    public record Plan(
            Schedule schedule, double speed, Limits limits, StopRules rules, Duration quiet, Duration startWait) {}

    private final Plan plan;
    private final Adapter adapter;
    private final Bundle bundle;
    private final Consumer<String> progress;
    private final AtomicReference<@Nullable Replay> running = new AtomicReference<>();
    private volatile @Nullable String stoppedEarly;

    public Session(Plan plan, Adapter adapter, Bundle bundle, Consumer<String> progress) {
        this.plan = plan;
        this.adapter = adapter;
        this.bundle = bundle;
        this.progress = progress;
    }

    /** Ends the run: no new arrivals; calls that are up are hung up; every arrival keeps its row. */
    public void stop(String why) {
        stoppedEarly = why;
        Replay replay = running.get();
        if (replay != null) {
            replay.stop(why);
        }
    }

    /** @throws IOException if the ledger cannot be written */
    public void run() throws IOException, InterruptedException {
        try (Journal journal = new Journal(bundle.journal())) {
            Replay replay = new Replay(plan.schedule(), plan.speed(), plan.limits(), plan.rules(), adapter, journal);
            running.set(replay);
            try (Watch watch = new Watch(replay, journal, plan.rules(), adapter.inventory())) {
                setUp(watch, journal, replay);
                String early = stoppedEarly;
                if (early != null) {
                    replay.stop(early);
                }
                watch.look("before the run");
                watch.start();
                replay.beforeEachWave(wave -> watch.look("before wave " + (wave + 1)));
                progress.accept("offering " + plan.schedule().arrivals().size() + " arrivals ...");
                Replay.Ended ended = replay.run();
                watch.look("after the last call");
                recover(watch, journal, replay);
                watch.look("at the end");
                journal.note("{\"e\":\"end\",\"t\":" + (System.nanoTime() - replay.originNanos()) / 1_000_000
                        + ",\"leftOver\":" + ended.leftOver() + "}");
            }
        }
    }

    private void recover(Watch watch, Journal journal, Replay replay) throws InterruptedException {
        boolean stopped = replay.stopped() != null;
        long lastDue = Math.round(plan.schedule().lastAt() / plan.speed() * 1e9);
        Duration most = stopped && plan.quiet().compareTo(AFTER_A_STOP) > 0 ? AFTER_A_STOP : plan.quiet();
        if (adapter.inventory().isPresent()) {
            progress.accept("waiting up to " + most.toSeconds() + " s for the baseline ...");
        }
        boolean reached = watch.awaitBaseline(most, lastDue);
        Instant until = plan.limits().until();
        boolean authorised = until == null || Instant.now().isBefore(until);
        if (reached && !stopped && authorised && !adapter.hosts().isEmpty()) {
            journal.probed(probe(replay.originNanos()));
        }
    }

    /** One harmless call through the voice path. */
    private Row probe(long origin) {
        Arrival arrival = Arrival.at(-1, 0, null, "probe");
        CallClass callClass = CallClass.ofTurns("probe", 1);
        Operation operation = new Operation(arrival, callClass, Direction.INBOUND, 1, origin);
        long started = System.nanoTime() - origin;
        Answer answer;
        Thread me = Thread.currentThread();
        Thread patience = Thread.ofVirtual().start(() -> {
            try {
                TimeUnit.MILLISECONDS.sleep(Math.round(PROBE_SECONDS * 1_000));
                me.interrupt();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the probe was answered
            }
        });
        try {
            answer = adapter.call(operation);
        } catch (NotSentException e) {
            answer = new Answer(Outcome.CONNECTION_REFUSED, String.valueOf(e.getMessage()));
        } catch (UnknownOutcomeException e) {
            answer = new Answer(Outcome.UNKNOWN, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            answer = new Answer(Outcome.TIMEOUT, "not ended after " + PROBE_SECONDS + " s");
        } catch (Exception e) {
            answer = new Answer(Outcome.ADAPTER_ERROR, e.toString());
        } finally {
            patience.interrupt();
        }
        return new Row(
                -1,
                "probe",
                Direction.INBOUND,
                started,
                started,
                operation.firstAudio(),
                System.nanoTime() - origin,
                answer.outcome(),
                answer.detail(),
                null,
                operation.evidence());
    }

    /** Brings about what the schedule wants the system to be like, as far as that can be seen from here. */
    private void setUp(Watch watch, Journal journal, Replay replay) throws InterruptedException {
        String pool = plan.schedule().start().pool();
        if (pool == null) {
            return;
        }
        progress.accept("waiting up to " + plan.startWait().toSeconds() + " s for the pool to be " + pool + " ...");
        boolean met = false;
        boolean seen = false;
        boolean warmed = false;
        long end = System.nanoTime() + plan.startWait().toNanos();
        while (!met && System.nanoTime() - end < 0 && stoppedEarly == null) {
            Optional<Inventory> inventory = watch.look("start conditions");
            Integer containers = inventory.map(Inventory::containers).orElse(null);
            seen |= containers != null;
            met = containers != null && (pool.equals("zero") ? containers == 0 : containers > 0);
            if (containers == null) {
                break;
            }
            if (!met) {
                if (pool.equals("warm") && !warmed) {
                    probe(replay.originNanos()); // a call makes a container come
                    warmed = true;
                }
                TimeUnit.SECONDS.sleep(1);
            }
        }
        journal.note(JSON.createObjectNode()
                .put("e", "start-condition")
                .put("t", 0)
                .put("pool", pool)
                .put("state", met ? "as wanted" : seen ? "not as wanted" : "unavailable")
                .toString());
    }
}
