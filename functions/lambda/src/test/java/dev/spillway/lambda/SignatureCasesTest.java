package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Signatures computed from the published algorithm, through the whole fallback function. */
class SignatureCasesTest {
    static Stream<Arguments> cases() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(SignatureCasesTest.class.getResourceAsStream("/twilio-signatures.json"))) {
            List<Arguments> cases = new ArrayList<>();
            for (JsonNode one : new ObjectMapper().readTree(in).get("cases")) {
                Map<String, String> params = new TreeMap<>();
                one.get("params")
                        .properties()
                        .forEach(param ->
                                params.put(param.getKey(), param.getValue().asText()));
                cases.add(Arguments.of(
                        one.get("name").asText(),
                        one.get("url").asText(),
                        params,
                        one.get("signature").asText(),
                        one.get("valid").asBoolean()));
            }
            return cases.stream();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void right_ones_are_answered_and_wrong_ones_forbidden(
            String name, String url, Map<String, String> params, String signature, boolean valid) {
        World world = new World().withGateway();
        String query = url.contains("?") ? url.substring(url.indexOf('?') + 1) : "";

        int status = world.fallback(
                        Request.fallback().params(params).query(query).signature(signature))
                .getStatusCode();

        assertThat(status).isEqualTo(valid ? 200 : 403);
        assertThat(world.table.attempts()).isEqualTo(valid ? 1 : 0);
    }
}
