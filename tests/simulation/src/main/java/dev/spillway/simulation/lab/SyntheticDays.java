package dev.spillway.simulation.lab;

import dev.spillway.simulation.lab.CallTimes.CallTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Days like {@code synthetic-day.json}, from a seed: arrivals are Poisson, thinned to a base rate and two Gaussian humps; durations
 * are lognormal with a median of 150 s, cut at 1800 s. The rates were fitted to that day by eye.
 *
 * @param basePerHour calls an hour, day and night
 */
record SyntheticDays(double basePerHour, Hump morning, Hump afternoon) {
    private static final double HOURS = 24;
    private static final double MEDIAN_SECONDS = 150;
    private static final double SIGMA = 0.7;
    private static final double LONGEST_SECONDS = 1800;

    /** Calls an hour at {@code hour}, fewer around it. */
    record Hump(double hour, double perHour, double widthHours) {
        double at(double time) {
            double distance = (time - hour) / widthHours;
            return perHour * Math.exp(-distance * distance / 2);
        }
    }

    /** The shape of the shared day: about 1,750 calls. */
    static final SyntheticDays SHARED = new SyntheticDays(24, new Hump(10.5, 290, 1.1), new Hump(14.93, 440, 0.3));

    /** The same shape with that many calls in a day, about. */
    SyntheticDays scaled(double calls) {
        double factor = calls / 1750;
        return new SyntheticDays(
                basePerHour * factor,
                new Hump(morning.hour, morning.perHour * factor, morning.widthHours),
                new Hump(afternoon.hour, afternoon.perHour * factor, afternoon.widthHours));
    }

    /** Humps at other times, of other heights and widths. */
    static SyntheticDays varied(long seed) {
        // The first numbers of a Random follow its seed: neighbours would be alike.
        Random random = new Random(((seed * 0x9E3779B97F4A7C15L) >>> 13) * 31 + 7);
        return new SyntheticDays(
                SHARED.basePerHour * between(random, 0.5, 1.5),
                vary(SHARED.morning, random),
                vary(SHARED.afternoon, random));
    }

    private static Hump vary(Hump hump, Random random) {
        return new Hump(
                hump.hour + between(random, -1.5, 1.5),
                hump.perHour * between(random, 0.5, 1.5),
                hump.widthHours * between(random, 0.6, 1.6));
    }

    private static double between(Random random, double least, double most) {
        return least + (most - least) * random.nextDouble();
    }

    /** One such day; the same seed gives the same day. */
    CallTimes day(String name, long seed) {
        Random random = new Random(seed);
        double most = basePerHour + morning.perHour + afternoon.perHour;
        List<CallTime> arrivals = new ArrayList<>();
        double hour = 0;
        while (true) {
            hour -= Math.log(1 - random.nextDouble()) / most;
            if (hour >= HOURS) {
                break;
            }
            boolean comes = random.nextDouble() * most < basePerHour + morning.at(hour) + afternoon.at(hour);
            double seconds = Math.min(LONGEST_SECONDS, MEDIAN_SECONDS * Math.exp(SIGMA * random.nextGaussian()));
            if (comes) {
                long at = Math.round(hour * 3_600_000);
                arrivals.add(new CallTime(at, at + Math.max(1000, Math.round(seconds * 1000))));
            }
        }
        return new CallTimes(name, "a day of seed " + seed, arrivals, 7_200_000);
    }
}
