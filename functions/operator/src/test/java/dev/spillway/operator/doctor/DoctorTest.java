package dev.spillway.operator.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Mode;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DoctorTest {
    private static final Instant NOW = Instant.parse("2026-11-29T09:00:00Z");
    private static final PoolId ACME = new PoolId("acme");
    private static final TenantEntry ENTRY = new TenantEntry(
            new TenantId("acme"), Mode.PRODUCTION, Set.of("+15005550001"), "AC000000000000000000000000000000a1", 20);
    private static final DeploymentFiles FILES =
            new DeploymentFiles("spillway", "us-east-1", "voice.example.com", List.of(ENTRY));

    private static PoolFacts facts(int minimum, int wanted, int desired, int deployments, long grace) {
        return new PoolFacts(
                ACME,
                true,
                Optional.of(new PoolFacts.Item(minimum, wanted, "spillway-acme")),
                Optional.of(new PoolFacts.Service(desired, desired, deployments, grace)),
                List.of("10.0.1.23"),
                List.of("10.0.1.23"));
    }

    @Test
    void a_pool_that_is_as_it_should_be_has_no_mismatch() {
        assertThat(facts(2, 2, 2, 1, 2_147_483_647L).against(FILES, Optional.of(ENTRY)))
                .isEmpty();
    }

    @Test
    void each_mismatch_is_named_with_what_to_do() {
        List<Mismatch> found = facts(0, 3, 2, 4, 60).against(FILES, Optional.of(ENTRY));

        assertThat(found)
                .extracting(Mismatch::found)
                .containsExactly(
                        "minimum 0", "ECS wants 2 containers", "health-check grace of 60 s", "4 active deployments");
        assertThat(found).allSatisfy(mismatch -> assertThat(mismatch.todo()).isNotBlank());
    }

    @Test
    void what_is_missing_is_told_and_a_container_that_is_no_target() {
        PoolFacts missing =
                new PoolFacts(ACME, false, Optional.empty(), Optional.empty(), List.of(), List.of("10.0.1.23"));

        assertThat(missing.against(FILES, Optional.of(ENTRY)))
                .extracting(Mismatch::found)
                .containsExactly(
                        "not in the directory",
                        "no item in the table",
                        "no ECS service",
                        "container at 10.0.1.23 serves and is no target");
    }

    @Test
    void quotas_are_compared_with_every_pool_at_its_maximum() {
        Quotas small = new Quotas(
                Optional.of(6.0),
                Optional.of(29),
                Optional.of(1.0),
                Optional.of(100),
                Optional.of(50),
                Optional.of(NOW.plusSeconds(86_400)));

        assertThat(small.against(FILES, 10, NOW))
                .extracting(Mismatch::what)
                .containsExactly(
                        "quota: Fargate On-Demand vCPU",
                        "free addresses in the subnets",
                        "quota: rules per load balancer",
                        "quota: Lambda concurrency",
                        "Lambda concurrency that nobody reserved",
                        "certificate");
        assertThat(small.against(FILES, 10, NOW).getFirst().needed()).startsWith("30");
    }

    @Test
    void what_could_not_be_asked_is_no_mismatch_and_is_told() {
        Quotas unknown = new Quotas(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());

        assertThat(unknown.against(FILES, 10, NOW)).isEmpty();
        assertThat(unknown.unknown()).hasSize(5);
    }
}
