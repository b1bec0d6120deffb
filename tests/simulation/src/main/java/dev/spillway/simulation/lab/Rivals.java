package dev.spillway.simulation.lab;

import dev.spillway.simulation.lab.Contender.Look;
import dev.spillway.simulation.lab.Contender.Rival;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * How others size such a pool, with their published defaults. They get more than they have: the gateway answers what they have
 * no room for (but for CPU tracking, which does not count calls), and containers that they take away finish their calls.
 */
final class Rivals {
    private Rivals() {}

    static List<Rival> all(int limit) {
        return List.of(cpu(75), cpu(50), agones(limit), knative(limit), bufferedCalls(limit));
    }

    /**
     * ECS service auto scaling, target tracking on average CPU. There is no default target; AWS's examples have 75 % (aws-cli,
     * examples/application-autoscaling/put-scaling-policy.rst) and 50 % (CDK reference, CpuUtilizationScalingProps). The
     * cooldowns of 300 s are the default for ECS services (same page of the CDK reference). The alarms that it sets up want the
     * metric above the target for 3 minutes, or below 90 % of it for 15: as observed by many, not found in AWS's own pages. The
     * metric comes once a minute. CPU by calls: the first text's table, 11 % for each.
     */
    static Rival cpu(int target) {
        return new Rival(
                "cpu-tracking-" + target,
                "ECS target tracking, CPU at " + target + " %, cooldown 300 s, at least 1; calls are not counted",
                false,
                false,
                1,
                Duration.ofMinutes(1),
                () -> new CpuTracking(target));
    }

    private static final class CpuTracking implements Rival.Rule {
        private static final double PER_CALL = 11;
        private static final long COOLDOWN_MILLIS = 300_000;

        private final int target;
        private int highMinutes;
        private int lowMinutes;
        private long lastChange = -COOLDOWN_MILLIS;

        CpuTracking(int target) {
            this.target = target;
        }

        @Override
        public int wanted(Look look) {
            double cpu = look.ready() == 0 ? 0 : Math.min(100, PER_CALL * look.calls() / look.ready());
            highMinutes = cpu > target ? highMinutes + 1 : 0;
            lowMinutes = cpu < 0.9 * target ? lowMinutes + 1 : 0;
            int now = look.ready() + look.starting();
            if (look.millis() - lastChange < COOLDOWN_MILLIS) {
                return now;
            }
            int tracked = (int) Math.ceil(look.ready() * cpu / target);
            boolean out = highMinutes >= 3 && tracked > now;
            boolean in = lowMinutes >= 15 && tracked < now;
            if (out || in) {
                lastChange = look.millis();
                return tracked;
            }
            return now;
        }
    }

    /**
     * Agones' buffer policy: allocated game servers and so many ready ones. Buffer 2: examples/simple-game-server/
     * fleetautoscaler.yaml; every 30 s: the default of its sync. A server with a call counts as allocated and is never taken
     * away; sessions are packed, as its allocation does.
     */
    static Rival agones(int limit) {
        return new Rival(
                "agones-buffer",
                "Agones FleetAutoscaler, 2 empty containers kept, every 30 s",
                true,
                true,
                0,
                Duration.ofSeconds(30),
                () -> look -> {
                    int busy = look.ready() - look.empty() + Math.ceilDiv(look.held(), limit);
                    return busy + 2;
                });
    }

    /**
     * Knative's pod autoscaler on concurrency: 70 % of the hard limit, stable window 60 s, panic window 6 s from twice the
     * ready pods' target on, a tick each 2 s, at most halved at a time, to zero after a window without a request and a grace
     * of 30 s (knative/serving, config/core/configmaps/autoscaler.yaml).
     */
    static Rival knative(int limit) {
        return new Rival(
                "knative-concurrency",
                "Knative's autoscaler, 70 % of the limit over 60 s, panic over 6 s, to zero",
                true,
                false,
                0,
                Duration.ofSeconds(2),
                () -> new Knative(0.7 * limit));
    }

    private static final class Knative implements Rival.Rule {
        private static final int STABLE_TICKS = 30;
        private static final int PANIC_TICKS = 3;
        private static final long WINDOW_MILLIS = 60_000;
        private static final long GRACE_MILLIS = 30_000;

        private final double target;
        private final Deque<Integer> seen = new ArrayDeque<>();
        private long panicUntil = -1;
        private int panicMost;
        private long zeroSince = -1;

        Knative(double target) {
            this.target = target;
        }

        @Override
        public int wanted(Look look) {
            seen.addLast(look.calls() + look.held());
            if (seen.size() > STABLE_TICKS) {
                seen.removeFirst();
            }
            int pods = Math.max(1, look.ready());
            int stable = (int) Math.ceil(average(STABLE_TICKS) / target);
            int panic = (int) Math.ceil(average(PANIC_TICKS) / target);
            stable = Math.max(stable, look.ready() / 2);
            if (panic >= 2 * pods) {
                panicUntil = look.millis() + WINDOW_MILLIS;
            }
            if (look.millis() < panicUntil) {
                panicMost = Math.max(panicMost, Math.max(panic, look.ready()));
                return panicMost;
            }
            panicMost = 0;
            if (average(STABLE_TICKS) > 0) {
                zeroSince = -1;
                return Math.max(1, stable);
            }
            zeroSince = zeroSince < 0 ? look.millis() : zeroSince;
            return look.millis() - zeroSince >= GRACE_MILLIS ? 0 : Math.min(1, look.ready());
        }

        private double average(int ticks) {
            return seen.stream()
                    .skip(Math.max(0, seen.size() - ticks))
                    .mapToInt(Integer::intValue)
                    .average()
                    .orElse(0);
        }
    }

    /**
     * {@code ceil((calls + buffer) / calls per pod)} by KEDA, as the chart of a voice platform has it (dograh-hq/dograh,
     * deploy/helm/dograh: web-keda-scaledobject.yaml and values.yaml): buffer 10, at least 2, looked at each 15 s, down to the
     * most that was wanted within 600 s and by one pod a minute.
     */
    static Rival bufferedCalls(int limit) {
        return new Rival(
                "calls-plus-buffer",
                "ceil((calls + 10) / calls per pod) by KEDA, at least 2, down after 600 s by one a minute",
                true,
                false,
                2,
                Duration.ofSeconds(15),
                () -> new BufferedCalls(limit));
    }

    private static final class BufferedCalls implements Rival.Rule {
        private static final int BUFFER = 10;
        private static final int LOOKS_KEPT = 40;
        private static final long MINUTE_MILLIS = 60_000;

        private final int perPod;
        private final Deque<Integer> wanted = new ArrayDeque<>();
        private long lastDown = -MINUTE_MILLIS;

        BufferedCalls(int perPod) {
            this.perPod = perPod;
        }

        @Override
        public int wanted(Look look) {
            int now = Math.ceilDiv(look.calls() + look.held() + BUFFER, perPod);
            wanted.addLast(now);
            if (wanted.size() > LOOKS_KEPT) {
                wanted.removeFirst();
            }
            int there = look.ready() + look.starting();
            int most = wanted.stream().mapToInt(Integer::intValue).max().orElse(now);
            if (most >= there) {
                return Math.max(there, now);
            }
            if (look.millis() - lastDown < MINUTE_MILLIS) {
                return there;
            }
            lastDown = look.millis();
            return there - 1;
        }
    }
}
