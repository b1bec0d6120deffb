package dev.spillway.load.replay;

import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.ledger.Bundle;
import dev.spillway.load.ledger.Journal;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.StartConditions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One run from its start conditions to its probe call, into one folder. */
public final class Session {
    /** A stopped run does not wait for long, and says what is left. */
    private static final Duration AFTER_A_STOP = Duration.ofSeconds(10);

    /** The probe's own call is let go as any other; what is there later is something else. */
    private static final Duration AFTER_THE_PROBE = Duration.ofSeconds(10);

    /**
     * How it is run.
     *
     * @param quiet how long the system may take to come to its baseline after the last call
     * @param startWait how long the start conditions may take to come about
     * @param setUpByCommand whether a command has brought about what cannot be seen or done from here
     */
    public record Plan(
            Schedule schedule,
            double speed,
            Limits limits,
            StopRules rules,
            Duration quiet,
            Duration startWait,
            boolean setUpByCommand) {}

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

    /** What a schedule wants before its start and what cannot be brought about from here, in words. */
    public static List<String> impossible(StartConditions wanted, boolean setUpByCommand) {
        return StartUp.impossible(wanted, setUpByCommand);
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
                StartUp startUp = new StartUp(plan, adapter, progress, () -> stoppedEarly != null);
                startUp.bringAbout(watch, journal).ifPresent(replay::stop);
                String early = stoppedEarly;
                if (early != null) {
                    replay.stop(early);
                }
                watch.system("start");
                watch.look("before the run");
                watch.start();
                replay.beforeEachWave(wave -> watch.look("before wave " + (wave + 1)));
                progress.accept("offering " + plan.schedule().arrivals().size() + " arrivals ...");
                Replay.Ended ended = replay.run();
                watch.look("after the last call");
                boolean nothing = ended.rows().stream().allMatch(row -> row.started() == null);
                recover(watch, journal, replay, nothing ? Duration.ofMillis(1) : plan.quiet());
                watch.look("at the end");
                watch.system("end");
                journal.note("{\"e\":\"end\",\"t\":" + (System.nanoTime() - replay.originNanos()) / 1_000_000
                        + ",\"leftOver\":" + ended.leftOver() + "}");
            }
        }
    }

    /** What the system is to come back to: a pool that was wanted warm may keep its containers. */
    static Predicate<Inventory> baseline(StartConditions wanted) {
        return "warm".equals(wanted.pool()) ? Inventory::isIdle : Inventory::atBaseline;
    }

    private void recover(Watch watch, Journal journal, Replay replay, Duration quiet) throws InterruptedException {
        boolean stopped = replay.stopped() != null;
        long lastDue = Math.round(plan.schedule().lastAt() / plan.speed() * 1e9);
        Duration most = stopped && quiet.compareTo(AFTER_A_STOP) > 0 ? AFTER_A_STOP : quiet;
        if (!adapter.hosts().isEmpty()) {
            progress.accept("waiting up to " + most.toSeconds() + " s for the baseline ...");
        }
        boolean reached =
                watch.awaitBaseline(most, lastDue, baseline(plan.schedule().start()));
        if (adapter.inventory().isEmpty() && !adapter.hosts().isEmpty()) {
            for (long end = System.nanoTime() + most.toNanos();
                    System.nanoTime() - end < 0 && replay.stopped() == null; ) {
                TimeUnit.MILLISECONDS.sleep(Math.clamp((end - System.nanoTime()) / 1_000_000, 1, 100));
            }
        }
        Instant until = plan.limits().until();
        boolean authorised = until == null || Instant.now().isBefore(until);
        if (reached
                && replay.stopped() == null
                && authorised
                && !adapter.hosts().isEmpty()) {
            for (String tenant : plan.schedule().tenants()) {
                journal.probed(Probe.call(adapter, tenant.isEmpty() ? null : tenant, replay.originNanos()));
            }
            watch.awaitIdle(AFTER_THE_PROBE);
        }
    }
}
