package dev.spillway.system;

import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallHistory;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.EndReason;
import dev.spillway.localcloud.twilio.Moment;
import dev.spillway.localcloud.twilio.Move;
import dev.spillway.localcloud.twilio.StreamHistory;
import dev.spillway.localcloud.twilio.Utterance;
import dev.spillway.system.DemoResult.CallRow;
import dev.spillway.system.DemoResult.RetirementRow;
import dev.spillway.system.DemoResult.TimelineRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The first text's test, with real processes: one call on an idle container, then twenty calls ten seconds apart into a
 * pool of zero, until the pool is at zero again.
 */
final class Demo {
    static final int CALLS = 20;
    private static final Duration APART = Duration.ofSeconds(10);
    private static final Duration CALL_LENGTH = Duration.ofMinutes(10);
    private static final int BASELINE_TURNS = 5;
    private static final Duration UTTERANCE = Duration.ofMillis(1_200);

    private final LocalSystem system;
    private final Progress progress;
    private final List<TimelineRow> timeline = new ArrayList<>();
    private final List<RetirementRow> walk = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private volatile boolean allPlaced;
    private int peak;
    private int lastContainers;

    Demo(LocalSystem system, Progress progress) {
        this.system = system;
        this.progress = progress;
    }

    DemoResult run() throws InterruptedException {
        Call baseline = baseline();
        progress.say("");
        progress.say("Twenty calls, " + APART.toSeconds() + " s apart, to a tenant with no container:");
        Moment start = Moment.now();
        try (PoolWatch watch =
                        new PoolWatch(system.pools(), LocalTenant.ACME.tenant().id());
                ScheduledExecutorService dialer = Executors.newSingleThreadScheduledExecutor(
                        Thread.ofVirtual().factory())) {
            system.journal().listen(entry -> note(start, entry.event(), entry.fields()));
            watch.start(glance -> look(start, glance));
            for (int i = 0; i < CALLS; i++) {
                int number = i + 1;
                dialer.schedule(
                        () -> place(start, number),
                        scaled(APART.multipliedBy(i)).toMillis(),
                        TimeUnit.MILLISECONDS);
            }
            Duration all = scaled(APART.multipliedBy(CALLS).plus(CALL_LENGTH)).plusSeconds(30);
            await(
                    all,
                    () -> allPlaced
                            && calls().stream()
                                    .allMatch(call -> call.endReason().isPresent()));
            Duration window = system.timing().idleWindow();
            boolean atZero = await(
                    window.plusSeconds(20)
                            .plus(system.scaled(Duration.ofMinutes(2)))
                            .multipliedBy(peak + 1L),
                    () -> isAtZero(watch));
            if (!atZero) {
                progress.say("The pool did not return to zero in time.");
            }
            // Connections of a process that has just gone are noticed within a moment.
            await(Duration.ofSeconds(5), () -> system.ghosts().isEmpty());
            return result(start, baseline, watch);
        }
    }

    private Call baseline() throws InterruptedException {
        progress.say("One call on an idle container, for comparison ...");
        Call call = system.call(
                LocalTenant.GLOBEX, CallScript.ofTurns(BASELINE_TURNS).withUtterance(UTTERANCE));
        if (!call.awaitEnd(Duration.ofSeconds(90))) {
            call.hangUp();
        }
        return call;
    }

    private void place(Moment start, int number) {
        CallScript script = CallScript.lasting(scaled(CALL_LENGTH)).withUtterance(UTTERANCE);
        Call call = system.call(LocalTenant.ACME, script);
        synchronized (this) {
            calls.add(call);
            timeline.add(row(start, "call " + number + " arrives"));
            allPlaced = calls.size() == CALLS;
        }
    }

    private synchronized List<Call> calls() {
        return List.copyOf(calls);
    }

    /** Scale decisions as the functions journal them. */
    private synchronized void note(Moment start, String event, java.util.Map<String, String> fields) {
        if (!LocalTenant.ACME.tenant().id().value().equals(fields.get("pool"))) {
            return;
        }
        if (event.equals("scale-out")) {
            timeline.add(row(start, "scales " + fields.get("from") + " -> " + fields.get("to")));
        } else if (event.equals("scale-in")) {
            int from = Integer.parseInt(fields.getOrDefault("from", "0"));
            int to = Integer.parseInt(fields.getOrDefault("to", "0"));
            timeline.add(row(start, "scales in " + from + " -> " + to));
            walk.add(new RetirementRow(at(start, Moment.now()), from, to));
        } else if (event.equals("lost")) {
            timeline.add(row(start, "container lost: " + fields.get("reason")));
        }
    }

    private synchronized void look(Moment start, PoolWatch.Glance glance) {
        activeCalls = glance.activeCalls();
        int seen = glance.containers();
        int before = lastContainers;
        lastContainers = seen;
        peak = Math.max(peak, seen);
        if (seen > before) {
            timeline.add(row(start, "container " + seen + " READY"));
        }
        if (glance.onGateway() == 0 && heldBefore > 0) {
            timeline.add(row(start, "no call is on the gateway any more"));
        }
        heldBefore = glance.onGateway();
        long ended = calls.stream().filter(call -> call.endReason().isPresent()).count();
        progress.show(at(start, Moment.now()), glance, (int) (calls.size() - ended), (int) ended, CALLS);
    }

    private int activeCalls;
    private int heldBefore;

    private TimelineRow row(Moment start, String event) {
        return new TimelineRow(at(start, Moment.now()), event, lastContainers, activeCalls);
    }

    private double at(Moment start, Moment moment) {
        return Statistics.round(seconds(moment.since(start)) * system.speed());
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    private boolean isAtZero(PoolWatch watch) {
        return system.liveTasks(LocalTenant.ACME) == 0
                && watch.glance()
                        .filter(glance -> glance.desired() == 0 && glance.containers() == 0)
                        .isPresent();
    }

    private Duration scaled(Duration duration) {
        return system.scaled(duration);
    }

    private DemoResult result(Moment start, Call baseline, PoolWatch watch) {
        List<Call> all = calls();
        system.writeCallTimelines();
        List<Long> latencies =
                all.stream().flatMap(call -> latencies(call).stream()).toList();
        List<CallRow> rows = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            rows.add(callRow(start, i + 1, all.get(i)));
        }
        int answered = (int) all.stream().filter(Demo::isAnswered).count();
        int refused = (int)
                all.stream().filter(call -> !call.history().spoken().isEmpty()).count();
        int dropped = (int) all.stream().filter(Demo::isDropped).count();
        int wrong = all.stream()
                        .mapToInt(call -> wrongPersona(call, LocalTenant.ACME))
                        .sum()
                + wrongPersona(baseline, LocalTenant.GLOBEX);
        double silence = all.stream()
                .mapToDouble(call -> seconds(call.history().longestSilence()))
                .max()
                .orElse(0);
        List<Double> handOffGaps = rows.stream()
                .flatMap(row -> row.handOffGapsMs().stream())
                .map(Long::doubleValue)
                .toList();
        List<Double> held = rows.stream().map(CallRow::gatewaySeconds).toList();
        int finalContainers = watch.glance().map(PoolWatch.Glance::containers).orElse(-1);
        List<String> ghosts = system.ghosts();
        List<String> failures = failures(answered, refused, dropped, wrong, silence, ghosts, isAtZero(watch));
        return new DemoResult(
                system.speed(),
                system.thinkMillis(),
                CALLS,
                answered,
                refused,
                dropped,
                wrong,
                (int) all.stream()
                        .flatMap(call -> call.history().utterances().stream())
                        .filter(Utterance::cut)
                        .count(),
                Statistics.round(silence),
                peak,
                finalContainers,
                Statistics.latency(latencies(baseline)),
                Statistics.latency(latencies),
                (int) latencies.stream().filter(millis -> millis > 800).count(),
                (int) latencies.stream().filter(millis -> millis > 1_000).count(),
                Statistics.spread(all.stream()
                        .flatMap(call -> call.timeToFirstAudio().stream())
                        .map(time -> (double) time.toMillis())
                        .toList()),
                handOffGaps.size(),
                Statistics.spread(handOffGaps),
                Statistics.spread(
                        held.stream().map(value -> value * system.speed()).toList()),
                Statistics.spread(held),
                List.copyOf(timeline),
                List.copyOf(walk),
                rows,
                ghosts,
                failures);
    }

    private static List<String> failures(
            int answered, int refused, int dropped, int wrong, double silence, List<String> ghosts, boolean atZero) {
        List<String> failures = new ArrayList<>();
        if (answered < CALLS) {
            failures.add((CALLS - answered) + " calls heard no agent");
        }
        if (refused > 0) {
            failures.add(refused + " calls were refused");
        }
        if (dropped > 0) {
            failures.add(dropped + " calls were dropped");
        }
        if (wrong > 0) {
            failures.add(wrong + " utterances in a wrong persona");
        }
        if (silence > 3) {
            failures.add("a caller heard nothing for " + Statistics.round(silence) + " s");
        }
        if (!ghosts.isEmpty()) {
            failures.add(ghosts.size() + " connections from processes that are gone");
        }
        if (!atZero) {
            failures.add("the pool did not return to zero");
        }
        return failures;
    }

    private static List<Long> latencies(Call call) {
        return call.history().turns().stream()
                .filter(turn -> !turn.bargeIn())
                .flatMap(turn -> turn.responseLatency().stream())
                .map(Duration::toMillis)
                .toList();
    }

    private static List<Long> handOffGaps(CallHistory history) {
        return history.moves().stream()
                .filter(Move::handedOver)
                .flatMap(move -> move.gap().stream())
                .map(Duration::toMillis)
                .toList();
    }

    private static boolean isAnswered(Call call) {
        return call.history().streams().stream()
                .anyMatch(stream -> stream.firstAudioAt().isPresent());
    }

    /** Ended by anything but the caller's own hanging up. */
    private static boolean isDropped(Call call) {
        return call.endReason()
                .filter(reason -> reason == EndReason.CALLER_HUNG_UP)
                .isEmpty();
    }

    private static int wrongPersona(Call call, LocalTenant tenant) {
        return (int) call.history().personas().stream()
                .filter(mark -> !mark.tenant().equals(tenant.tenant().id().value()))
                .count();
    }

    private CallRow callRow(Moment start, int number, Call call) {
        CallHistory history = call.history();
        double onGateway = history.streams().stream()
                .filter(stream -> stream.url().getPort() == system.gatewayUrl().getPort())
                .mapToDouble(Demo::lastedSeconds)
                .sum();
        return new CallRow(
                number,
                at(start, call.placedAt()),
                call.timeToFirstAudio().map(Duration::toMillis).orElse(null),
                Statistics.round(onGateway),
                history.movedAt().size(),
                latencies(call).size(),
                handOffGaps(history),
                Statistics.round(seconds(history.longestSilence())),
                history.gaps().stream()
                        .map(gap -> new DemoResult.Gap(at(start, gap.from()), Statistics.round(seconds(gap.length()))))
                        .toList(),
                call.endReason().map(Enum::name).orElse("still up"));
    }

    private static double lastedSeconds(StreamHistory stream) {
        Optional<Moment> opened = stream.openedAt();
        return opened.map(moment ->
                        seconds(stream.endedAt().orElseGet(Moment::now).since(moment)))
                .orElse(0.0);
    }

    private static boolean await(Duration most, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        while (System.nanoTime() < end) {
            if (condition.getAsBoolean()) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        return condition.getAsBoolean();
    }
}
