package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.DependencyException;
import dev.spillway.core.call.JobId;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallHistory;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.Callee;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Calls out on the local stack, with real processes and ten times as fast as life, save for what people hear. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OutboundIT {
    private static final PoolId ACME = PoolId.of(LocalTenant.ACME.tenant().id());
    private static final PoolId GLOBEX = PoolId.of(LocalTenant.GLOBEX.tenant().id());
    private static final PoolId WONKA = PoolId.of(OutboundTenants.WONKA.tenant().id());
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<Entry> DECISIONS = new CopyOnWriteArrayList<>();
    private static LocalSystem system;
    private static OutboundJobs jobs;
    private static Optional<KnownStart> known = Optional.empty();
    private static Path work;

    @BeforeAll
    static void start() throws Exception {
        work = Files.createTempDirectory("spillway-it-");
        System.out.println("logs of containers and functions: " + work + "; seed 2");
        system = new LocalSystem(new LocalSystem.Options(
                10,
                300,
                Trained.home(),
                work,
                2,
                TwilioSwitches.likely(2),
                List.of(
                        LocalTenant.ACME,
                        OutboundTenants.GLOBEX,
                        OutboundTenants.INITECH,
                        OutboundTenants.HOOLI,
                        OutboundTenants.WONKA),
                Map.of(),
                false,
                LocalSystem.GATEWAY_LIMIT,
                List.of(Trained.home())));
        system.journal().listen(DECISIONS::add);
        system.start();
        jobs = new OutboundJobs(system.signedApi());
    }

    @AfterAll
    static void stop() {
        jobs.close();
        system.close();
    }

    @Test
    @Order(1)
    void one_job_on_a_pool_at_zero_is_dialled_once_a_container_is_ready_and_ends_completed() throws Exception {
        assertThat(view().claimable(Instant.now())).isEmpty();

        String id = jobs.post("one", job(1)).get(0);

        JsonNode ended = jobs.awaitEnd(id);
        assertThat(ended.path("outcome").asText()).isEqualTo("completed");
        Call call = system.twilio().call(ended.path("callSid").asText()).orElseThrow();
        assertThat(call.history().personas().stream().map(CallHistory.PersonaMark::tenant))
                .contains("acme");
        assertThat(call.history().streams().getFirst().url().getPort())
                .isEqualTo(system.loadBalancerUrl(LocalTenant.ACME).getPort());
        assertThat(outboundCalls()).hasSize(1);
        nothingIsHeld();
        // one name runs through the lines of functions and containers
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            List<String> lines = CallStory.logLines(work, Set.of(id));
            for (String event : List.of("dial", "answered", "ended")) {
                assertThat(lines)
                        .anyMatch(line ->
                                line.startsWith("functions.log") && line.contains("\"event\":\"%s\"".formatted(event)));
            }
            assertThat(lines)
                    .anyMatch(line -> !line.startsWith("functions.log")
                            && line.contains("\"event\":\"connected\"")
                            && line.contains(call.sid()));
        });
    }

    @Test
    @Order(2)
    void a_job_that_nobody_answers_frees_its_slot() throws Exception {
        system.twilio().whenDialled(number -> new Callee.NoAnswer(Duration.ofSeconds(2)));

        String id = jobs.post("two", job(2)).get(0);

        assertThat(jobs.awaitEnd(id).path("outcome").asText()).isEqualTo("abandoned");
        nothingIsHeld();
    }

    @Test
    @Order(3)
    void a_dial_whose_reply_is_lost_is_made_once() throws Exception {
        int before = outboundCalls().size();
        system.twilio().whenDialled(number -> answersAtOnce());
        system.twilio().loseDialReplies(1);

        String id = jobs.post("three", job(3)).get(0);

        assertThat(jobs.awaitEnd(id).path("outcome").asText()).isEqualTo("completed");
        assertThat(outboundCalls()).hasSize(before + 1);
        nothingIsHeld();
    }

    @Test
    @Order(4)
    void of_twelve_jobs_never_more_than_three_are_in_flight_the_small_batch_is_not_the_last_and_all_end()
            throws Exception {
        int before = outboundCalls().size();
        int seen = DECISIONS.size();
        system.twilio().whenDialled(OutboundIT::behaviour);
        AtomicInteger most = new AtomicInteger();
        List<String> ids = jobs.post(
                "four",
                IntStream.range(10, 22)
                        .mapToObj(n -> job(n, n < 19 ? "large" : "small"))
                        .collect(Collectors.joining(",", "[", "]")));

        await().atMost(Duration.ofMinutes(4))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> {
                    most.accumulateAndGet(up(), Math::max);
                    most.accumulateAndGet(view().pool().outbound().calls().size(), Math::max);
                    return ids.stream()
                            .allMatch(id -> jobs.get(id).path("state").asText().equals("ended"));
                });

        assertThat(most.get()).isBetween(2, 3);
        assertThat(outboundCalls()).hasSize(before + 12);
        List<String> outcomes =
                ids.stream().map(id -> jobs.get(id).path("outcome").asText()).toList();
        assertThat(outcomes).containsOnly("completed", "abandoned");
        assertThat(outcomes.stream().filter("completed"::equals)).hasSize(8);
        List<Instant> dialled = ids.stream()
                .flatMap(id -> jobs.get(id).path("steps").valueStream())
                .filter(step -> step.path("kind").asText().equals("admitted"))
                .map(step -> Instant.parse(step.path("at").asText()))
                .sorted()
                .toList();
        for (int i = 1; i < dialled.size(); i++) {
            assertThat(Duration.between(dialled.get(i - 1), dialled.get(i)))
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        }
        nothingIsHeld();
        List<Entry> dials = decisions(seen, "dial").toList();
        List<String> batches =
                dials.stream().map(dial -> dial.fields().get("batch")).toList();
        assertThat(batches).hasSize(12).contains("large", "small");
        // three of twelve take turns with the others; those of one batch only would come in any order
        assertThat(batches.lastIndexOf("small"))
                .as("the turns were %s", batches)
                .isLessThan(batches.lastIndexOf("large"));
        assertThat(dials)
                .allSatisfy(dial -> assertThat(dial.metrics().get(Metric.OUTBOUND_WAIT_SECONDS))
                        .isBetween(0.0, 240.0));
        assertThat(decisions(seen, "slot-reused"))
                .isNotEmpty()
                .allSatisfy(reuse -> assertThat(reuse.metrics().get(Metric.SLOT_REUSE_SECONDS))
                        .isBetween(0.0, 240.0))
                .allSatisfy(reuse -> assertThat(reuse.fields()).containsEntry("tenant", "acme"));
    }

    @Test
    @Order(5)
    void the_same_request_again_makes_no_second_call_and_wrong_ones_write_nothing() throws Exception {
        int before = outboundCalls().size();
        assertThat(jobs.post("two", job(2))).isEqualTo(jobs.post("two", job(2)));
        assertThat(jobs.send("POST", "/calls", job(9), "two").statusCode()).isEqualTo(409);
        HttpResponse<String> wrong = jobs.send(
                "POST", "/calls", "{\"tenant\":\"acme\",\"to\":\"12\",\"deadline\":\"2020-01-01T00:00:00Z\"}", "five");
        assertThat(wrong.statusCode()).isEqualTo(422);
        assertThat(wrong.body()).contains("\"field\":\"to\"").contains("\"field\":\"deadline\"");
        assertThat(wrong.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(outboundCalls()).hasSize(before);
    }

    @Test
    @Order(6)
    void every_job_is_one_attempt_with_the_steps_of_its_call_and_the_sums_hold() throws Exception {
        JsonNode listed = JSON.readTree(
                jobs.send("GET", "/attempts?tenant=acme&limit=100", "", "").body());

        assertThat(listed.at("/summary/offered").asInt()).isEqualTo(15);
        assertThat(listed.at("/summary/open").asInt()).isZero();
        assertThat(listed.at("/summary/inbound/offered").asInt()).isZero();
        assertThat(listed.at("/summary/outbound/offered").asInt()).isEqualTo(15);
        assertThat(listed.at("/summary/outbound/deferred").asInt()).isPositive();
        JsonNode first = listed.at("/attempts/0");
        List<String> steps = new ArrayList<>();
        first.at("/steps").forEach(step -> steps.add(step.at("/step").asText()));
        assertThat(steps)
                .startsWith("accepted", "deferred")
                .containsSubsequence("deferred", "admitted", "dialled", "answered", "connected", "ended");
        assertThat(first.at("/steps/1/cause").asText()).isEqualTo("starting");
        assertThat(first.at("/steps/1/slots/limit").isNumber()).isTrue();
        JsonNode byCall = JSON.readTree(
                jobs.send("GET", "/attempts/" + first.at("/callSid").asText() + "?tenant=acme", "", "")
                        .body());
        assertThat(byCall)
                .isEqualTo(JSON.readTree(
                        jobs.send("GET", "/attempts/" + first.at("/id").asText() + "?tenant=acme", "", "")
                                .body()));
        assertThat(String.join("\n", CallStory.lines(byCall)))
                .contains("outbound, tenant acme", "dialled as CA", "answered")
                .doesNotContain("+1500");
    }

    @Test
    @Order(7)
    void a_job_that_gets_no_slot_by_its_deadline_ends_as_deferred_expired_and_nobody_is_dialled() throws Exception {
        system.twilio().whenDialled(number -> new Callee.RingsOn());
        List<String> ringing = jobs.post(
                "six", "[" + IntStream.range(30, 33).mapToObj(OutboundIT::job).collect(Collectors.joining(",")) + "]");
        await().atMost(Duration.ofSeconds(60)).until(() -> up() == 3);
        int before = outboundCalls().size();
        int seen = DECISIONS.size();

        String late = jobs.post(
                        "seven",
                        "{\"tenant\":\"acme\",\"to\":\"+15005557040\",\"deadline\":\"%s\"}"
                                .formatted(Instant.now().plusSeconds(4)))
                .getFirst();

        assertThat(jobs.awaitEnd(late).path("outcome").asText()).isEqualTo("deferred-expired");
        assertThat(outboundCalls()).hasSize(before);
        // the rounds that come while they ring count them
        await("a round's gauges")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(gauges(seen, "acme")).anySatisfy(gauges -> {
                    assertThat(gauges).containsEntry(Metric.LIVE_SLOTS, 0.0);
                    assertThat(gauges).containsEntry(Metric.COOLDOWN_SLOTS, 0.0);
                    assertThat(gauges).containsEntry(Metric.RESERVED_SLOTS, 3.0);
                    assertThat(gauges).containsEntry(Metric.SLOT_CEILING, 120.0);
                    double ready = gauges.getOrDefault(Metric.READY_SLOTS, 0.0);
                    assertThat(ready).isBetween(6.0, 120.0);
                    assertThat(gauges).containsEntry(Metric.USABLE_SLOTS, ready - 3);
                }));
        for (String id : ringing) {
            jobs.cancel(id, 202);
        }
        nothingIsHeld();
    }

    /** A batch that waits for its start while other tests run, and who watches it meanwhile. */
    private record KnownStart(
            Instant start, List<String> ids, List<Instant> dialled, CompletableFuture<Instant> ready) {}

    @Test
    @Order(8)
    void a_batch_with_a_known_start_starts_nothing_long_before_it() throws Exception {
        system.twilio().whenDialled(number -> answersAtOnce());
        List<Instant> dialled = new CopyOnWriteArrayList<>();
        system.journal().listen(entry -> {
            if (entry.event().equals("dial") && "wonka".equals(entry.fields().get("tenant"))) {
                dialled.add(Instant.now());
            }
        });
        // a cold start takes 6 s here and the margin is 12 s: the pool stays at zero for some seconds first
        Instant start = Instant.now().plusSeconds(30);

        List<String> ids = jobs.post(
                "eight",
                "["
                        + IntStream.range(50, 53)
                                .mapToObj(n -> "{\"tenant\":\"wonka\",\"to\":\"+15005557%03d\",\"notBefore\":\"%s\"}"
                                        .formatted(n, start))
                                .collect(Collectors.joining(","))
                        + "]");

        assertThat(system.liveTasks(OutboundTenants.WONKA)).isZero();
        known = Optional.of(new KnownStart(
                start,
                ids,
                dialled,
                CompletableFuture.supplyAsync(OutboundIT::firstContainer, Thread::startVirtualThread)));
    }

    private static Instant firstContainer() {
        await("a container")
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(100))
                .ignoreException(DependencyException.class)
                .until(() -> system.pools()
                        .read(WONKA)
                        .orElseThrow()
                        .claimable(Instant.now())
                        .findAny()
                        .isPresent());
        return Instant.now();
    }

    @Test
    @Order(9)
    void more_waiting_jobs_than_the_bound_are_refused_with_429_and_a_reason() throws Exception {
        for (int request = 0; request < 2; request++) {
            jobs.post("tomorrow-" + request, tomorrow(500));
        }

        HttpResponse<String> refused = jobs.send("POST", "/calls", tomorrow(1), "one-too-many");

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(refused.body()).contains("1000 jobs are waiting");
    }

    @Test
    @Order(10)
    void a_provider_and_the_days_cap_bound_calls_out_and_a_ringing_call_is_hung_up_when_its_job_is_canceled()
            throws Exception {
        LocalDate day = LocalDate.now(ZoneOffset.UTC);
        system.twilio()
                .whenDialled(number -> number.startsWith("+1500555707") ? new Callee.RingsOn() : answersAtOnce());
        List<String> ids = jobs.post(
                "ten",
                IntStream.range(70, 73)
                        .mapToObj(n -> "{\"tenant\":\"initech\",\"to\":\"+15005557%03d\"}".formatted(n))
                        .collect(Collectors.joining(",", "[", "]")));

        // model sessions: one; while it rings, the others wait for that provider
        String first = jobs.awaitRinging(ids);
        List<String> others = ids.stream().filter(id -> !id.equals(first)).toList();
        others.forEach(id -> jobs.awaitCause(id, "provider-limit"));
        assertThat(callsOf(OutboundTenants.INITECH)).hasSize(1);

        jobs.cancel(first, 202);
        String second = jobs.awaitRinging(others);
        assertThat(jobs.get(first).path("outcome").asText()).isEqualTo("canceled");
        assertThat(callsOf(OutboundTenants.INITECH)).hasSize(2);

        // dials a day: two
        jobs.cancel(second, 202);
        String third =
                others.stream().filter(id -> !id.equals(second)).findFirst().orElseThrow();
        boolean sameDay = day.equals(LocalDate.now(ZoneOffset.UTC));
        if (sameDay) {
            jobs.awaitCause(third, "daily-cap");
        }
        jobs.cancel(third, sameDay ? 200 : 202);
        assumeTrue(sameDay, "the day's dials are counted anew");
        assertThat(jobs.get(second).path("outcome").asText()).isEqualTo("canceled");
        assertThat(jobs.get(third).path("outcome").asText()).isEqualTo("canceled");
        assertThat(callsOf(OutboundTenants.INITECH))
                .hasSize(2)
                .allSatisfy(call -> assertThat(call.answeredAt()).isEmpty());
        nothingIsHeld(PoolId.of(OutboundTenants.INITECH.tenant().id()));
    }

    @Test
    @Order(11)
    void a_suppressed_number_and_one_that_is_asleep_are_not_dialled_and_start_nothing() throws Exception {
        String suppressed = "{\"tenant\":\"hooli\",\"to\":\"%s\"}".formatted(OutboundTenants.SUPPRESSED);
        String today = "{\"tenant\":\"hooli\",\"to\":\"+15005557075\",\"deadline\":\"%s\"}"
                .formatted(Instant.now().plus(Duration.ofHours(1)));
        assertThat(jobs.send("POST", "/calls", suppressed, "").body()).contains("suppression list");
        assertThat(jobs.send("POST", "/calls", today, "").body()).contains("the window never opens");

        String asleep = jobs.post("eleven", "{\"tenant\":\"hooli\",\"to\":\"+15005557075\"}")
                .getFirst();

        jobs.awaitCause(asleep, "calling-hours");
        jobs.cancel(asleep, 200);
        assertThat(jobs.get(asleep).path("outcome").asText()).isEqualTo("canceled");
        assertThat(callsOf(OutboundTenants.HOOLI)).isEmpty();
        assertThat(system.liveTasks(OutboundTenants.HOOLI)).isZero();
    }

    @Test
    @Order(12)
    void a_batch_with_a_known_start_finds_its_containers_ready_and_is_dialled_at_it_and_not_before() throws Exception {
        KnownStart batch = known.orElseThrow();
        Instant ready = batch.ready().get(2, TimeUnit.MINUTES);
        batch.ids().forEach(jobs::awaitEnd);

        assertThat(ready).isBefore(batch.start());
        assertThat(batch.dialled()).hasSize(3).allSatisfy(at -> assertThat(at).isAfterOrEqualTo(batch.start()));
        System.out.println("READY " + Duration.between(ready, batch.start()).toMillis()
                + " ms before the start, first dial "
                + Duration.between(batch.start(), batch.dialled().getFirst()).toMillis() + " ms after it");
        assertThat(batch.ids())
                .allSatisfy(
                        id -> assertThat(jobs.get(id).path("outcome").asText()).isEqualTo("completed"));
        nothingIsHeld(WONKA);
    }

    @Test
    @Order(13)
    void a_callee_whose_dial_webhook_stalls_is_answered_by_the_fallback_with_the_same_slot_and_the_reserve_stays()
            throws Exception {
        system.twilio().whenDialled(number -> answersAtOnce());
        system.api().delay("/twilio/dial/globex/", 1, Duration.ofSeconds(4)); // Twilio waits for 3 s
        AtomicInteger most = new AtomicInteger();

        String id = jobs.post("twelve", "{\"tenant\":\"globex\",\"to\":\"+15005557080\"}")
                .getFirst();
        ContainerId dialledWith =
                awaitClaim(claim -> claim.phase() == Claim.Phase.RESERVED).id();
        // A stream that lands elsewhere has two claims for a moment, and this is not what is counted here.
        List<Integer> others = system.pools().read(GLOBEX).orElseThrow().containers().stream()
                .filter(container -> !container.id().equals(dialledWith))
                .map(OutboundIT::port)
                .toList();
        others.forEach(port -> system.loadBalancer().deregister("globex", port));
        try {
            await().atMost(Duration.ofSeconds(90))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> {
                        most.accumulateAndGet((int) (claims(GLOBEX) + claims(PoolId.GATEWAY)), Math::max);
                        return jobs.get(id).path("state").asText().equals("ended");
                    });
        } finally {
            others.forEach(port -> system.loadBalancer().register("globex", port));
        }

        assertThat(jobs.get(id).path("outcome").asText()).isEqualTo("completed");
        Call call = callsOf(OutboundTenants.GLOBEX).getFirst();
        assertThat(call.history().webhooks(CallHistory.Purpose.FALLBACK)).hasSize(1);
        assertThat(call.history().streams())
                .singleElement()
                .satisfies(stream -> assertThat(stream.url().getPort())
                        .isEqualTo(
                                system.loadBalancerUrl(OutboundTenants.GLOBEX).getPort()));
        // of two slots, one is the callers'
        assertThat(most.get()).isEqualTo(1);
        nothingIsHeld(GLOBEX);
    }

    @Test
    @Order(14)
    void a_call_out_that_lands_elsewhere_takes_claim_and_count_along_and_cools_down_when_others_tell_its_end()
            throws Exception {
        system.twilio()
                .whenDialled(
                        number -> new Callee.Answers(Duration.ofSeconds(4), CallScript.lasting(Duration.ofMinutes(3))));
        String id = jobs.post("thirteen", "{\"tenant\":\"globex\",\"to\":\"+15005557081\"}")
                .getFirst();
        Container dialledWith = awaitClaim(claim -> claim.phase() == Claim.Phase.RESERVED);
        int port = port(dialledWith);
        assertThat(system.loadBalancer().targets())
                .anyMatch(target -> target.targetGroup().equals("globex") && target.port() == port);

        system.loadBalancer().deregister("globex", port);
        Container talksOn;
        try {
            talksOn = awaitClaim(claim -> claim.phase() == Claim.Phase.CONNECTED);
        } finally {
            system.loadBalancer().register("globex", port);
        }

        assertThat(talksOn.id()).isNotEqualTo(dialledWith.id());
        await("the slot that the call was dialled with is given back")
                .atMost(Duration.ofSeconds(10))
                .until(() -> claims(GLOBEX) == 1);
        assertThat(system.pools()
                        .read(GLOBEX)
                        .orElseThrow()
                        .pool()
                        .outbound()
                        .calls()
                        .keySet())
                .extracting(JobId::value)
                .containsExactly(id);
        int seen = DECISIONS.size();
        await("a round's gauges")
                .atMost(Duration.ofSeconds(40))
                .untilAsserted(() -> assertThat(gauges(seen, "globex")).anySatisfy(gauges -> {
                    assertThat(gauges).containsEntry(Metric.LIVE_SLOTS, 1.0);
                    assertThat(gauges).containsEntry(Metric.RESERVED_SLOTS, 0.0);
                    assertThat(gauges).containsEntry(Metric.SLOT_CEILING, 4.0);
                    double ready = gauges.getOrDefault(Metric.READY_SLOTS, 0.0);
                    assertThat(ready).isBetween(2.0, 4.0);
                    assertThat(gauges).containsEntry(Metric.USABLE_SLOTS, ready - 1);
                }));
        Call call = system.twilio().call(jobs.get(id).path("callSid").asText()).orElseThrow();
        system.ecs().freeze(talksOn.id().value());
        try {
            call.hangUp();
            assertThat(awaitClaim(claim -> claim.phase() == Claim.Phase.COOLDOWN)
                            .id())
                    .isEqualTo(talksOn.id());
        } finally {
            system.ecs().thaw(talksOn.id().value());
        }
        assertThat(jobs.awaitEnd(id).path("outcome").asText()).isEqualTo("completed");
        nothingIsHeld(GLOBEX);
    }

    /** The container of globex that has the first such claim. */
    private static Container awaitClaim(Predicate<Claim> wanted) {
        return await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .until(
                        () -> system.pools().read(GLOBEX).orElseThrow().containers().stream()
                                .filter(container ->
                                        container.claims().values().stream().anyMatch(wanted))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private static int port(Container container) {
        return URI.create("http://" + container.address()).getPort();
    }

    private static long claims(PoolId pool) {
        return system.pools().read(pool).orElseThrow().containers().stream()
                .filter(container -> container.state() != ContainerState.LOST)
                .mapToLong(container -> container.claims().size())
                .sum();
    }

    private static List<Call> callsOf(LocalTenant tenant) {
        return outboundCalls().stream()
                .filter(call -> call.from().equals(tenant.number()))
                .toList();
    }

    private static String tomorrow(int count) {
        String job = "{\"tenant\":\"acme\",\"to\":\"+15005557900\",\"notBefore\":\"%s\",\"deadline\":\"%s\"}"
                .formatted(Instant.now().plus(Duration.ofDays(1)), Instant.now().plus(Duration.ofDays(2)));
        return IntStream.range(0, count).mapToObj(n -> job).collect(Collectors.joining(",", "[", "]"));
    }

    private static Callee answersAtOnce() {
        return new Callee.Answers(Duration.ofSeconds(1), CallScript.ofTurns(1));
    }

    private static Callee behaviour(String number) {
        return switch (Integer.parseInt(number.substring(number.length() - 2)) % 6) {
            case 0 -> new Callee.Busy(Duration.ofSeconds(1));
            case 1 -> new Callee.NoAnswer(Duration.ofSeconds(2));
            default -> answersAtOnce();
        };
    }

    private static String job(int n) {
        return job(n, "it");
    }

    private static String job(int n, String batch) {
        return "{\"tenant\":\"acme\",\"to\":\"+15005557%03d\",\"batch\":\"%s\"}".formatted(n, batch);
    }

    /** What the functions have decided under that name, but for the first so many lines. */
    private static Stream<Entry> decisions(int after, String event) {
        return DECISIONS.stream().skip(after).filter(entry -> entry.event().equals(event));
    }

    private static List<Map<Metric, Double>> gauges(int after, String tenant) {
        return decisions(after, "gauges")
                .filter(entry -> tenant.equals(entry.fields().get("tenant")))
                .map(Entry::metrics)
                .toList();
    }

    private static List<Call> outboundCalls() {
        return system.twilio().calls().stream().filter(Call::isOutbound).toList();
    }

    private static int up() {
        return (int) outboundCalls().stream()
                .filter(call -> call.endedAt().isEmpty())
                .count();
    }

    private static PoolView view() {
        return system.pools().read(ACME).orElseThrow();
    }

    private static void nothingIsHeld() {
        nothingIsHeld(ACME);
    }

    private static void nothingIsHeld(PoolId pool) {
        await("lines and claims").atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(system.pools().read(pool).orElseThrow().pool().outbound().calls())
                    .isEmpty();
            assertThat(claims(pool)).isZero();
        });
    }
}
