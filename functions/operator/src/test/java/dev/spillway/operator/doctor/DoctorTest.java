package dev.spillway.operator.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Mode;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import dev.spillway.operator.twilio.NumberPlan;
import dev.spillway.operator.twilio.NumberPlanning;
import dev.spillway.operator.twilio.NumberSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
    private static final Instant NOW = Instant.parse("2026-11-29T09:00:00Z");
    private static final PoolId ACME = new PoolId("acme");
    private static final TenantEntry ENTRY = new TenantEntry(
            new TenantId("acme"),
            Mode.PRODUCTION,
            Set.of("+15005550001"),
            "AC000000000000000000000000000000a1",
            20,
            2,
            3);
    private static final DeploymentFiles FILES = new DeploymentFiles(
            "spillway", "us-east-1", "voice.example.com", 10, DeploymentFiles.Existing.NOTHING, List.of(ENTRY));

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
                Optional.of(new Quotas.Rules(10, 9)),
                Optional.of(new Quotas.Functions(100, 100, 0)),
                Optional.of(new Quotas.Certificate.Ends(NOW.plusSeconds(86_400))));

        List<Mismatch> found = small.against(FILES, NOW);

        assertThat(found)
                .extracting(Mismatch::what)
                .containsExactly(
                        "quota: Fargate On-Demand vCPU",
                        "free addresses in the subnets",
                        "quota: rules per load balancer",
                        "quota: Lambda concurrency",
                        "certificate");
        // Ten containers of the gateway with one vCPU each, and twenty of acme's with two.
        assertThat(found.get(0).needed()).startsWith("50 ");
        assertThat(found.get(1).needed()).startsWith("30,");
        assertThat(found.get(2).needed()).isEqualTo("11: one for each pool, and 9 that are there already");
    }

    private static List<Mismatch> functions(int account, int unreserved, int own) {
        return new Quotas(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(new Quotas.Functions(account, unreserved, own)),
                        Optional.empty())
                .against(FILES, NOW);
    }

    @Test
    void before_a_deployment_500_invocations_have_to_be_unreserved_and_after_it_100() {
        assertThat(functions(1_000, 500, 0)).isEmpty();
        assertThat(functions(1_000, 100, 400)).isEmpty();
        assertThat(functions(1_000, 499, 0)).singleElement().satisfies(mismatch -> {
            assertThat(mismatch.what()).isEqualTo("Lambda concurrency that nobody else reserved");
            assertThat(mismatch.found()).isEqualTo("499");
        });
        assertThat(functions(10, 10, 0))
                .singleElement()
                .satisfies(mismatch -> assertThat(mismatch.todo()).contains("a new account has little"));
    }

    @Test
    void a_certificate_that_is_not_there_is_a_mismatch_unless_it_is_not_made_yet() {
        assertThat(certificate(new Quotas.Certificate.NotYetMade())).isEmpty();
        assertThat(certificate(new Quotas.Certificate.Ends(NOW.plusSeconds(31 * 86_400))))
                .isEmpty();
        assertThat(certificate(new Quotas.Certificate.Missing()))
                .singleElement()
                .satisfies(mismatch -> assertThat(mismatch.needed()).isEqualTo("one for *.voice.example.com"));
    }

    @Test
    void a_certificate_for_other_names_is_a_mismatch() {
        List<String> names = List.of("*.example.com", "gateway.voice.example.com");

        assertThat(certificate(
                        new Quotas.Certificate.OfOthers(names, Quotas.Certificate.uncovered(names, FILES.hosts()))))
                .singleElement()
                .satisfies(mismatch -> {
                    assertThat(mismatch.found()).isEqualTo("one for *.example.com, gateway.voice.example.com");
                    assertThat(mismatch.needed())
                            .isEqualTo("one for *.voice.example.com, or for api.voice.example.com,"
                                    + " acme.voice.example.com as well");
                });
    }

    @Test
    void a_certificate_may_name_all_of_them_or_each() {
        assertThat(Quotas.Certificate.uncovered(List.of("*.voice.example.com"), FILES.hosts()))
                .isEmpty();
        assertThat(Quotas.Certificate.uncovered(
                        List.of("api.voice.example.com", "gateway.voice.example.com", "acme.voice.example.com"),
                        FILES.hosts()))
                .isEmpty();
        assertThat(Quotas.Certificate.uncovered(
                        List.of("api.voice.example.com", "gateway.voice.example.com"), FILES.hosts()))
                .containsExactly("acme.voice.example.com");
    }

    @Test
    void a_tenant_that_dials_faster_than_twilio_lets_it_is_named() {
        assertThat(CallRate.against(ENTRY, 3)).isEmpty();
        assertThat(CallRate.against(ENTRY, 1)).hasValueSatisfying(mismatch -> {
            assertThat(mismatch.what()).isEqualTo("Twilio's call rate of acme");
            assertThat(mismatch.found()).isEqualTo("1 calls per second");
            assertThat(mismatch.needed()).isEqualTo("3, its dialsPerSecond");
            assertThat(mismatch.todo()).contains("--calls-per-second");
        });
    }

    private static List<Mismatch> certificate(Quotas.Certificate certificate) {
        return new Quotas(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(certificate))
                .against(FILES, NOW);
    }

    @Test
    void what_could_not_be_asked_is_no_mismatch_and_is_told() {
        Quotas unknown =
                new Quotas(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

        assertThat(unknown.against(FILES, NOW)).isEmpty();
        assertThat(unknown.unknown()).hasSize(5);
    }

    @Test
    void a_number_whose_urls_differ_is_named_by_its_last_digits() {
        NumberPlan plan = NumberPlan.of(
                FILES,
                ENTRY,
                List.of(new NumberSettings(
                        "PN1", "+15005550001", Map.of("VoiceUrl", "https://elsewhere.example.com"))));

        List<Mismatch> found = Numbers.against(new NumberPlanning.Planned.Known(ENTRY.id(), plan));

        assertThat(found).allSatisfy(mismatch -> assertThat(mismatch.what()).isEqualTo("number …01 of acme"));
        assertThat(found)
                .extracting(Mismatch::found)
                .contains("VoiceUrl https://elsewhere.example.com", "StatusCallback (nothing)");
        assertThat(Numbers.against(new NumberPlanning.Planned.Unknown(ENTRY.id(), "Twilio answers 401")))
                .singleElement()
                .satisfies(mismatch -> assertThat(mismatch.found()).contains("Twilio answers 401"));
    }

    @Test
    void the_files_name_the_cluster_the_certificate_and_the_sizes(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("deployment.json"), """
                {"name": "spillway", "region": "us-east-1", "domain": "voice.example.com",
                 "gateway": {"minimum": 3, "maximum": 17, "spareSlots": 6},
                 "existing": {"cluster": "house", "certificate": "arn:c", "loadBalancer": {"listenerArn": "arn:l"},
                              "vpc": {"subnets": ["subnet-a", "subnet-b"]}}}
                """);
        Files.writeString(directory.resolve("tenants.json"), """
                {"tenants": [{"id": "acme", "mode": "on-demand", "numbers": ["+15005550001"], "accountSid": "AC1",
                              "cpu": 512, "outbound": {"dialsPerSecond": 2.5}}]}
                """);

        DeploymentFiles files = DeploymentFiles.read(directory);

        assertThat(files.cluster()).isEqualTo("house");
        assertThat(files.gatewayMaximum()).isEqualTo(17);
        assertThat(files.existing())
                .isEqualTo(new DeploymentFiles.Existing(
                        Optional.of("house"),
                        Optional.of("arn:l"),
                        Optional.of("arn:c"),
                        List.of("subnet-a", "subnet-b")));
        assertThat(files.tenants().getFirst().vcpus()).isEqualTo(0.5);
        assertThat(files.tenants().getFirst().maximum()).isEqualTo(20);
        assertThat(files.tenants().getFirst().dialsPerSecond()).isEqualTo(2.5);
        assertThat(FILES.cluster()).isEqualTo("spillway");
    }
}
