package dev.spillway.load.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.load.adapter.Adapter;
import dev.spillway.load.adapter.Inventory;
import dev.spillway.load.ledger.Journal;
import dev.spillway.load.schedule.StartConditions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings about what a schedule wants the system to be like before its first call. A pool at zero is waited for; warmth is made
 * by a call to each tenant. Cold functions, and cold caches beside a pool that is not at zero, cannot be had from here: only a
 * system that was just started has them, or a command that the user gives.
 */
final class StartUp {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Session.Plan plan;
    private final Adapter adapter;
    private final Consumer<String> progress;
    private final BooleanSupplier stopped;

    StartUp(Session.Plan plan, Adapter adapter, Consumer<String> progress, BooleanSupplier stopped) {
        this.plan = plan;
        this.adapter = adapter;
        this.progress = progress;
        this.stopped = stopped;
    }

    /**
     * What is wanted and cannot be brought about from here.
     *
     * @param setUpByCommand whether a command has done it
     */
    static List<String> impossible(StartConditions wanted, boolean setUpByCommand) {
        List<String> reasons = new ArrayList<>();
        if ("cold".equals(wanted.functions()) && !setUpByCommand) {
            reasons.add("the schedule wants cold functions, which only a system that was just started has:"
                    + " give --set-up COMMAND that starts it anew, or takes its functions' processes away");
        }
        if ("cold".equals(wanted.caches()) && !"zero".equals(wanted.pool()) && !setUpByCommand) {
            reasons.add(
                    "the schedule wants cold caches: they are cold in new containers only, so want a pool at zero as"
                            + " well, or give --set-up COMMAND");
        }
        return reasons;
    }

    /** @return why the schedule is not to be offered; empty if it may */
    Optional<String> bringAbout(Watch watch, Journal journal) throws InterruptedException {
        StartConditions wanted = plan.schedule().start();
        if (wanted.equals(StartConditions.NONE)) {
            return Optional.empty();
        }
        List<String> missed = new ArrayList<>();
        if (adapter.hosts().isEmpty()) {
            note(journal, "all", "nothing to set up: the adapter reaches no system", true);
            return Optional.empty();
        }
        boolean warmth = "warm".equals(wanted.functions()) || "warm".equals(wanted.caches());
        boolean warmed = false;
        if (warmth && !"zero".equals(wanted.pool())) {
            warmed = warm();
        }
        if (wanted.pool() != null) {
            String state = pool(watch, wanted.pool());
            boolean met = state.equals("as wanted");
            note(journal, "pool " + wanted.pool(), state, met);
            if (!met) {
                missed.add("the pool is not at " + wanted.pool() + " (" + state + ")");
            }
        }
        unseen(journal, "functions", wanted.functions(), warmed, missed);
        unseen(journal, "caches", wanted.caches(), warmed, missed);
        return missed.isEmpty()
                ? Optional.empty()
                : Optional.of("start conditions were not reached: " + String.join("; ", missed));
    }

    /** What the inventory does not tell: it is as it was made, and not seen. */
    private void unseen(Journal journal, String what, @Nullable String wanted, boolean warmed, List<String> missed) {
        if (wanted == null) {
            return;
        }
        String state;
        boolean met = true;
        if (plan.setUpByCommand()) {
            state = "left to --set-up; not seen from here";
        } else if (wanted.equals("warm") && warmed) {
            state = "warmed by a call to each tenant; not seen from here";
        } else if (wanted.equals("cold")
                && what.equals("caches")
                && "zero".equals(plan.schedule().start().pool())) {
            state = "cold in the containers, of which there are none; those of the functions are as they were";
        } else {
            state = "cannot be set up from here";
            met = false;
            missed.add(what + " cannot be made " + wanted + " from here");
        }
        note(journal, what + " " + wanted, state, met);
    }

    private boolean warm() {
        Set<String> tenants = plan.schedule().tenants();
        progress.accept("warming by a call to each of " + tenants.size() + " tenants ...");
        boolean completed = true;
        for (String tenant : tenants) {
            completed &= Probe.call(adapter, tenant.isEmpty() ? null : tenant, System.nanoTime())
                            .outcome()
                    == dev.spillway.load.ledger.Outcome.COMPLETED;
        }
        return completed;
    }

    private String pool(Watch watch, String wanted) throws InterruptedException {
        progress.accept("waiting up to " + plan.startWait().toSeconds() + " s for the pool to be " + wanted + " ...");
        boolean asked = false;
        long end = System.nanoTime() + plan.startWait().toNanos();
        while (!stopped.getAsBoolean()) {
            Inventory seen = watch.look("start conditions").orElse(null);
            Integer containers = seen == null ? null : seen.containers();
            if (seen == null || containers == null) {
                return "unavailable: nobody says how many containers there are";
            }
            if (wanted.equals("zero") ? containers == 0 : seen.isWarm()) {
                return "as wanted";
            }
            if (System.nanoTime() - end >= 0) {
                return containers + " containers, " + seen.emptyPools() + " pools without one, after "
                        + plan.startWait().toSeconds() + " s";
            }
            if (wanted.equals("warm") && !asked) {
                warm(); // a call makes a container come
                asked = true;
            }
            TimeUnit.MILLISECONDS.sleep(500);
        }
        return "stopped before";
    }

    private static void note(Journal journal, String condition, String state, boolean met) {
        journal.note(JSON.createObjectNode()
                .put("e", "start-condition")
                .put("t", 0)
                .put("condition", condition)
                .put("state", state)
                .put("met", met)
                .toString());
    }
}
