package dev.spillway.localcloud;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Faults of an API by operation, and a count of its calls. Faults queue up: each is used by one call, in order. Thread-safe.
 */
public final class ApiFaults {

    /** What goes wrong with one call. */
    public sealed interface Fault {
        /** A typed error instead of an answer; nothing takes effect. */
        record Refusal(String type, String message) implements Fault {}

        /** No answer, nothing takes effect. */
        record SilentBefore() implements Fault {}

        /** No answer, but the call takes effect. */
        record SilentAfter() implements Fault {}

        /** No fault. */
        record None() implements Fault {}
    }

    private static final Fault NONE = new Fault.None();
    private static final Fault THROTTLED = new Fault.Refusal("ThrottlingException", "Rate exceeded");

    private final Map<String, Deque<Fault>> queued = new HashMap<>();
    private final Map<String, Integer> calls = new HashMap<>();
    private final Map<String, TokenBucket> limits = new HashMap<>();

    public void throttleNext(String operation, int times) {
        queue(operation, times, THROTTLED);
    }

    public void failNext(String operation, int times, String errorType, String message) {
        queue(operation, times, new Fault.Refusal(errorType, message));
    }

    public void timeOutBeforeEffect(String operation, int times) {
        queue(operation, times, new Fault.SilentBefore());
    }

    public void timeOutAfterEffect(String operation, int times) {
        queue(operation, times, new Fault.SilentAfter());
    }

    /** Throttles whatever exceeds {@code burst} calls at once or {@code perSecond} in the long run. */
    public synchronized void limit(String operation, int burst, double perSecond) {
        limits.put(operation, new TokenBucket(burst, perSecond));
    }

    /** Forgets every queued fault and limit. */
    public synchronized void clear() {
        queued.clear();
        limits.clear();
    }

    /** Calls received so far, faulty ones included. */
    public synchronized int calls(String operation) {
        return calls.getOrDefault(operation, 0);
    }

    private synchronized void queue(String operation, int times, Fault fault) {
        Deque<Fault> faults = queued.computeIfAbsent(operation, _ -> new ArrayDeque<>());
        for (int i = 0; i < times; i++) {
            faults.addLast(fault);
        }
    }

    /** Counts a call and takes its fault. */
    synchronized Fault next(String operation) {
        calls.merge(operation, 1, Integer::sum);
        Deque<Fault> faults = queued.get(operation);
        Fault fault = faults == null ? null : faults.pollFirst();
        if (fault != null) {
            return fault;
        }
        TokenBucket limit = limits.get(operation);
        return limit == null || limit.take(System.nanoTime()) ? NONE : THROTTLED;
    }

    private static final class TokenBucket {
        private final int burst;
        private final double perNano;
        private double tokens;
        private long at = System.nanoTime();

        TokenBucket(int burst, double perSecond) {
            this.burst = burst;
            this.perNano = perSecond / 1e9;
            this.tokens = burst;
        }

        boolean take(long nanoTime) {
            tokens = Math.min(burst, tokens + (nanoTime - at) * perNano);
            at = nanoTime;
            if (tokens < 1) {
                return false;
            }
            tokens--;
            return true;
        }
    }
}
