package dev.spillway.infra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What editors say of the files is what the app makes of them. */
class SchemasTest {
    private static List<String> problems(String schema, JsonNode file) {
        return JsonSchemaFactory.getInstance(VersionFlag.V202012)
                .getSchema(JsonFile.read(Synthesis.HOME.resolve("infra-cdk").resolve(schema), JsonNode.class))
                .validate(file)
                .stream()
                .map(ValidationMessage::getMessage)
                .toList();
    }

    private static JsonNode committed(String file) {
        return JsonFile.read(Synthesis.HOME.resolve("infra-cdk").resolve(file), JsonNode.class);
    }

    private static JsonNode tree(String text) {
        return JsonFile.parse("text", text, JsonNode.class);
    }

    private static List<String> tenants(String... lines) {
        return problems("tenants.schema.json", tree("{\"tenants\": [" + String.join(",", lines) + "]}"));
    }

    @Test
    void the_committed_files_are_as_their_schemas_say() {
        assertThat(problems("tenants.schema.json", committed("tenants.json"))).isEmpty();
        assertThat(problems("deployment.schema.json", committed("deployment.json")))
                .isEmpty();
    }

    @Test
    void what_the_app_takes_the_schemas_take() {
        assertThat(tenants(
                        Synthesis.tenant("acme", 1, "on-demand"),
                        Synthesis.withBot(Synthesis.tenant("initech", 2, "production"))))
                .isEmpty();
        assertThat(problems("deployment.schema.json", tree(Synthesis.DEPLOYMENT)))
                .isEmpty();
        assertThat(problems("deployment.schema.json", tree(ExistingInfrastructureTest.ALL)))
                .isEmpty();
    }

    @Test
    void what_the_app_refuses_the_schemas_refuse() {
        String acme = Synthesis.tenant("acme", 1, "on-demand");

        for (String wrong : List.of(
                acme.replace("\"acme\"", "\"gateway\""),
                acme.replace("\"acme\"", "\"api\""),
                acme.replace("\"acme\"", "\"Acme\""),
                acme.replace("on-demand", "sometimes"),
                acme.replace("AC000", "XX000"),
                acme.replace("+1500555", "1500555"),
                acme.replace("\"mode\"", "\"mood\": 1, \"mode\""))) {
            assertThat(tenants(wrong)).as(wrong).isNotEmpty();
        }
        assertThat(problems("deployment.schema.json", tree("{\"name\": \"Spillway\"}")))
                .hasSize(4);
    }
}
