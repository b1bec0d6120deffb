package dev.spillway.system.function;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operators' commands as {@code ./spillway} starts them, in an account whose services are stand-ins. */
class OperatorIT {
    private static final Path HOME =
            Path.of(System.getProperty("spillway.home")).toAbsolutePath().normalize();

    @TempDir
    Path work;

    @SuppressWarnings("NullAway.Init") // set before each test
    private FunctionGround ground;

    @SuppressWarnings("NullAway.Init")
    private AccountStandIn account;

    @BeforeEach
    void open() {
        ground = new FunctionGround(HOME.resolve("tests/localcloud/dynalite"), work);
        account = new AccountStandIn();
        account.services.put("spillway-gateway", 1);
        account.services.put("spillway-acme", 1);
    }

    @AfterEach
    void close() {
        account.close();
        ground.close();
    }

    /** A deployment in the cluster of the house, behind the house's load balancer. */
    private Path deployment(String name, String tenants) throws IOException {
        Path directory = Files.createDirectories(work.resolve(name));
        Files.writeString(directory.resolve("deployment.json"), """
                {"name": "%s", "region": "us-east-1", "domain": "example.com",
                 "existing": {"cluster": "house", "vpc": {"subnets": ["subnet-a", "subnet-b"]},
                              "loadBalancer": {"listenerArn": "arn:aws:elasticloadbalancing:us-east-1:1:listener/app/house/1/2"}}}
                """.formatted(name));
        Files.writeString(directory.resolve("tenants.json"), "{\"tenants\": [" + tenants + "]}");
        return directory;
    }

    private static String tenant(String id, String number) {
        return """
                {"id": "%s", "mode": "on-demand", "numbers": ["%s"], "accountSid": "%s"}""".formatted(id, number, FunctionGround.ACCOUNT);
    }

    private Path acme() throws IOException {
        return deployment("spillway", tenant("acme", "+15005550001"));
    }

    private OperatorRun spillway(Path deployment, String... arguments) throws Exception {
        Map<String, String> environment = new HashMap<>(ground.environment());
        environment.put("AWS_ENDPOINT_URL", account.url());
        environment.put("AWS_ENDPOINT_URL_ECS", account.url());
        return OperatorRun.of(HOME, deployment, environment, Duration.ofMinutes(1), arguments);
    }

    private OperatorRun doctor(Path deployment, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("doctor"));
        arguments.addAll(List.of(options));
        arguments.add("--twilio-url=" + account.url());
        return spillway(deployment, arguments.toArray(String[]::new));
    }

    @Test
    void an_empty_account_is_told_what_its_quotas_lack_and_may_be_deployed_to() throws Exception {
        // given an account without this deployment, as new accounts are
        Path nothing = deployment("nowhere", tenant("acme", "+15005550001"));
        account.concurrency = 10;
        account.unreserved = 10;

        OperatorRun doctor = doctor(nothing);
        OperatorRun gate = doctor(nothing, "--deployments-only");

        assertThat(doctor.printed())
                .contains("quota: Lambda concurrency: 10, want 500")
                .contains("deployment nowhere: no table")
                .contains("./spillway cdk bootstrap");
        assertThat(doctor.code()).isEqualTo(3);
        assertThat(gate.printed()).contains("No mismatch.");
        assertThat(gate.code()).isZero();
    }

    @Test
    void numbers_are_set_and_then_doctor_finds_no_mismatch() throws Exception {
        account.number.put("trunk_sid", "TK1");
        Path both = deployment("spillway", tenant("globex", "+15005550002") + "," + tenant("acme", "+15005550001"));

        // Globex has no token yet: acme's numbers are looked at all the same.
        OperatorRun plan = spillway(both, "twilio", "plan", "--twilio-url=" + account.url());
        assertThat(plan.printed())
                .contains("globex: cannot be looked at")
                .contains("acme …01: would change")
                .contains("TrunkSid: TK1 -> (nothing)")
                .contains("Nothing was changed.")
                .doesNotContain("+1500555");
        assertThat(plan.code()).isEqualTo(3);
        assertThat(account.number).containsOnlyKeys("trunk_sid");
        assertThat(doctor(acme()).printed()).contains("number …01 of acme: TrunkSid TK1, want (nothing)");

        OperatorRun apply = spillway(acme(), "twilio", "apply", "--yes", "--twilio-url=" + account.url());
        assertThat(apply.printed()).contains("acme …01: changed");
        assertThat(apply.code()).isZero();
        assertThat(account.number)
                .containsEntry("voice_url", "https://acme.example.com/voice#ct=1000&rt=3000&tt=5000&rc=0")
                .containsEntry("trunk_sid", "");

        OperatorRun doctor = doctor(acme());
        assertThat(doctor.printed()).contains("No mismatch.");
        assertThat(doctor.code()).isZero();
    }

    @Test
    void what_is_not_as_it_should_be_is_named_and_a_fifth_deployment_is_refused() throws Exception {
        account.services.remove("spillway-gateway");
        account.services.put("spillway-acme", 4);
        account.certificate = "*.elsewhere.example.com";

        OperatorRun doctor = doctor(acme());
        OperatorRun gate = doctor(acme(), "--deployments-only");

        assertThat(doctor.printed())
                .contains("pool gateway: no ECS service, want spillway-gateway")
                .contains("pool acme: 4 active deployments, want fewer than 4")
                .contains("certificate: none, want one for *.example.com");
        assertThat(gate.code()).isEqualTo(3);
        assertThat(gate.printed()).contains("4 active deployments").contains("1 mismatches.");
    }

    @Test
    void a_number_is_forgotten_for_tenants_that_are_in_no_file_any_more_too() throws Exception {
        Play play = new Play(ground);
        play.fallback(Play.CALL);
        play.functions().close();

        OperatorRun ran = spillway(deployment("spillway", ""), "forget", "+15005550006", "--tenant", "initech");

        assertThat(ran.printed())
                .contains("acme: forgotten in 1 attempts")
                .contains("initech: forgotten in 0 attempts")
                .doesNotContain("+1500555");
        assertThat(ran.code()).isZero();
    }
}
