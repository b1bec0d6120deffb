package dev.spillway.load.schedule;

import java.util.Arrays;
import java.util.Random;

/** When calls arrive, in seconds from the start. Each is a rule that somebody else can follow to the same times. */
public final class Shape {
    private Shape() {}

    /** So many calls at one instant. */
    public static double[] spike(int calls, double at) {
        double[] times = new double[calls];
        Arrays.fill(times, at);
        return times;
    }

    /** Calls evenly spaced, the first at 0. */
    public static double[] constant(double perSecond, double seconds) {
        int calls = (int) Math.floor(perSecond * seconds + 1e-9);
        double[] times = new double[calls];
        for (int i = 0; i < calls; i++) {
            times[i] = i / perSecond;
        }
        return times;
    }

    /** One rate until {@code at}, then another. */
    public static double[] step(double before, double after, double at, double seconds) {
        double[] first = constant(before, at);
        double[] second = constant(after, seconds - at);
        double[] times = Arrays.copyOf(first, first.length + second.length);
        for (int i = 0; i < second.length; i++) {
            times[first.length + i] = at + second[i];
        }
        return times;
    }

    /** A rate that changes evenly: call number n arrives when the integral of the rate reaches n. */
    public static double[] ramp(double from, double to, double seconds) {
        int calls = (int) Math.floor((from + to) / 2 * seconds + 1e-9);
        double slope = (to - from) / seconds;
        double[] times = new double[calls];
        for (int n = 0; n < calls; n++) {
            times[n] = Math.abs(slope) < 1e-12
                    ? n / from
                    : (-from + Math.sqrt(Math.max(0, from * from + 2 * slope * n))) / slope;
        }
        return times;
    }

    /** Waves of so many calls, each wave evenly spread over {@code spread} seconds, 0 for all at once. */
    public static double[] waves(int waves, int calls, double apart, double spread) {
        double[] times = new double[waves * calls];
        for (int wave = 0; wave < waves; wave++) {
            for (int i = 0; i < calls; i++) {
                times[wave * calls + i] = wave * apart + spread * i / calls;
            }
        }
        return times;
    }

    /** A Poisson process: exponential gaps drawn from {@link Random} with that seed. */
    public static double[] poisson(double perSecond, double seconds, long seed) {
        Random random = new Random(seed);
        double[] times = new double[16];
        int count = 0;
        double at = 0;
        while (true) {
            at += -Math.log(1 - random.nextDouble()) / perSecond;
            if (at >= seconds) {
                return Arrays.copyOf(times, count);
            }
            if (count == times.length) {
                times = Arrays.copyOf(times, count * 2);
            }
            times[count++] = at;
        }
    }
}
