package dev.spillway.system.bench;

/** What one window saw. Only frames that were sent within it count. Event loop only, until it is closed. */
final class EchoTally {
    private final Samples roundTrips = new Samples();
    private final Samples lateness = new Samples();
    private long fromNanos = Long.MAX_VALUE;
    private long toNanos = Long.MAX_VALUE;
    private long sent;
    private long returned;
    private boolean closed;

    void begin(long nanos) {
        fromNanos = nanos;
    }

    void end(long nanos) {
        toNanos = nanos;
    }

    void close() {
        closed = true;
    }

    void sent(long nanos, long dueNanos) {
        if (isWithin(nanos)) {
            sent++;
            lateness.add(nanos - dueNanos);
        }
    }

    void returned(long sentNanos, long nowNanos) {
        if (isWithin(sentNanos) && !closed) {
            returned++;
            roundTrips.add(nowNanos - sentNanos);
        }
    }

    private boolean isWithin(long nanos) {
        return nanos >= fromNanos && nanos < toNanos;
    }

    long sent() {
        return sent;
    }

    long returned() {
        return returned;
    }

    Samples roundTrips() {
        return roundTrips;
    }

    /** How much later than due frames were sent: what the load itself did wrong. */
    Samples lateness() {
        return lateness;
    }
}
