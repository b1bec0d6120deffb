package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.tenant.Mode;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.localcloud.FaultyProxy;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallHistory;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.CallScript.Keys;
import dev.spillway.localcloud.twilio.EndReason;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Real processes behind stand-ins on loopback, twenty times as fast as life: a cold start takes 3 s, heartbeats 2 s. The
 * tests run in order and hand the system on: each leaves it without calls.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WholeSystemIT {
    private static final double SPEED = 20;
    /** A turn and its answer are over well within the five seconds for which a hand-off waits. */
    private static final CallScript UNHURRIED = CallScript.lasting(Duration.ofMinutes(3))
            .withUtterance(Duration.ofMillis(500))
            .withPause(Duration.ofSeconds(1));

    private static final PoolId ACME = PoolId.of(LocalTenant.ACME.tenant().id());
    private static final PoolId GLOBEX = PoolId.of(LocalTenant.GLOBEX.tenant().id());
    /** Whose calls a bot of its own answers, on one container that always runs. */
    private static final LocalTenant INITECH = new LocalTenant(
            new Tenant(
                    new TenantId("initech"),
                    Set.of("+15005550003"),
                    "AC000000000000000000000000000000c3",
                    "spillway/tenant/initech",
                    new Persona(
                            Persona.UPSTREAM,
                            "tenor",
                            "Hello, this is Initech.",
                            "One moment, please.",
                            "Thank you for calling Initech."),
                    Set.of(new Principal("arn:aws:iam::000000000000:role/initech"))),
            Mode.ON_DEMAND,
            new Policy(1, 4, 6, 0, Policy.ScaleOutRule.PLUS_ONE, Policy.ScaleInRule.IDLE),
            LocalTenant.OUTBOUND,
            "c0c000000000000000000000000000c3");

    /** In the stand-in for Twilio somebody picks up at the one number, and nobody at the other. */
    private static final Map<String, String> NUMBERS = Map.of("1", "+15005550009", "2", "+15005550008");

    private static final List<Journal.Entry> DECISIONS = new CopyOnWriteArrayList<>();
    private static TransferringBot bot;
    private static LocalSystem system;

    @BeforeAll
    static void start() throws Exception {
        Path work = Files.createTempDirectory("spillway-it-");
        System.out.println("logs of containers and functions: " + work + "; seed 1");
        bot = new TransferringBot(NUMBERS);
        system = new LocalSystem(new LocalSystem.Options(
                SPEED,
                300,
                Trained.home(),
                work,
                1,
                TwilioSwitches.likely(1),
                List.of(LocalTenant.ACME, LocalTenant.GLOBEX, INITECH),
                Map.of("SPILLWAY_BOT_URL", bot.url().toString(), "SPILLWAY_TRANSFER_TO", "+1500555"),
                false,
                LocalSystem.GATEWAY_LIMIT,
                List.of(Trained.home())));
        system.journal().listen(DECISIONS::add);
        system.start();
    }

    @AfterAll
    static void stop() {
        system.close();
        bot.close();
    }

    @Test
    @Order(1)
    void a_call_to_a_pool_with_a_free_slot_goes_straight_to_its_container() throws Exception {
        // given globex with two READY containers
        // when
        Call call = system.call(LocalTenant.GLOBEX, CallScript.ofTurns(2));
        assertThat(call.awaitEnd(Duration.ofSeconds(30))).isTrue();
        // then
        assertThat(call.endReason()).contains(EndReason.CALLER_HUNG_UP);
        assertThat(call.history().webhooks(CallHistory.Purpose.FALLBACK)).isEmpty();
        assertThat(speakers(call)).containsExactly("globex");
        assertThat(call.history().turns()).hasSizeGreaterThanOrEqualTo(2);
        noClaimsRemain(GLOBEX);
    }

    @Test
    @Order(2)
    void a_call_to_an_empty_pool_is_answered_by_the_gateway_and_handed_over() throws Exception {
        // given no container of acme
        assertThat(ready(ACME)).isEmpty();
        // when
        Call call = system.call(LocalTenant.ACME, UNHURRIED);
        // then it is answered at once in acme's voice, on the gateway
        await().atMost(Duration.ofSeconds(10))
                .until(() -> call.history().firstAudioAt().isPresent());
        assertThat(call.history().streams().getFirst().url().getPort())
                .isEqualTo(system.gatewayUrl().getPort());
        // and moved to acme's own container once there is one, in the same persona
        await().atMost(Duration.ofSeconds(20))
                .until(() -> call.history().movedAt().size() == 1);
        assertThat(call.history().streams().getLast().url().getPort())
                .isEqualTo(system.loadBalancerUrl(LocalTenant.ACME).getPort());
        // where the caller is answered as before
        await().atMost(Duration.ofSeconds(20))
                .until(() -> call.history().utterances().stream()
                        .dropWhile(utterance -> !utterance.kind().equals("resume"))
                        .anyMatch(utterance -> utterance.kind().equals("answer") && utterance.whole()));
        call.hangUp();
        assertThat(call.awaitEnd(Duration.ofSeconds(10))).isTrue();
        assertThat(call.endReason()).contains(EndReason.CALLER_HUNG_UP);
        assertThat(speakers(call)).containsExactly("acme");
        assertThat(kinds(call)).startsWith("greeting").contains("resume");
        // the conversation went on where it was: no word was cut, none said twice
        Stage.heardEachWordOnce(call);
        assertThat(call.history().moves()).singleElement().satisfies(move -> {
            assertThat(move.handedOver()).isTrue();
            assertThat(move.gap()).isPresent();
            System.out.println("hand-off gap beyond the webhook: " + move.gap().get());
        });
        assertThat(call.history().longestSilence()).isLessThan(Duration.ofSeconds(3));
        noClaimsRemain(ACME);
        noClaimsRemain(PoolId.GATEWAY);
    }

    @Test
    @Order(3)
    void with_the_table_down_a_caller_is_still_answered_and_containers_catch_up() throws Exception {
        // given
        await().atMost(Duration.ofSeconds(30)).until(() -> ready(GLOBEX).size() == 2);
        // when
        system.table().become(FaultyProxy.DOWN);
        Call direct;
        Call overflowing;
        try {
            direct = system.call(LocalTenant.GLOBEX, CallScript.lasting(Duration.ofSeconds(15)));
            overflowing = system.call(LocalTenant.ACME, CallScript.lasting(Duration.ofSeconds(15)));
            // then both hear an agent
            await().atMost(Duration.ofSeconds(12))
                    .until(() -> direct.history().firstAudioAt().isPresent());
            await().atMost(Duration.ofSeconds(12))
                    .until(() -> overflowing.history().firstAudioAt().isPresent());
        } finally {
            system.table().become(FaultyProxy.PASS);
        }
        // and once the table is back, the calls that are up are written as claims
        await().atMost(Duration.ofSeconds(15)).until(() -> claims(GLOBEX) >= 1);
        assertThat(direct.awaitEnd(Duration.ofSeconds(40))).isTrue();
        assertThat(overflowing.awaitEnd(Duration.ofSeconds(40))).isTrue();
        assertThat(speakers(direct)).containsExactly("globex");
        assertThat(speakers(overflowing)).containsExactly("acme");
        noClaimsRemain(GLOBEX);
        noClaimsRemain(ACME);
        noClaimsRemain(PoolId.GATEWAY);
    }

    @Test
    @Order(4)
    void callers_of_a_container_killed_in_mid_call_go_on_elsewhere_and_it_stops_counting() throws Exception {
        // given three calls on one of globex's containers
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.add(system.call(LocalTenant.GLOBEX, CallScript.lasting(Duration.ofSeconds(15))));
        }
        await().atMost(Duration.ofSeconds(10))
                .until(() ->
                        calls.stream().allMatch(call -> call.history().turns().size() >= 1));
        Container victim = view(GLOBEX)
                .claimable(Instant.now())
                .max(java.util.Comparator.comparingInt(
                        container -> container.claims().size()))
                .orElseThrow();
        assertThat(victim.claims()).isNotEmpty();
        // when
        system.ecs().killHard(victim.id().value());
        // then
        for (Call call : calls) {
            assertThat(call.awaitEnd(Duration.ofSeconds(40))).isTrue();
            assertThat(call.endReason()).contains(EndReason.CALLER_HUNG_UP);
            assertThat(call.history().longestSilence()).isLessThan(Duration.ofSeconds(3));
            assertThat(speakers(call)).containsExactly("globex");
        }
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(view(GLOBEX).container(victim.id()))
                        .hasValueSatisfying(
                                container -> assertThat(container.state()).isEqualTo(ContainerState.LOST)));
        await().atMost(Duration.ofSeconds(30)).until(() -> ready(GLOBEX).size() == 2);
        noClaimsRemain(GLOBEX);
    }

    @Test
    @Order(5)
    void a_bot_gives_a_call_to_a_number_and_goes_on_with_one_that_nobody_answers_there() throws Exception {
        PoolId initech = PoolId.of(INITECH.tenant().id());
        await().atMost(Duration.ofSeconds(30)).until(() -> ready(initech).size() == 1);
        // when one caller presses a key for a number at which somebody answers, and one for another
        Call given =
                system.call(INITECH, CallScript.lasting(Duration.ofMinutes(2)).withKeys(new Keys(1, "1")));
        Call back =
                system.call(INITECH, CallScript.lasting(Duration.ofMinutes(2)).withKeys(new Keys(1, "2")));
        assertThat(given.awaitEnd(Duration.ofSeconds(30))).isTrue();
        // then the one talks with whom it was given to, hangs up there, and its slot was free meanwhile
        assertThat(given.endReason()).contains(EndReason.AGENT_HUNG_UP);
        assertThat(given.history().verbs())
                .extracting(CallHistory.Executed::verb)
                .anyMatch(verb -> verb.contains("Dial"));
        assertThat(given.history().streams()).hasSize(1);
        // and the other is with the bot again, which was told that the conversation goes on
        await().atMost(Duration.ofSeconds(30)).until(() -> bot.openings().size() == 3);
        back.hangUp();
        assertThat(back.awaitEnd(Duration.ofSeconds(10))).isTrue();
        assertThat(back.endReason()).contains(EndReason.CALLER_HUNG_UP);
        assertThat(back.history().streams()).hasSize(2);
        assertThat(bot.openings()).containsExactlyInAnyOrder("greeting", "greeting", "resume");
        // and both attempts end once, with their steps
        for (Call call : List.of(given, back)) {
            await().atMost(Duration.ofSeconds(15))
                    .until(() -> outcome(INITECH, call)
                            .filter(Outcome.COMPLETED::equals)
                            .isPresent());
            assertThat(system.calls()
                            .find(INITECH.tenant().id(), new CallSid(call.sid()))
                            .orElseThrow()
                            .story()
                            .steps())
                    .anyMatch(step -> step.reason().contains("gave the call to another number"));
        }
        noClaimsRemain(initech);
    }

    @Test
    @Order(6)
    void a_call_whose_containers_die_one_after_the_other_is_moved_three_times_and_then_told_once() throws Exception {
        await().atMost(Duration.ofSeconds(30)).until(() -> ready(GLOBEX).size() == 2);
        int seen = DECISIONS.size();
        Call call = system.call(LocalTenant.GLOBEX, CallScript.lasting(Duration.ofMinutes(3)));
        // when wherever it goes the container dies, all within a minute
        Set<ContainerId> killed = new HashSet<>();
        while (call.endedAt().isEmpty()) {
            await("where it goes, or its end")
                    .atMost(Duration.ofSeconds(15))
                    .pollInterval(Duration.ofMillis(50))
                    .ignoreException(DependencyException.class)
                    .until(() -> call.endedAt().isPresent()
                            || talkingTo(call, killed).isPresent());
            talkingTo(call, killed)
                    .map(Container::id)
                    .filter(killed::add)
                    .ifPresent(id -> system.ecs().killHard(id.value()));
            assertThat(killed).hasSizeLessThanOrEqualTo(4);
        }
        // then the caller is not led in circles but told, and the count says so
        assertThat(call.awaitEnd(Duration.ofSeconds(20))).isTrue();
        // a slot of one that died a moment ago may have been among the three
        assertThat(call.history().movedAt()).hasSizeBetween(1, 3);
        assertThat(call.history().spoken()).singleElement().asString().contains("call again in a few minutes");
        assertThat(call.endReason()).contains(EndReason.AGENT_HUNG_UP);
        assertThat(DECISIONS.stream().skip(seen).filter(entry -> entry.metrics().containsKey(Journal.Metric.APOLOGIES)))
                .singleElement()
                .satisfies(entry -> assertThat(entry.fields().get("reason")).contains("moved 3 times within 60 s"));
        await().atMost(Duration.ofSeconds(15))
                .until(() -> outcome(LocalTenant.GLOBEX, call)
                        .filter(Outcome.LOST::equals)
                        .isPresent());
        noClaimsRemain(GLOBEX);
        noClaimsRemain(PoolId.GATEWAY);
    }

    /** The container in which the call is connected, of those that live. */
    private static Optional<Container> talkingTo(Call call, Set<ContainerId> dead) {
        CallSid sid = new CallSid(call.sid());
        return Stream.of(GLOBEX, PoolId.GATEWAY)
                .flatMap(pool -> view(pool).claimable(Instant.now()))
                .filter(container -> !dead.contains(container.id()))
                .filter(container -> Optional.ofNullable(container.claims().get(sid))
                        .filter(claim -> claim.phase() == Claim.Phase.CONNECTED)
                        .isPresent())
                .findFirst();
    }

    private static Optional<Outcome> outcome(LocalTenant tenant, Call call) {
        return system.calls()
                .find(tenant.tenant().id(), new CallSid(call.sid()))
                .flatMap(record -> Optional.ofNullable(record.outcome()));
    }

    @Test
    @Order(7)
    void after_the_last_call_the_pool_returns_to_zero() {
        await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
            assertThat(ready(ACME)).isEmpty();
            assertThat(view(ACME).pool().desired()).isZero();
            assertThat(system.liveTasks(LocalTenant.ACME)).isZero();
        });
        assertThat(system.ghosts()).isEmpty();
    }

    private static PoolView view(PoolId id) {
        return system.pools().read(id).orElseThrow();
    }

    private static List<Container> ready(PoolId id) {
        return view(id).claimable(Instant.now()).toList();
    }

    private static long claims(PoolId id) {
        return view(id).containers().stream()
                .filter(container -> container.state() != ContainerState.LOST)
                .flatMap(container -> container.claims().values().stream())
                .filter(claim -> claim.phase() != Claim.Phase.COOLDOWN)
                .count();
    }

    private static void noClaimsRemain(PoolId id) {
        await("claims of " + id).atMost(Duration.ofSeconds(20)).until(() -> claims(id) == 0);
    }

    private static Set<String> speakers(Call call) {
        return call.history().personas().stream()
                .map(CallHistory.PersonaMark::tenant)
                .collect(Collectors.toSet());
    }

    private static List<String> kinds(Call call) {
        return call.history().personas().stream()
                .map(CallHistory.PersonaMark::kind)
                .toList();
    }
}
