package dev.spillway.system;

import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.localcloud.FaultyProxy;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallHistory;
import dev.spillway.localcloud.twilio.CallHistory.Gap;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.EndReason;
import dev.spillway.localcloud.twilio.Moment;
import dev.spillway.localcloud.twilio.Utterance;
import dev.spillway.system.ChaosPlan.Blow;
import dev.spillway.system.ChaosPlan.Fault;
import dev.spillway.system.ChaosResult.BlowRow;
import dev.spillway.system.ChaosResult.CallerRow;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Forty callers of two tenants talk while containers are killed, frozen, redeployed and cut off from the table. */
final class ChaosDemo {
    static final int CALLERS = 40;
    /** Two tenants' callers come at the same times. */
    private static final Duration APART = Duration.ofMillis(1_500);

    /** Everybody is on a container of the tenant's own by then. */
    private static final Duration FIRST_BLOW = Duration.ofSeconds(60);

    /** A caller may be hit so often within a minute; a third time would be the apology's, which has its own test. */
    private static final int MOST_HITS = 1;

    private final LocalSystem system;
    private final ChaosPlan plan;
    private final long seed;
    private final Random random;
    private final PrintStream progress;
    private final List<Call> calls = new ArrayList<>();
    private final Map<String, LocalTenant> tenants = new HashMap<>();
    private final Map<String, List<Hit>> hits = new HashMap<>();
    private final List<BlowRow> blows = new ArrayList<>();
    private final List<ContainerId> frozen = new ArrayList<>();

    /** A blow that hit a caller. */
    record Hit(Moment at, Fault fault) {}

    ChaosDemo(LocalSystem system, long seed, PrintStream progress) {
        this.system = system;
        this.plan = ChaosPlan.of(seed, FIRST_BLOW);
        this.seed = seed;
        this.random = new Random(seed);
        this.progress = progress;
    }

    ChaosResult run() throws InterruptedException {
        Moment start = Moment.now();
        Duration end = plan.over().plusSeconds(20);
        progress.println(CALLERS + " callers, two every " + APART.toMillis() + " ms; the first blow falls at t+"
                + FIRST_BLOW.toSeconds() + "s");
        for (int i = 0; i < CALLERS / 2; i++) {
            Duration at = APART.multipliedBy(i);
            sleepUntil(start, at);
            for (LocalTenant tenant : List.of(LocalTenant.ACME, LocalTenant.GLOBEX)) {
                Call call = system.call(tenant, CallScript.lasting(end.minus(at)));
                calls.add(call);
                tenants.put(call.sid(), tenant);
            }
        }
        for (Blow blow : plan.blows()) {
            sleepUntil(start, blow.at());
            strike(start, blow);
        }
        sleepUntil(start, end);
        for (Call call : calls) {
            if (!call.awaitEnd(Duration.ofSeconds(30))) {
                call.hangUp();
            }
        }
        for (ContainerId one : frozen) {
            system.ecs().thaw(one.value()); // it finds itself declared lost, and goes
        }
        // The last status callbacks come when the callers have hung up; nothing is to be closed under them.
        boolean settled = settles();
        system.writeCallTimelines();
        return result(settled);
    }

    /** Waits until no claim of any of these calls is left on a container that lives. */
    private boolean settles() throws InterruptedException {
        for (int look = 0; look < 120; look++) {
            long left = 0;
            for (PoolId pool : List.of(
                    PoolId.of(LocalTenant.ACME.tenant().id()),
                    PoolId.of(LocalTenant.GLOBEX.tenant().id()),
                    PoolId.GATEWAY)) {
                left += all(pool).stream()
                        .filter(container -> container.state() != ContainerState.LOST)
                        .mapToLong(container -> container.claims().size())
                        .sum();
            }
            if (left == 0) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(500);
        }
        return false;
    }

    private void strike(Moment start, Blow blow) throws InterruptedException {
        double at = seconds(Moment.now().since(start));
        if (blow.fault() == Fault.REDEPLOY) {
            system.redeploy(LocalTenant.GLOBEX, 2);
            note(new BlowRow(at, blow.fault().text(), blow.where().name().toLowerCase(Locale.ROOT), 0));
            return;
        }
        Optional<Container> found = victim(poolOf(blow));
        if (found.isEmpty()) {
            note(new BlowRow(
                    at,
                    blow.fault().text() + ": left out, nobody may be hit",
                    poolOf(blow).value(),
                    0));
            return;
        }
        Container container = found.get();
        List<String> callers = callersOn(container);
        // Streams of any container of the pool may come through this one.
        List<String> struck = blow.fault() == Fault.FREEZE
                ? claimable(container.pool()).stream()
                        .flatMap(one -> callersOn(one).stream())
                        .toList()
                : callers;
        for (String sid : struck) {
            hits.computeIfAbsent(sid, one -> new ArrayList<>()).add(new Hit(Moment.now(), blow.fault()));
        }
        ContainerId id = container.id();
        switch (blow.fault()) {
            case KILL -> system.ecs().killHard(id.value());
            case FREEZE -> {
                system.ecs().freeze(id.value());
                frozen.add(id);
            }
            case CUT_OFF -> {
                FaultyProxy line = system.lineOf(id);
                line.become(FaultyProxy.DOWN);
                Thread.ofVirtual().start(() -> mendLater(line));
            }
            case REDEPLOY -> throw new IllegalStateException("struck above");
        }
        note(new BlowRow(at, blow.fault().text(), container.pool().value(), callers.size()));
    }

    private static void mendLater(FaultyProxy line) {
        try {
            TimeUnit.NANOSECONDS.sleep(ChaosPlan.APART.dividedBy(2).toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        line.become(FaultyProxy.PASS);
    }

    private void note(BlowRow blow) {
        blows.add(blow);
        progress.printf(
                Locale.ROOT,
                "t+%4.0fs  %s: a container of %s, with %d calls%n",
                blow.atSeconds(),
                blow.fault(),
                blow.pool(),
                blow.calls());
    }

    private static PoolId poolOf(Blow blow) {
        return switch (blow.where()) {
            case ACME -> PoolId.of(LocalTenant.ACME.tenant().id());
            case GLOBEX -> PoolId.of(LocalTenant.GLOBEX.tenant().id());
            case GATEWAY -> PoolId.GATEWAY;
        };
    }

    /** One of the containers with most calls of which none was hit too often within the last minute. */
    private Optional<Container> victim(PoolId pool) throws InterruptedException {
        List<Container> possible = claimable(pool).stream()
                .filter(container -> !frozen.contains(container.id()))
                .filter(container -> callersOn(container).stream().noneMatch(this::wasHitLately))
                .sorted(Comparator.comparing(
                        (Container container) -> container.id().value()))
                .toList();
        int most = possible.stream()
                .mapToInt(container -> container.claims().size())
                .max()
                .orElse(0);
        List<Container> busiest = possible.stream()
                .filter(container -> container.claims().size() == most)
                .toList();
        return busiest.isEmpty() ? Optional.empty() : Optional.of(busiest.get(random.nextInt(busiest.size())));
    }

    private List<Container> claimable(PoolId pool) throws InterruptedException {
        Instant now = Instant.now();
        return all(pool).stream()
                .filter(container -> container.state() == ContainerState.READY && container.isAlive(now))
                .toList();
    }

    private List<Container> all(PoolId pool) throws InterruptedException {
        while (true) {
            try {
                return system.pools().read(pool).orElseThrow().containers();
            } catch (DependencyException e) {
                TimeUnit.MILLISECONDS.sleep(100); // the machine is as busy as the table
            }
        }
    }

    private static List<String> callersOn(Container container) {
        return container.claims().entrySet().stream()
                .filter(entry -> entry.getValue().phase() == Claim.Phase.CONNECTED)
                .flatMap(entry -> sid(entry.getKey()).stream())
                .toList();
    }

    private static Optional<String> sid(ClaimKey key) {
        return key instanceof CallSid sid ? Optional.of(sid.value()) : Optional.empty();
    }

    private boolean wasHitLately(String sid) {
        Moment now = Moment.now();
        return hits.getOrDefault(sid, List.of()).stream()
                        .filter(hit -> now.since(hit.at()).compareTo(Duration.ofMinutes(1)) < 0)
                        .count()
                > MOST_HITS;
    }

    private ChaosResult result(boolean settled) {
        List<CallerRow> rows = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        if (!settled) {
            failures.add("claims are left a minute after the last caller hung up");
        }
        for (int i = 0; i < calls.size(); i++) {
            CallerRow row = row(i + 1, calls.get(i));
            rows.add(row);
            if (row.dropped()) {
                failures.add("caller " + row.caller() + " was dropped");
            }
            failures.addAll(tooLong(i + 1, calls.get(i)));
            if (row.wrongPersona() > 0) {
                failures.add("caller " + row.caller() + " heard another tenant's persona");
            }
        }
        return new ChaosResult(seed, CALLERS, List.copyOf(blows), rows, failures);
    }

    private List<String> tooLong(int number, Call call) {
        List<Hit> struck = hits.getOrDefault(call.sid(), List.of());
        return call.history().gaps().stream()
                .filter(gap -> gap.length().compareTo(bearable(gap, struck, system.timing())) > 0)
                .map(gap -> String.format(
                        Locale.ROOT,
                        "caller %d heard nothing for %.1f s (%.0f s at most)",
                        number,
                        seconds(gap.length()),
                        seconds(bearable(gap, struck, system.timing()))))
                .toList();
    }

    /** What is allowed after a fault is allowed for no longer than that: a silence that begins later has another cause. */
    static Duration bearable(Gap gap, List<Hit> struck, Timing timing) {
        return struck.stream()
                .filter(hit -> {
                    Duration most = hit.fault().mostSilence(timing);
                    return gap.from().since(hit.at()).compareTo(most) < 0
                            && gap.from().since(hit.at()).plus(gap.length()).isPositive();
                })
                .map(hit -> hit.fault().mostSilence(timing))
                .max(Comparator.naturalOrder())
                .orElse(Fault.KILL.mostSilence(timing));
    }

    private CallerRow row(int number, Call call) {
        CallHistory history = call.history();
        LocalTenant tenant = tenants.get(call.sid());
        String own = tenant == null ? "" : tenant.tenant().id().value();
        List<Hit> struck = hits.getOrDefault(call.sid(), List.of());
        Duration bearable = history.gaps().stream()
                .max(Comparator.comparing(Gap::length))
                .map(longest -> bearable(longest, struck, system.timing()))
                .orElse(Fault.KILL.mostSilence(system.timing()));
        int greetings = (int) history.personas().stream()
                .filter(mark -> mark.kind().equals("greeting"))
                .count();
        return new CallerRow(
                number,
                own,
                struck.stream().map(hit -> hit.fault().text()).toList(),
                history.movedAt().size(),
                Statistics.round(history.gaps().stream()
                        .mapToDouble(gap -> seconds(gap.length()))
                        .sum()),
                Statistics.round(seconds(history.longestSilence())),
                seconds(bearable),
                (int) history.utterances().stream().filter(Utterance::cut).count(),
                Repetition.of(history),
                Math.max(0, greetings - 1),
                history.turns().stream().mapToInt(CallHistory.Turn::repeats).sum(),
                (int) history.personas().stream()
                        .filter(mark -> !mark.tenant().equals(own))
                        .count(),
                call.endReason()
                        .filter(reason -> reason == EndReason.CALLER_HUNG_UP)
                        .isEmpty());
    }

    private static void sleepUntil(Moment start, Duration at) throws InterruptedException {
        Duration left = at.minus(Moment.now().since(start));
        if (left.isPositive()) {
            TimeUnit.NANOSECONDS.sleep(left.toNanos());
        }
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
