package dev.spillway.core.contract;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.memory.Sample.stream;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.Calls;
import dev.spillway.core.pool.PoolId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What every {@link Calls} keeps of calls that a container takes in. */
public abstract class AdoptionsContract extends OneCall {
    @Test
    void a_container_adopts_an_unknown_call_by_creating_it_connected() {
        assertThat(calls.adopt(ACME, sid, onGateway(1, 1), seconds(-3))).isTrue();

        assertThat(call().hop()).isEqualTo(1);
        assertThat(call().connectedHop()).isEqualTo(1);
        assertThat(call().current()).contains(onGateway(1, 1));
        assertThat(call().arrivedAt()).isEqualTo(seconds(-3));
        assertThat(call().outcome()).isNull();
    }

    @Test
    void another_container_adopts_the_call_at_its_hop_and_then_the_addressee_cannot_connect() {
        placedOnGateway();
        Answer.Stream here = stream(PoolId.GATEWAY, "gw2", 1, 2, seconds(3));

        assertThat(calls.adopt(ACME, sid, here, seconds(99))).isTrue();

        assertThat(call().current()).contains(here);
        assertThat(call().connectedHop()).isEqualTo(1);
        assertThat(call().arrivedAt()).isEqualTo(NOW);
        assertThat(calls.connect(ACME, sid, generation(1, 1))).isFalse();
    }

    @Test
    void a_connected_hop_is_not_adopted() {
        placedOnGateway();
        calls.connect(ACME, sid, generation(1, 1));
        Call before = call();

        assertThat(calls.adopt(ACME, sid, stream(PoolId.GATEWAY, "gw2", 1, 2, seconds(3)), NOW))
                .isFalse();
        assertThat(call()).isEqualTo(before);
    }

    @Test
    void a_call_that_is_past_that_hop_is_not_adopted() {
        placedOnGateway();
        calls.place(ACME, sid, 1, onOwn(2, 2));
        Call before = call();

        assertThat(calls.adopt(ACME, sid, stream(PoolId.GATEWAY, "gw2", 1, 3, seconds(3)), NOW))
                .isFalse();
        assertThat(call()).isEqualTo(before);
    }

    @Test
    void a_later_hop_that_could_not_be_written_is_adopted_and_drops_the_offer() {
        placedOnGateway();
        calls.connect(ACME, sid, generation(1, 1));
        calls.offer(ACME, sid, 1, offer(2, 2));
        Answer.Stream here = stream(PoolId.GATEWAY, "gw2", 2, 3, seconds(50));

        assertThat(calls.adopt(ACME, sid, here, NOW)).isTrue();

        assertThat(call().hop()).isEqualTo(2);
        assertThat(call().connectedHop()).isEqualTo(2);
        assertThat(call().answers()).isEqualTo(Map.of(1, onGateway(1, 1), 2, here));
        assertThat(call().offer()).isNull();
    }

    @Test
    void an_adoption_at_the_same_hop_keeps_the_offer() {
        placedOnGateway();
        calls.offer(ACME, sid, 1, offer(2, 2));

        calls.adopt(ACME, sid, stream(PoolId.GATEWAY, "gw2", 1, 3, seconds(3)), NOW);

        assertThat(call().offer()).isEqualTo(offer(2, 2));
    }

    @Test
    void of_31_adopters_and_the_addressee_exactly_one_gets_the_call() {
        placedOnGateway();

        List<Boolean> got = AtOnce.run(
                32,
                n -> n == 0
                        ? calls.connect(ACME, sid, generation(1, 1))
                        : calls.adopt(ACME, sid, stream(PoolId.GATEWAY, "gw2", 1, 100 + n, seconds(3)), NOW));

        assertThat(got).containsOnlyOnce(true);
        assertThat(call().connectedHop()).isEqualTo(1);
    }

    @Test
    void of_32_adopters_of_an_unknown_call_exactly_one_gets_it() {
        List<Boolean> got =
                AtOnce.run(32, n -> calls.adopt(ACME, sid, stream(PoolId.GATEWAY, "gw2", 1, 100 + n, seconds(3)), NOW));

        assertThat(got).containsOnlyOnce(true);
        assertThat(call().current()).contains(stream(PoolId.GATEWAY, "gw2", 1, 100 + got.indexOf(true), seconds(3)));
    }
}
