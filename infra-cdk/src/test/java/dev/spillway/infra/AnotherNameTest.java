package dev.spillway.infra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
