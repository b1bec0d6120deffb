package dev.spillway.simulation.lab;

import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;

/** What is still to happen, in order, and the virtual time: it passes from one event to the next and in no other way. */
final class Agenda {
    /** Where virtual time begins. */
    static final Instant START = Instant.parse("2026-11-30T00:00:00Z");

    private record Entry(long millis, long number, Runnable what) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry other) {
            int byTime = Long.compare(millis, other.millis);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Entry> entries = new PriorityQueue<>();
    private long number;
    private long millis;
    private Instant now = START;

    /** Milliseconds since the start. */
    long millis() {
        return millis;
    }

    Instant now() {
        return now;
    }

    void at(long when, Runnable what) {
        entries.add(new Entry(Math.max(when, millis), number++, what));
    }

    void in(Duration delay, Runnable what) {
        at(millis + delay.toMillis(), what);
    }

    /** Lets the next event happen; false if there is none. */
    boolean step() {
        Entry next = entries.poll();
        if (next == null) {
            return false;
        }
        if (next.millis != millis) {
            millis = next.millis;
            now = START.plusMillis(millis);
        }
        next.what.run();
        return true;
    }
}
