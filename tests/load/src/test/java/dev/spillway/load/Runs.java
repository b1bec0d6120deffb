package dev.spillway.load;

import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Direction;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.ScheduleWriter;
import dev.spillway.load.schedule.StartConditions;
import dev.spillway.load.schedule.SyntheticScript;
import dev.spillway.load.schedule.Turn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Schedules and runs for tests. */
public final class Runs {
    private Runs() {}

    /** Calls of one class at those seconds. */
    public static Schedule schedule(CallClass callClass, double... times) {
        List<Arrival> arrivals = new ArrayList<>();
        for (double time : times) {
            arrivals.add(Arrival.at(arrivals.size(), time, null, callClass.name()));
        }
        return new Schedule(
                "test",
                "is it counted?",
                null,
                null,
                null,
                StartConditions.NONE,
                Map.of(callClass.name(), callClass),
                List.of(),
                0,
                arrivals);
    }

    public static Schedule schedule(double... times) {
        return schedule(CallClass.ofTurns("default", 1), times);
    }

    /** A class of one turn, of which the synthetic adapter makes that. */
    static CallClass scripted(String name, SyntheticScript script) {
        return new CallClass(
                name,
                List.of(Turn.PLAIN),
                null,
                Direction.INBOUND,
                1,
                null,
                0,
                null,
                null,
                List.of(),
                null,
                null,
                script);
    }

    public static Path write(Schedule schedule, Path folder) throws IOException {
        Path file = folder.resolve("schedule-" + schedule.arrivals().size() + ".json");
        Files.writeString(file, ScheduleWriter.write(schedule));
        return file;
    }

    /** Runs a command as the launcher does, in this process. */
    public static int load(String... arguments) {
        return LoadCli.line().execute(arguments);
    }
}
