package dev.spillway.adapters.twilio;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class WebhookSignatureTest {
    private static final String TOKEN = "12345678901234567890123456789012";
    private static final String OTHER = "99999999999999999999999999999999";

    @TestFactory
    Stream<DynamicTest> known_cases() throws IOException {
        return cases().stream()
                .map(one -> DynamicTest.dynamicTest(
                        one.get("name").asText(),
                        () -> assertThat(WebhookSignature.isValid(
                                        List.of(one.get("authToken").asText()),
                                        one.get("url").asText(),
                                        params(one),
                                        one.get("signature").asText()))
                                .isEqualTo(one.get("valid").asBoolean())));
    }

    @Test
    void the_next_token_signs_as_well_while_tokens_rotate() throws IOException {
        JsonNode plain = cases().getFirst();

        assertThat(isValid(List.of(OTHER, TOKEN), plain)).isTrue();
        assertThat(isValid(List.of(TOKEN, OTHER), plain)).isTrue();
        assertThat(isValid(List.of(OTHER), plain)).isFalse();
        assertThat(isValid(List.of(), plain)).isFalse();
    }

    @Test
    void both_forms_of_the_url_are_accepted_with_and_without_port() throws IOException {
        JsonNode withPort = cases().get(1);
        String signature = withPort.get("signature").asText();
        String without = withPort.get("url").asText().replace(":443", "");

        assertThat(WebhookSignature.isValid(List.of(TOKEN), without, params(withPort), signature))
                .isTrue();
    }

    @Test
    void garbage_is_never_valid_and_never_thrown() {
        for (String url : List.of("", "::::", "https://", "not a url", "https://api.example.com/%zz?\u0000")) {
            for (String signature : List.of("", " ", "%%%", "é", "=".repeat(1_000_000))) {
                assertThat(WebhookSignature.isValid(List.of(TOKEN, ""), url, Map.of("", ""), signature))
                        .isFalse();
            }
        }
    }

    private static boolean isValid(List<String> tokens, JsonNode one) {
        return WebhookSignature.isValid(
                tokens,
                one.get("url").asText(),
                params(one),
                one.get("signature").asText());
    }

    private static Map<String, String> params(JsonNode one) {
        Map<String, String> params = new HashMap<>();
        one.get("params")
                .properties()
                .forEach(param -> params.put(param.getKey(), param.getValue().asText()));
        return params;
    }

    private static List<JsonNode> cases() throws IOException {
        try (InputStream file = WebhookSignatureTest.class.getResourceAsStream("/twilio-signatures.json")) {
            List<JsonNode> cases = new ArrayList<>();
            new JsonMapper().readTree(Objects.requireNonNull(file)).get("cases").forEach(cases::add);
            return cases;
        }
    }
}
