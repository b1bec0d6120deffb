package dev.spillway.core;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.ACME_SERVICE;
import static dev.spillway.core.memory.Sample.LIMIT;
import static dev.spillway.core.memory.Sample.acme;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.container;
import static dev.spillway.core.memory.Sample.gateway;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.startedAt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.routing.CallAnswering;
import dev.spillway.core.scaling.Growth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The first text's main case on a hand-set clock: twenty calls, ten seconds apart, at a tenant with no container, a cold
 * start of 60 s, one container more at a time, asked again while calls stay held.
 */
class TwentyCallsTest {
    private static final long COLD_START_SECONDS = 60;

    private final MemoryTable table = new MemoryTable();
    private final CallAnswering answering = new CallAnswering(
            table.pools(),
            table.containers(),
            table.calls(),
            table.announcements(),
            table.generations(),
            table.journal(),
            Timing.STANDARD);
    private final Growth growth = new Growth(
            table.pools(), table.containers(), table.fleet(), table.announcements(), table.journal(), Timing.STANDARD);
    private final HandOff handOff =
            new HandOff(table.pools(), table.containers(), table.calls(), growth, table.generations(), table.journal());

    /** When each container became READY, in seconds. */
    private final List<Long> readyAt = new ArrayList<>();

    /** When each call left the gateway, in seconds. */
    private final Map<Integer, Long> handedOverAt = new HashMap<>();

    private final List<Long> launches = new ArrayList<>();

    @BeforeEach
    void noContainersAndAGatewayOfFive() {
        table.put(gateway());
        for (int n = 1; n <= 5; n++) {
            table.put(ready(PoolId.GATEWAY, "gw" + n));
        }
    }

    /** One second of the world: containers come up and report, streams open and move. */
    private void second(long t, int callsSoFar) {
        for (PoolId pool : List.of(PoolId.GATEWAY, ACME_POOL)) {
            for (Container one : table.look(pool).containers()) {
                table.containers()
                        .heartbeat(pool, one.id(), one.bootId(), one.report(), seconds(t + 30), seconds(t + 1200));
            }
        }
        for (int n = readyAt.size(); n < launches.size() && launches.get(n) + COLD_START_SECONDS <= t; n++) {
            readyAt.add(t);
            Container fresh = startedAt(ready(ACME_POOL, "a" + (n + 1)), seconds(t));
            table.containers().register(fresh.heard(fresh.report(), seconds(t + 30), seconds(t + 1200)));
            handOff.run(ACME, seconds(t));
        }
        for (int n = 1; n <= callsSoFar; n++) {
            connect(n);
            moveIfOffered(n, t);
        }
    }

    private void launch(long t) {
        while (launches.size() < table.fleet().desired(ACME_SERVICE)) {
            launches.add(t);
        }
    }

    private void connect(int n) {
        Call call = table.look(ACME, call(n));
        if (call.connectedHop() < call.hop() && call.current().orElseThrow() instanceof Answer.Stream stream) {
            ContainerId there = java.util.Objects.requireNonNull(stream.container());
            assertThat(table.containers().connect(stream.pool(), there, call(n), stream.generation()))
                    .isPresent();
            assertThat(table.calls().connect(ACME, call(n), stream.generation()))
                    .isTrue();
        }
    }

    /** The gateway container sees the offer on its claim, closes the stream, and Twilio continues. */
    private void moveIfOffered(int n, long t) {
        for (Container gw : table.look(PoolId.GATEWAY).containers()) {
            Claim held = gw.claims().get(call(n));
            if (held != null && held.offer() != null) {
                table.containers().end(PoolId.GATEWAY, gw.id(), call(n), held.generation());
                Answer moved = answering
                        .answer(ACME, call(n), held.generation().hop(), "hand-off", seconds(t))
                        .answer();
                assertThat(moved).isInstanceOf(Answer.Stream.class);
                assertThat(((Answer.Stream) moved).pool()).isEqualTo(ACME_POOL);
                handedOverAt.put(n, t);
                connect(n);
            }
        }
    }

    private void run(ScaleOutRule rule, long untilSecond) {
        table.put(acme(rule, 0));
        int calls = 0;
        int announced = 0;
        for (long t = 0; t <= untilSecond; t++) {
            second(t, calls);
            if (t % 10 == 0 && calls < 20) {
                calls++;
                Answer answer = answering
                        .answer(ACME, call(calls), 0, "503", seconds(t))
                        .answer();
                assertThat(answer).as("answer of call " + calls).isInstanceOf(Answer.Stream.class);
                connect(calls);
            }
            for (; announced < table.announced().size(); announced++) {
                growth.ask(ACME_POOL, false, seconds(t));
            }
            if (t % 60 == 30) {
                handOff.run(ACME, seconds(t)); // the reconciler's visit
            }
            launch(t);
            for (PoolId pool : List.of(PoolId.GATEWAY, ACME_POOL)) {
                assertThat(table.look(pool).containers())
                        .allMatch(one -> one.claims().size() <= LIMIT);
            }
        }
    }

    @Test
    void with_plus_one_containers_come_up_as_in_the_texts_table_and_every_call_ends_up_on_one() {
        run(ScaleOutRule.PLUS_ONE, 300);

        assertThat(readyAt).hasSize(4);
        assertThat(readyAt.get(0)).isEqualTo(60);
        assertThat(readyAt.get(1)).isBetween(110L, 130L);
        assertThat(readyAt.get(2)).isBetween(170L, 190L);
        assertThat(readyAt.get(3)).isBetween(230L, 250L);
        assertThat(handedOverAt.values()).allMatch(t -> t <= 250);
        assertThat(table.look(PoolId.GATEWAY).claimsOnClaimable(seconds(300))).isZero();
        assertThat(table.look(ACME_POOL).claimsOnClaimable(seconds(300))).isEqualTo(20);
        for (int n = 1; n <= 20; n++) {
            Call call = table.look(ACME, call(n));
            assertThat(call.connectedHop()).isEqualTo(call.hop());
            assertThat(call.offer()).isNull();
        }
        assertThat(table.fleet().told()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void the_first_container_takes_the_six_oldest_calls_at_60_seconds() {
        run(ScaleOutRule.PLUS_ONE, 60);

        assertThat(handedOverAt.keySet()).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6);
        assertThat(handedOverAt.values()).containsOnly(60L);
        assertThat(table.look(ACME_POOL, container("a1")).claims()).hasSize(6);
    }

    @Test
    void with_demand_the_same_four_containers_are_ready_sooner() {
        run(ScaleOutRule.DEMAND, 300);

        assertThat(readyAt).hasSize(4);
        assertThat(readyAt.getFirst()).isEqualTo(60);
        assertThat(readyAt.getLast()).isLessThan(250);
        assertThat(table.look(PoolId.GATEWAY).claimsOnClaimable(seconds(300))).isZero();
        assertThat(table.look(ACME_POOL).claimsOnClaimable(seconds(300))).isEqualTo(20);
    }

    @Test
    void the_same_run_twice_goes_the_same_way() {
        run(ScaleOutRule.PLUS_ONE, 300);
        TwentyCallsTest other = new TwentyCallsTest();
        other.noContainersAndAGatewayOfFive();
        other.run(ScaleOutRule.PLUS_ONE, 300);

        assertThat(other.readyAt).isEqualTo(readyAt);
        assertThat(other.handedOverAt).isEqualTo(handedOverAt);
    }
}
