package dev.spillway.load;

import dev.spillway.load.schedule.Arrival;
import dev.spillway.load.schedule.CallClass;
import dev.spillway.load.schedule.Schedule;
import dev.spillway.load.schedule.ScheduleWriter;
import dev.spillway.load.schedule.StartConditions;
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
