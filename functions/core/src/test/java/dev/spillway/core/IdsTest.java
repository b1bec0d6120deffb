package dev.spillway.core;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Outcome;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Mode;
import dev.spillway.core.tenant.TenantId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdsTest {
    @ParameterizedTest
    @ValueSource(strings = {"acme", "a", "a-1", "a234567890123456789012345678901"})
    void these_are_tenants(String text) {
        assertThat(TenantId.parse(text)).contains(new TenantId(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "gateway", "Acme", "1a", "-a", "a#b", "a/b", "a b", "a2345678901234567890123456789012"})
    void these_are_not(String text) {
        assertThat(TenantId.parse(text)).isEmpty();
        assertThatThrownBy(() -> new TenantId(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_gateway_is_a_pool_of_no_tenant() {
        assertThat(new PoolId("gateway")).isEqualTo(PoolId.GATEWAY);
        assertThat(PoolId.GATEWAY.isGateway()).isTrue();
        assertThat(PoolId.GATEWAY.tenant()).isEmpty();
        assertThat(ACME_POOL.isGateway()).isFalse();
        assertThat(ACME_POOL.tenant()).contains(ACME);
        assertThatThrownBy(() -> new PoolId("Nobody")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"CA0123456789abcdef0123456789ABCDEF"})
    void these_are_calls(String text) {
        assertThat(CallSid.parse(text)).contains(new CallSid(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "CA",
                "SM0123456789abcdef0123456789abcdef",
                "CA0123456789abcdef0123456789abcde",
                "CA0123456789abcdef0123456789abcdefa",
                "CA0123456789abcdef0123456789abcdeg"
            })
    void these_are_not_calls(String text) {
        assertThat(CallSid.parse(text)).isEmpty();
        assertThatThrownBy(() -> new CallSid(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_generation_names_its_hop() {
        Generation generation = new Generation(2, "abcdefgh12345678");

        assertThat(generation).hasToString("2.abcdefgh12345678");
        assertThat(Generation.parse("2.abcdefgh12345678")).contains(generation);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "2",
                "0.abcdefgh12345678",
                "-1.abcdefgh12345678",
                "02.abcdefgh12345678",
                "2.abcdefgh1234567",
                "2.abcdefgh123456789",
                "2.abcdefgh1234567/",
                "1000000.abcdefgh12345678"
            })
    void these_are_not_generations(String text) {
        assertThat(Generation.parse(text)).isEmpty();
    }

    @Test
    void a_container_is_named_as_ecs_names_its_task() {
        assertThat(ContainerId.parse("0123456789abcdef0123456789abcdef")).isPresent();
        assertThat(ContainerId.parse("")).isEmpty();
        assertThat(ContainerId.parse("a#b")).isEmpty();
        assertThat(ContainerId.parse("a/b")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Outcome.class)
    void an_outcome_reads_back_from_its_text(Outcome outcome) {
        assertThat(Outcome.of(outcome.text())).isEqualTo(outcome);
        assertThatThrownBy(() -> Outcome.of("unheard-of")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void only_terminal_call_statuses_end_a_call() {
        assertThat(FinalStatus.parse("completed")).contains(FinalStatus.COMPLETED);
        assertThat(FinalStatus.parse("busy")).contains(FinalStatus.BUSY);
        assertThat(FinalStatus.parse("no-answer")).contains(FinalStatus.NO_ANSWER);
        assertThat(FinalStatus.parse("failed")).contains(FinalStatus.FAILED);
        assertThat(FinalStatus.parse("canceled")).contains(FinalStatus.CANCELED);
        for (String goesOn : new String[] {"queued", "initiated", "ringing", "in-progress", "", "COMPLETED"}) {
            assertThat(FinalStatus.parse(goesOn)).isEmpty();
        }
    }

    @Test
    void on_demand_tenants_keep_nothing_and_production_tenants_two() {
        assertThat(Mode.ON_DEMAND.minimum()).isZero();
        assertThat(Mode.PRODUCTION.minimum()).isEqualTo(2);
    }

    @Test
    void a_tenants_numbers_stay_out_of_its_text() {
        assertThat(Sample.tenant(ACME).toString()).contains("acme").doesNotContain("+1500");
    }
}
