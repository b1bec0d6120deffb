package dev.spillway.simulation.world;

import dev.spillway.core.pool.PoolId;
import dev.spillway.simulation.world.Scenario.Trouble;
import dev.spillway.simulation.world.Weather.Where;
import java.util.List;
import java.util.Map;

/** What goes wrong as a whole: which container it strikes, and how. */
final class Mishaps {
    private static final long SECOND = 1_000_000;

    private final Scheduler scheduler;
    private final Trace trace;
    private final Weather weather;
    private final Cluster cluster;
    private final Map<PoolId, List<MediaTask>> tasks;

    /** @param tasks every container that was begun, as the world knows them at the time */
    Mishaps(Scheduler scheduler, Trace trace, Weather weather, Cluster cluster, Map<PoolId, List<MediaTask>> tasks) {
        this.scheduler = scheduler;
        this.trace = trace;
        this.weather = weather;
        this.cluster = cluster;
        this.tasks = tasks;
    }

    /** Lets it happen at its time. */
    void plan(Scenario.Mishap mishap) {
        long from = mishap.atMicros();
        long to = from + mishap.forMicros();
        switch (mishap.trouble()) {
            case TABLE_DOWN -> weather.add(Where.TABLE, Weather.State.DOWN, from, to);
            case TABLE_SLOW -> weather.add(Where.TABLE, Weather.State.SLOW, from, to);
            case TABLE_THROTTLED -> weather.add(Where.TABLE, Weather.State.THROTTLED, from, to);
            case ECS_DOWN -> weather.add(Where.ECS, Weather.State.DOWN, from, to);
            case ECS_THROTTLED -> weather.add(Where.ECS, Weather.State.THROTTLED, from, to);
            case TWILIO_DOWN -> weather.add(Where.TWILIO, Weather.State.DOWN, from, to);
            case TWILIO_THROTTLED -> weather.add(Where.TWILIO, Weather.State.THROTTLED, from, to);
            case BUS_DOWN -> weather.add(Where.BUS, Weather.State.DOWN, from, to);
            case DEPLOYMENT ->
                scheduler.at(
                        from,
                        null,
                        () -> cluster.deploy(World.service(World.POOLS.get(mishap.which() % World.POOLS.size()))));
            case KILL_CONTAINER,
                    VANISH_HOST,
                    FREEZE_CONTAINER,
                    CUT_OFF_CONTAINER,
                    FREEZE_RELAY,
                    VANISH_RELAY,
                    RETIRE_TASK -> scheduler.at(from, null, () -> strike(mishap, to));
        }
    }

    private void strike(Scenario.Mishap mishap, long to) {
        boolean relays = mishap.trouble() == Trouble.FREEZE_RELAY || mishap.trouble() == Trouble.VANISH_RELAY;
        List<MediaTask> alive = tasks.values().stream()
                .flatMap(List::stream)
                .filter(task -> !task.process().isDead() && !task.process().isFrozen())
                .filter(task -> !relays || task.isRelaying())
                .toList();
        if (alive.isEmpty() && relays && scheduler.now() + SECOND < to) {
            scheduler.at(scheduler.now() + SECOND, null, () -> strike(mishap, to));
            return;
        }
        if (alive.isEmpty()) {
            return;
        }
        MediaTask task = alive.get(mishap.which() % alive.size());
        trace.write("MISHAP", () -> mishap.trouble() + " " + task);
        switch (mishap.trouble()) {
            case KILL_CONTAINER -> {
                task.die(false);
                scheduler.at(scheduler.now() + SECOND, null, () -> task.host().exited("Essential container exited"));
            }
            case VANISH_HOST, VANISH_RELAY -> {
                task.die(true);
                scheduler.at(
                        scheduler.now() + 5 * 60 * SECOND,
                        null,
                        () -> task.host().exited("host gone"));
            }
            case FREEZE_CONTAINER, FREEZE_RELAY -> {
                task.process().freeze();
                scheduler.at(to, null, () -> scheduler.thaw(task.process()));
            }
            case RETIRE_TASK -> cluster.retire(task.host());
            case CUT_OFF_CONTAINER -> task.process().cutOff(to);
            case TABLE_DOWN,
                    TABLE_SLOW,
                    TABLE_THROTTLED,
                    ECS_DOWN,
                    ECS_THROTTLED,
                    TWILIO_DOWN,
                    TWILIO_THROTTLED,
                    BUS_DOWN,
                    DEPLOYMENT -> {}
        }
    }
}
