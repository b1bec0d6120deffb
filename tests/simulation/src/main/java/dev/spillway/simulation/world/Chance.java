package dev.spillway.simulation.world;

import java.util.List;

/**
 * Random choices from one seed. Each purpose has a source of its own, so that a choice more for one purpose leaves all
 * others as they were: a run can be cut down without becoming another run.
 */
final class Chance {
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private long state;

    private Chance(long state) {
        this.state = state;
    }

    static Chance of(long seed, String purpose) {
        return new Chance(mixed(mixed(seed * STEP + 1) ^ hashed(purpose)));
    }

    /** Of the n-th thing that one does. */
    static Chance of(long seed, long who, long n) {
        return new Chance(mixed(mixed(seed * STEP + 1) ^ mixed(who + n * STEP)));
    }

    /** The same for a text in every process. */
    static long hashed(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return mixed(hash);
    }

    private static long mixed(long z) {
        long a = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        long b = (a ^ (a >>> 27)) * 0x94d049bb133111ebL;
        return b ^ (b >>> 31);
    }

    private long next() {
        state += STEP;
        return mixed(state);
    }

    /** From 0 up to, and without, 1. */
    double share() {
        return (next() >>> 11) * 0x1.0p-53;
    }

    boolean hits(double probability) {
        return share() < probability;
    }

    /** From {@code least} up to {@code most}, both included. */
    long between(long least, long most) {
        return least + (long) (share() * (most - least + 1));
    }

    int below(int bound) {
        return (int) (share() * bound);
    }

    <T> T oneOf(List<T> all) {
        return all.get(below(all.size()));
    }

    /** With that mean, as waiting times are. */
    double exponential(double mean) {
        return -mean * Math.log(1 - share());
    }
}
