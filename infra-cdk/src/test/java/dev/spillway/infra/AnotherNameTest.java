package dev.spillway.infra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A deployment may be called otherwise, and then its functions are told, and allowed, nothing of that of another name. */
class AnotherNameTest {
    private static final Synthesis MADE = Synthesis.of(
            "another name",
            JsonFile.parse(
                    "deployment.json",
                    Synthesis.DEPLOYMENT.replace("\"name\": \"spillway\"", "\"name\": \"burst\""),
                    Deployment.class),
            Synthesis.tenants("acme"));

    @Test
    void what_functions_are_told_names_this_deployment_only() {
        assertThat(MADE.resources("burst", "AWS::Lambda::Function").values())
                .filteredOn(function -> function.at("/Environment/Variables").has("SPILLWAY_TABLE"))
                .isNotEmpty()
                .allSatisfy(function -> assertThat(
                                function.at("/Environment/Variables").properties())
                        .noneSatisfy(variable ->
                                assertThat(Synthesis.text(variable.getValue())).contains("spillway")));
    }

    /** What another deployment of the account measures would keep the alarm quiet that tells that nobody here does. */
    @Test
    void everybody_measures_and_every_alarm_watches_in_the_deployments_own_namespace() {
        assertThat(MADE.resources("burst", "AWS::Lambda::Function").values())
                .filteredOn(function -> function.at("/Environment/Variables").has("SPILLWAY_TABLE"))
                .extracting(function -> function.at("/Environment/Variables/SPILLWAY_METRICS_NAMESPACE")
                        .asText())
                .containsOnly("Spillway/burst");
        assertThat(MADE.only("burst-acme", "AWS::ECS::TaskDefinition").toString())
                .contains("{\"Name\":\"SPILLWAY_METRICS_NAMESPACE\",\"Value\":\"Spillway/burst\"}");
        for (String stack : List.of("burst", "burst-acme")) {
            String alarms = MADE.resources(stack, "AWS::CloudWatch::Alarm").values().stream()
                    .map(JsonNode::toString)
                    .collect(Collectors.joining());
            assertThat(alarms).contains("Spillway/burst").doesNotContainPattern("Spillway(?!/burst)");
        }
        assertThat(MADE.only("burst", "AWS::CloudWatch::Dashboard")
                        .path("DashboardBody")
                        .toString())
                .contains("Spillway/burst")
                .doesNotContainPattern("Spillway(?!/burst)");
    }

    @Test
    void the_secret_that_is_found_by_a_tenants_name_alone_may_be_read() {
        JsonNode fallback = MADE.resources("burst", "AWS::Lambda::Function").values().stream()
                .filter(function -> function.path("FunctionName").asText().equals("burst-fallback"))
                .findFirst()
                .orElseThrow();

        String prefix =
                fallback.at("/Environment/Variables/SPILLWAY_TENANT_SECRETS").asText();

        assertThat(prefix).isEqualTo("burst/tenant/");
        assertThat(MADE.resources("burst-acme", "AWS::SecretsManager::Secret").values())
                .extracting(secret -> secret.path("Name").asText())
                .contains(prefix + "acme");
        assertThat(MADE.resources("burst", "AWS::IAM::Role").values())
                .filteredOn(role -> role.toString().contains("secretsmanager:GetSecretValue"))
                .isNotEmpty()
                .allSatisfy(role -> assertThat(role.toString()).doesNotContain("spillway/"));
        assertThat(MADE.resources("burst", "AWS::IAM::Role").values())
                .anySatisfy(role -> assertThat(role.toString()).contains(":secret:" + prefix + "*"));
    }
}
