package dev.spillway.localcloud;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The targets behind one listener: their health, their outstanding requests, and which of them is next. Thread-safe. */
final class TargetGroup {

    /** A request or WebSocket that a target has in hand. */
    interface Flow {
        /** Cuts it off: the deregistration delay is over. */
        void cut();
    }

    /** One registered or draining target. Guarded by the group. */
    final class Target {
        final int port;
        private final List<Flow> flows = new ArrayList<>();
        private TargetHealth health = TargetHealth.INITIAL;
        private boolean draining;
        private int passes;
        private int failures;
        private long picks;

        Target(int port) {
            this.port = port;
        }

        InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        }

        void begin(Flow flow) {
            synchronized (TargetGroup.this) {
                flows.add(flow);
            }
        }

        /** Ending twice is harmless. */
        void end(Flow flow) {
            synchronized (TargetGroup.this) {
                flows.remove(flow);
                if (draining && flows.isEmpty()) {
                    targets.remove(port, this);
                }
            }
        }

        private int outstanding() {
            return flows.size();
        }
    }

    private final String name;
    private final LoadBalancerOptions options;
    private final ScheduledExecutorService timers;
    private final Map<Integer, Target> targets = new LinkedHashMap<>();
    private long picks;

    TargetGroup(String name, LoadBalancerOptions options, ScheduledExecutorService timers) {
        this.name = name;
        this.options = options;
        this.timers = timers;
    }

    synchronized void register(int port) {
        Target known = targets.get(port);
        if (known == null || known.draining) {
            Target target = new Target(port);
            targets.put(port, target);
            checkLater(target);
        }
    }

    synchronized void deregister(int port) {
        Target target = targets.get(port);
        if (target == null || target.draining) {
            return;
        }
        target.draining = true;
        target.health = TargetHealth.UNUSED;
        if (target.flows.isEmpty()) {
            targets.remove(port);
        } else {
            timers.schedule(() -> cut(target), options.deregistrationDelay().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void cut(Target target) {
        List<Flow> left;
        synchronized (this) {
            targets.remove(target.port, target);
            left = List.copyOf(target.flows);
        }
        left.forEach(Flow::cut);
    }

    synchronized boolean drained(int port) {
        return !targets.containsKey(port);
    }

    synchronized TargetHealth health(int port) {
        Target target = targets.get(port);
        return target == null ? TargetHealth.UNUSED : target.health;
    }

    /**
     * The healthy target with the fewest outstanding requests. Without a healthy one every registered target is used;
     * empty only when none is registered.
     */
    synchronized Optional<Target> next() {
        List<Target> registered =
                targets.values().stream().filter(target -> !target.draining).toList();
        List<Target> healthy = registered.stream()
                .filter(target -> target.health == TargetHealth.HEALTHY)
                .toList();
        Optional<Target> next = (healthy.isEmpty() ? registered : healthy)
                .stream().min(Comparator.comparingInt(Target::outstanding).thenComparingLong(target -> target.picks));
        next.ifPresent(target -> target.picks = ++picks);
        return next;
    }

    synchronized List<LoadBalancer.TargetView> view() {
        return targets.values().stream()
                .map(target -> new LoadBalancer.TargetView(
                        name, target.port, target.health, target.draining, target.outstanding()))
                .toList();
    }

    private void check(Target target) {
        Thread.ofVirtual().name("health-" + name + "-" + target.port).start(() -> {
            boolean passed = HealthCheck.passes(target.address(), options.healthPath(), options.healthTimeout());
            if (note(target, passed)) {
                checkLater(target);
            }
        });
    }

    private void checkLater(Target target) {
        try {
            timers.schedule(() -> check(target), options.healthInterval().toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The load balancer is closed.
        }
    }

    /** Counts one check; false when the target needs no more of them. */
    private synchronized boolean note(Target target, boolean passed) {
        if (target.draining || targets.get(target.port) != target) {
            return false;
        }
        target.passes = passed ? target.passes + 1 : 0;
        target.failures = passed ? 0 : target.failures + 1;
        int passesNeeded = target.health == TargetHealth.INITIAL ? 1 : options.healthyThreshold();
        if (target.passes >= passesNeeded) {
            target.health = TargetHealth.HEALTHY;
        } else if (target.failures >= options.unhealthyThreshold()) {
            target.health = TargetHealth.UNHEALTHY;
        }
        return true;
    }

    Duration idleTimeout() {
        return options.idleTimeout();
    }

    Duration connectTimeout() {
        return options.connectTimeout();
    }
}
