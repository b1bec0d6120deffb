package dev.spillway.system;

import static dev.spillway.system.Stage.GLOBEX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.Policy;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Every slot of a pool is taken by calls that outlast two deployments: the load balancer brings streams to full containers, which
 * pass them on; a revision of fewer slots takes over new calls only; a further one stops what ECS would not protect. The tests run
 * in order, on the same calls.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RolloutIT {
    /** Fifteen callers at once beside the starts of containers: how soon they are answered is not what is shown here. */
    private static final Duration BEARABLE = Duration.ofSeconds(10);

    private static final CallScript LONG = CallScript.lasting(Duration.ofMinutes(15));
    private static final int FEWER = 4;

    private static Stage stage;
    private static List<Call> twelve = List.of();
    private static List<Call> late = List.of();

    @BeforeAll
    static void start() throws Exception {
        // Of twenty seconds between SIGTERM and SIGKILL calls have ten to finish, and seven more to come to a turn's
        // end.
        stage = new Stage(20, TwilioSwitches.likely(5), Map.of("SPILLWAY_STOP_TIMEOUT_SECONDS", "20"));
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    @Test
    @Order(1)
    void twelve_calls_on_two_containers_of_six_slots_all_talk_wherever_their_streams_arrive() {
        twelve = stage.calls(LocalTenant.GLOBEX, 12, LONG);
        Stage.talking(twelve);
        await("more calls on a container than the next revision has slots for")
                .atMost(Duration.ofSeconds(20))
                .until(() -> stage.busiest(GLOBEX).claims().size() > FEWER);
    }

    @Test
    @Order(2)
    void a_revision_of_fewer_slots_takes_new_calls_and_leaves_the_others_where_they_are() {
        List<Integer> moves = moves(twelve);
        // when
        stage.system()
                .describe(LocalTenant.GLOBEX.with(
                        new Policy(2, 20, FEWER, 0, Policy.ScaleOutRule.PLUS_ONE, Policy.ScaleInRule.IDLE),
                        LocalTenant.OUTBOUND));
        stage.system().redeploy(LocalTenant.GLOBEX, 2);
        // then the new containers serve, and the former ones only finish their calls
        serves(2);
        assertThat(stage.ready(GLOBEX)).allMatch(container -> container.limit() == FEWER);
        assertThat(twelve).allMatch(call -> call.endedAt().isEmpty());
        assertThat(moves(twelve)).isEqualTo(moves);
        assertThat(stage.view(GLOBEX).containers())
                .filteredOn(container -> isOf(container, 1))
                .anyMatch(container -> container.claims().size() > FEWER)
                .allMatch(container -> container.limit() == 6);
        // and the reconciler says what the deployment waits for
        await("the deployment is explained")
                .atMost(Duration.ofSeconds(30))
                .until(() -> stage.decisions("deployment-waits").stream()
                        .anyMatch(entry ->
                                entry.fields().getOrDefault("reason", "").contains("of former revisions have")));
    }

    @Test
    @Order(3)
    void a_container_that_is_stopped_from_outside_hands_its_calls_to_others_before_it_is_killed() throws Exception {
        late = stage.calls(LocalTenant.GLOBEX, 3, LONG);
        Stage.talking(late);
        await("they are where new calls go")
                .atMost(Duration.ofSeconds(30))
                .until(() -> stage.connected(GLOBEX).containsAll(sids(late))
                        && stage.view(GLOBEX).containers().stream()
                                .filter(container -> isOf(container, 1))
                                .noneMatch(container -> sids(late).stream()
                                        .anyMatch(sid -> container.claims().containsKey(sid))));
        Container victim = stage.busiest(GLOBEX);
        List<Call> theirs = late.stream()
                .filter(call -> victim.claims().containsKey(new CallSid(call.sid())))
                .toList();
        assertThat(theirs).isNotEmpty();
        List<Integer> moves = moves(theirs);
        // when
        stage.terminate(victim.id());
        // then
        moreThan(moves, theirs);
        assertThat(stage.logged("giving-back")).isNotEmpty();
        assertThat(late).allMatch(call -> call.endedAt().isEmpty());
    }

    @Test
    @Order(4)
    void a_further_revision_stops_containers_whose_protection_was_refused_and_their_calls_go_on_elsewhere() {
        // given calls on the second revision, to which ECS grants no protection while the first is there
        List<Integer> moves = moves(late);
        // when
        stage.system().redeploy(LocalTenant.GLOBEX, 3);
        // then
        moreThan(moves, late);
        assertThat(stage.decisions("being-stopped"))
                .as("they were told before SIGTERM, which comes when their streams are gone")
                .isNotEmpty();
        serves(3);
        assertThat(twelve).allMatch(call -> call.endedAt().isEmpty());
        assertThat(late).allMatch(call -> call.endedAt().isEmpty());
    }

    private static void moreThan(List<Integer> moves, List<Call> calls) {
        await("all have gone on elsewhere").atMost(Duration.ofSeconds(60)).until(() -> {
            List<Integer> now = moves(calls);
            return IntStream.range(0, calls.size()).allMatch(i -> now.get(i) > moves.get(i));
        });
    }

    private static Set<ClaimKey> sids(List<Call> calls) {
        return calls.stream().map(call -> new CallSid(call.sid())).collect(Collectors.toSet());
    }

    @Test
    @Order(5)
    void everybody_was_heard_to_the_end_and_only_the_last_revision_stays() throws Exception {
        List<Call> all = new ArrayList<>(twelve);
        all.addAll(late);
        Stage.hangUp(all);
        Stage.wentWell(all, LocalTenant.GLOBEX, BEARABLE);
        assertThat(all)
                .as("nobody was told to call again")
                .allMatch(call -> call.history().spoken().isEmpty());
        all.forEach(Stage::heardEachWordOnce);
        // those who were moved may have found every slot taken for a moment, and one more container was wanted for them
        await("only the last revision is left").atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            List<Container> ready = stage.ready(GLOBEX);
            assertThat(ready).hasSizeGreaterThanOrEqualTo(2).allMatch(one -> isOf(one, 3));
            assertThat(stage.system().liveTasks(LocalTenant.GLOBEX)).isEqualTo(ready.size());
            assertThat(stage.claims(GLOBEX)).isZero();
        });
        await("no relay is left")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(stage.ready(GLOBEX))
                        .allSatisfy(container -> assertThat(container.report().isQuiet())
                                .as(container.report().toString())
                                .isTrue()));
    }

    private static void serves(int revision) {
        await("revision " + revision + " serves, and no other")
                .atMost(Duration.ofSeconds(90))
                .until(() -> stage.ready(GLOBEX).size() >= 2
                        && stage.ready(GLOBEX).stream().allMatch(container -> isOf(container, revision)));
    }

    private static boolean isOf(Container container, int revision) {
        return container.revision().endsWith(":" + revision);
    }

    private static List<Integer> moves(List<Call> calls) {
        return calls.stream().map(call -> call.history().movedAt().size()).toList();
    }
}
