package dev.spillway.system;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.DependencyException;
import dev.spillway.core.call.JobId;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.outbound.Prewarming;
import dev.spillway.core.pool.Gauges;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.Callee;
import java.io.IOException;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Two batches of calls out with a known start on a pool of zero, which is made ready before it: 45 jobs of weight 1 and 15
 * of weight 2, on ten containers of one slot each. Twenty callers come while they are dialled.
 */
final class OutboundDemo {
    static final int CALLERS = 20;
    private static final int CONTAINERS = 10;
    private static final int LIMIT = 8;
    private static final int RESERVE = 2;
    private static final int LARGE = 45;
    private static final int SMALL = 15;

    /** Ten processes start on the machine of whoever runs this: margin 5 min, shortened by the speed as all else. */
    static final LocalTenant TENANT = LocalTenant.ACME.with(
            new Policy(0, CONTAINERS, 1, 0, Policy.ScaleOutRule.DEMAND, Policy.ScaleInRule.IDLE),
            new OutboundPolicy(
                    LIMIT,
                    RESERVE,
                    1_000,
                    1,
                    10_000,
                    Map.of("speech", 40, "model", 25),
                    List.of(Country.always("+1500555")),
                    Set.of(),
                    new OutboundPolicy.Warmth(Duration.ofMinutes(5), Duration.ofMinutes(10))));

    private static final PoolId POOL = PoolId.of(TENANT.tenant().id());

    /** Somewhere within the batches' run, whose pace is one dial a second. */
    private static final Duration CALLERS_COME_WITHIN = Duration.ofSeconds(80);

    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(5);

    private final LocalSystem system;
    private final long seed;
    private final PrintStream progress;
    private final List<Entry> dials = new ArrayList<>();

    /** How long the slots that jobs took had been free. */
    private final List<Double> reuses = new ArrayList<>();

    private final Map<String, Integer> deferrals = new TreeMap<>();
    private final List<Call> callers = new ArrayList<>();
    private final Map<String, JsonNode> ended = new HashMap<>();
    private final OutboundLedger ledger = new OutboundLedger(LARGE + SMALL, CALLERS, LIMIT, RESERVE);
    private Optional<Instant> allReady = Optional.empty();

    OutboundDemo(LocalSystem system, long seed, PrintStream progress) {
        this.system = system;
        this.seed = seed;
        this.progress = progress;
    }

    OutboundDemoResult run() throws IOException, InterruptedException {
        Instant begun = Instant.now();
        system.journal().listen(this::note);
        system.twilio().whenDialled(number -> {
            lookAtTheReserve();
            return behaviour(number);
        });
        Instant start = begun.plus(lead()).plusSeconds(5);
        try (LocalApi api = new LocalApi(system.signedApi())) {
            List<String> jobs = api.makeCalls(batches(start));
            say(jobs.size() + " jobs wait for " + start + "; their containers are asked for before it");
            List<Instant> arrivals = arrivals(start);
            Instant end = start.plus(LONGEST);
            Instant nextLine = begun;
            while (Instant.now().isBefore(end) && !isOver(jobs)) {
                arrive(arrivals);
                look();
                count(api, jobs, begun);
                if (!Instant.now().isBefore(nextLine)) {
                    line(start, jobs);
                    nextLine = Instant.now().plus(BETWEEN_LINES);
                }
                TimeUnit.NANOSECONDS.sleep(BETWEEN_LOOKS.toNanos());
            }
            count(api, jobs, begun);
            system.writeCallTimelines();
            return result(start, jobs);
        }
    }

    private Duration lead() {
        OutboundPolicy.Warmth warmth = TENANT.outbound().warmth();
        return Prewarming.lead(
                new OutboundPolicy.Warmth(system.scaled(warmth.margin()), system.scaled(warmth.keep())),
                system.timing().coldStart());
    }

    private static String batches(Instant start) {
        List<String> jobs = new ArrayList<>();
        for (int n = 0; n < LARGE + SMALL; n++) {
            boolean large = n < LARGE;
            jobs.add("{\"tenant\":\"%s\",\"to\":\"+15005557%03d\",\"batch\":\"%s\",\"weight\":%d,\"notBefore\":\"%s\"}"
                    .formatted(TENANT.tenant().id(), n, large ? "large" : "small", large ? 1 : 2, start));
        }
        return "[" + String.join(",", jobs) + "]";
    }

    /** Of nine who are called two do not talk; the others take two or three turns. */
    private static Callee behaviour(String number) {
        int n = Integer.parseInt(number.substring(number.length() - 3));
        return switch (n % 9) {
            case 0 -> new Callee.Busy(Duration.ofSeconds(1));
            case 1 -> new Callee.NoAnswer(Duration.ofSeconds(6));
            default -> new Callee.Answers(Duration.ofSeconds(1), CallScript.ofTurns(2 + n % 2));
        };
    }

    private List<Instant> arrivals(Instant start) {
        Random random = new Random(seed);
        return new ArrayList<>(random.longs(CALLERS, 0, CALLERS_COME_WITHIN.toMillis())
                .sorted()
                .mapToObj(start::plusMillis)
                .toList());
    }

    private void arrive(List<Instant> arrivals) {
        while (!arrivals.isEmpty() && !Instant.now().isBefore(arrivals.getFirst())) {
            arrivals.removeFirst();
            callers.add(system.call(TENANT, CallScript.ofTurns(2)));
        }
    }

    private synchronized void note(Entry entry) {
        if (entry.event().equals("dial")) {
            dials.add(entry);
        } else if (entry.metrics().containsKey(Metric.SLOT_REUSE_SECONDS)
                && entry.fields().containsKey("job")) {
            reuses.add(entry.metrics().getOrDefault(Metric.SLOT_REUSE_SECONDS, 0.0));
        } else if (entry.event().equals("deferred")) {
            deferrals.merge(entry.fields().getOrDefault("cause", "?"), 1, Integer::sum);
        }
    }

    private void look() {
        view().ifPresent(view -> {
            Instant now = Instant.now();
            ledger.callsOut(view.pool().outbound().calls().size());
            if (allReady.isEmpty() && view.claimable(now).count() == CONTAINERS) {
                allReady = Optional.of(now);
            }
        });
    }

    /**
     * As the table is when Twilio is asked to dial, whatever the dialer saw: the reserve is free, but for callers who took of
     * it after the dial's own claim, which is the newest that a job has.
     */
    private synchronized void lookAtTheReserve() {
        view().ifPresent(view -> {
            Instant now = Instant.now();
            Instant claimed = view.containers().stream()
                    .flatMap(container -> container.claims().entrySet().stream())
                    .filter(claim -> claim.getKey() instanceof JobId)
                    .map(claim -> claim.getValue().claimedAt())
                    .max(Comparator.naturalOrder())
                    .orElse(now);
            long takenSince = view.claimable(now)
                    .flatMap(container -> container.claims().values().stream())
                    .filter(claim -> claim.claimedAt().isAfter(claimed))
                    .count();
            ledger.dialled(view.free(now), takenSince);
        });
    }

    /** Empty while the table cannot be read. */
    private Optional<PoolView> view() {
        try {
            return system.pools().read(POOL);
        } catch (DependencyException e) {
            return Optional.empty();
        }
    }

    private void count(LocalApi api, List<String> jobs, Instant begun) throws IOException, InterruptedException {
        int waitingOrUp = 0;
        for (String id : jobs) {
            if (ended.containsKey(id)) {
                continue;
            }
            JsonNode job = api.call(id);
            if (job.path("state").asText().equals("ended")) {
                ended.put(id, job);
            } else {
                waitingOrUp++;
            }
        }
        long heard = distinct(callers.stream().filter(OutboundDemo::isAnswered));
        JsonNode summary = api.summary(TENANT.tenant().id().value(), begun);
        ledger.look(summary, ended.size() + waitingOrUp, heard, distinct(callers.stream()));
    }

    private static long distinct(Stream<Call> calls) {
        return calls.map(Call::sid).distinct().count();
    }

    private boolean isOver(List<String> jobs) {
        return ended.size() == jobs.size()
                && callers.size() == CALLERS
                && ledger.identity().open() == 0
                && callers.stream().allMatch(call -> call.endReason().isPresent());
    }

    private void line(Instant start, List<String> jobs) {
        view().ifPresent(view -> {
            Gauges slots = Gauges.of(view, Instant.now());
            say(String.format(
                    Locale.ROOT,
                    "%+4d s  slots: %d live, %d reserved, %d cooldown, %d ready, %d usable of %d  jobs ended: %d of %d"
                            + "  callers: %d of %d",
                    Duration.between(start, Instant.now()).toSeconds(),
                    slots.live(),
                    slots.reserved(),
                    slots.cooldown(),
                    slots.ready(),
                    slots.usable(),
                    slots.ceiling(),
                    ended.size(),
                    jobs.size(),
                    callers.size(),
                    CALLERS));
        });
    }

    private void say(String text) {
        progress.println(text);
    }

    private synchronized OutboundDemoResult result(Instant start, List<String> jobs) {
        Map<String, Integer> outcomes = new TreeMap<>();
        ended.values().forEach(job -> outcomes.merge(job.path("outcome").asText(), 1, Integer::sum));
        int refused = (int) callers.stream()
                .filter(call -> !call.history().spoken().isEmpty())
                .count();
        int answered = (int) callers.stream().filter(OutboundDemo::isAnswered).count();
        Map<String, List<Double>> waits = dials.stream()
                .collect(Collectors.groupingBy(
                        dial -> dial.fields().getOrDefault("batch", "?"),
                        TreeMap::new,
                        Collectors.mapping(
                                dial -> dial.metrics().getOrDefault(Metric.OUTBOUND_WAIT_SECONDS, 0.0),
                                Collectors.toList())));
        Map<String, OutboundDemoResult.Times> waitsByBatch = new TreeMap<>();
        waits.forEach((batch, seconds) -> waitsByBatch.put(batch, Statistics.times(seconds)));
        List<String> failures = ledger.failures(ended.size(), refused, answered);
        return new OutboundDemoResult(
                system.speed(),
                seed,
                CONTAINERS,
                LIMIT,
                RESERVE,
                allReady.map(at -> Statistics.round(Duration.between(at, start).toMillis() / 1000.0))
                        .orElse(null),
                Statistics.round(Duration.between(start, Instant.now()).toMillis() / 1000.0),
                new OutboundDemoResult.Outbound(
                        jobs.size(),
                        (int) dials.stream()
                                .map(dial -> dial.fields().get("job"))
                                .distinct()
                                .count(),
                        (int) ended.values().stream()
                                .filter(OutboundDemo::wasDeferred)
                                .count(),
                        outcomes.getOrDefault("refused", 0),
                        outcomes),
                new OutboundDemoResult.Inbound(callers.size(), answered, onGateway(), refused),
                deferrals.values().stream().mapToInt(Integer::intValue).sum(),
                new TreeMap<>(deferrals),
                waitsByBatch,
                Statistics.times(reuses),
                ledger.identity(),
                ledger.looks(),
                dials.size(),
                ledger.brokenReserves(),
                ledger.mostCallsOut(),
                failures);
    }

    private int onGateway() {
        return (int) callers.stream()
                .filter(call -> call.history().streams().stream()
                        .anyMatch(stream ->
                                stream.url().getPort() == system.gatewayUrl().getPort()))
                .count();
    }

    private static boolean isAnswered(Call call) {
        return call.history().streams().stream()
                .anyMatch(stream -> stream.firstAudioAt().isPresent());
    }

    private static boolean wasDeferred(JsonNode job) {
        for (JsonNode step : job.path("steps")) {
            if (step.path("kind").asText().equals("deferred")) {
                return true;
            }
        }
        return false;
    }
}
