package dev.spillway.load.schedule;

import java.util.Arrays;

/**
 * What a schedule asks for, before anything runs.
 *
 * @param peak most calls at once, if every one lasts as long as it says
 * @param minutes of call time, all together
 * @param seconds from the first instant to the end of the last call
 * @param mostPerSecond most arrivals within any one second
 * @param guessed arrivals without a duration, for each of which {@link CallClass#guessedSeconds} were taken
 */
public record OfferedLoad(int peak, double minutes, double seconds, int mostPerSecond, int guessed) {
    /** A turn with its answer: an utterance, some thinking, an answer of about two seconds; a guess. */
    public static final double GUESS_SECONDS = 4;

    /** @param speed divides the schedule's times, and not those that are guessed from turns of audio */
    public static OfferedLoad of(Schedule schedule, double speed) {
        int calls = schedule.arrivals().size();
        double[] starts = new double[calls];
        double[] ends = new double[calls];
        double total = 0;
        int guessed = 0;
        for (int i = 0; i < calls; i++) {
            Arrival arrival = schedule.arrivals().get(i);
            Double duration = arrival.duration();
            double lasts;
            if (duration == null) {
                guessed++;
                lasts = schedule.classOf(arrival).guessedSeconds();
            } else {
                lasts = duration / speed;
            }
            starts[i] = arrival.at() / speed;
            ends[i] = starts[i] + lasts;
            total += lasts;
        }
        Arrays.sort(ends);
        int peak = 0;
        int ended = 0;
        int first = 0;
        int mostPerSecond = 0;
        for (int i = 0; i < calls; i++) {
            while (ended < calls && ends[ended] <= starts[i]) {
                ended++;
            }
            peak = Math.max(peak, i + 1 - ended);
            while (starts[first] <= starts[i] - 1) {
                first++;
            }
            mostPerSecond = Math.max(mostPerSecond, i + 1 - first);
        }
        return new OfferedLoad(peak, total / 60, calls == 0 ? 0 : ends[calls - 1], mostPerSecond, guessed);
    }
}
