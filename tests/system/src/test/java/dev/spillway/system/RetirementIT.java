package dev.spillway.system;

import static dev.spillway.system.Stage.ACME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.Callee;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Containers are retired while nobody can tell whether ECS did what it was asked to, or kept since they are wanted soon. */
class RetirementIT {
    /** Seven callers at once on a stack that was just started: how soon they are answered is not what is shown here. */
    private static final Duration MOST_SILENCE = Duration.ofSeconds(10);

    private static final PoolId WONKA = PoolId.of(OutboundTenants.WONKA.tenant().id());

    private static CallScript lasting(int seconds) {
        return CallScript.lasting(Duration.ofSeconds(seconds));
    }

    @Test
    void a_stop_whose_answer_is_lost_takes_one_container_and_no_caller_and_it_never_comes_back() throws Exception {
        List<LocalTenant> tenants = List.of(LocalTenant.ACME, LocalTenant.GLOBEX, OutboundTenants.WONKA);
        try (Stage stage = new Stage(20, TwilioSwitches.likely(13), tenants);
                OutboundJobs jobs = new OutboundJobs(stage.system().signedApi())) {
            LocalSystem system = stage.system();
            // given a tenant that makes a call out now and another in ten minutes
            system.twilio().whenDialled(number -> new Callee.NoAnswer(Duration.ofSeconds(1)));
            String now = jobs.post("now", "{\"tenant\":\"wonka\",\"to\":\"+15005557001\"}")
                    .getFirst();
            String soon = jobs.post(
                            "soon",
                            "{\"tenant\":\"wonka\",\"to\":\"+15005557002\",\"notBefore\":\"%s\"}"
                                    .formatted(Instant.now().plus(Duration.ofMinutes(10))))
                    .getFirst();
            // and seven callers on two containers of six slots, who hang up
            List<Call> seven = stage.calls(LocalTenant.ACME, 7, lasting(180));
            await().atMost(Duration.ofSeconds(50))
                    .until(() -> stage.ready(ACME).size() == 2 && stage.claims(ACME) == 7);
            Stage.hangUp(seven);
            Stage.wentWell(seven, LocalTenant.ACME, MOST_SILENCE);
            assertThat(jobs.awaitEnd(now).path("outcome").asText()).isEqualTo("abandoned");
            List<ContainerId> kept =
                    stage.ready(WONKA).stream().map(Container::id).toList();
            assertThat(kept).hasSize(1);
            // when the orders to want fewer containers are not answered: the first without effect, the next with it
            system.ecs().faults().timeOutBeforeEffect("UpdateService", 1);
            system.ecs().faults().timeOutAfterEffect("UpdateService", 1);
            await().atMost(Duration.ofSeconds(90)).until(() -> stopping(stage).isPresent());
            Container retired = stopping(stage).orElseThrow();
            // then a caller who comes now is served by the other one
            List<Call> late = stage.calls(LocalTenant.ACME, 1, lasting(15));
            Stage.talking(late);
            assertThat(stage.view(ACME).container(retired.id()).map(Container::claims))
                    .satisfiesAnyOf(
                            claims -> assertThat(claims).isEmpty(),
                            claims -> assertThat(claims.orElseThrow()).isEmpty());
            AtomicInteger fewest = new AtomicInteger(2);
            await().atMost(Duration.ofSeconds(40)).until(() -> {
                fewest.accumulateAndGet(stage.view(ACME).pool().desired(), Math::min);
                return late.getFirst().endReason().isPresent();
            });
            assertThat(fewest.get()).as("one order, one container").isEqualTo(1);
            Stage.wentWell(late, LocalTenant.ACME, MOST_SILENCE);
            assertThat(stage.logged("slot-reused"))
                    .as("his slot was another's before, whoever claimed it for him")
                    .anyMatch(line -> line.contains(late.getFirst().sid()));
            // and it goes, and the other one an idle window later
            await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
                assertThat(stage.view(ACME).pool().desired()).isZero();
                assertThat(system.liveTasks(LocalTenant.ACME)).isZero();
            });
            // but not that of the tenant whose next call out is near, though nobody used it for longer than that
            assertThat(stage.ready(WONKA)).extracting(Container::id).containsExactlyElementsOf(kept);
            assertThat(system.liveTasks(OutboundTenants.WONKA)).isEqualTo(1);
            jobs.cancel(soon, 200);
            assertThat(system.ghosts()).isEmpty();
        }
    }

    private static Optional<Container> stopping(Stage stage) {
        return stage.view(ACME).containers().stream()
                .filter(container -> container.state() == ContainerState.STOPPING)
                .findFirst();
    }
}
