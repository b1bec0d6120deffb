package dev.spillway.localcloud.twilio;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.twilio.security.RequestValidator;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class SignatureTest {
    @TestFactory
    List<DynamicTest> the_shared_cases() throws Exception {
        List<DynamicTest> tests = new ArrayList<>();
        try (InputStream file =
                Objects.requireNonNull(SignatureTest.class.getResourceAsStream("/twilio-signatures.json"))) {
            for (JsonNode one : new ObjectMapper().readTree(file).path("cases")) {
                tests.add(DynamicTest.dynamicTest(one.path("name").asText(), () -> check(one)));
            }
        }
        assertThat(tests).hasSize(10);
        return tests;
    }

    private static void check(JsonNode one) {
        Map<String, String> parameters = new LinkedHashMap<>();
        one.path("params")
                .properties()
                .forEach(
                        field -> parameters.put(field.getKey(), field.getValue().asText()));
        String made =
                Signature.of(one.path("authToken").asText(), one.path("url").asText(), parameters);
        assertThat(made.equals(one.path("signature").asText()))
                .isEqualTo(one.path("valid").asBoolean());
    }

    @Test
    void the_fragment_is_signed_only_when_switched_on_and_sent_never() {
        URI url = URI.create("https://api.example.com/voice#ct=1000&rc=0");
        Map<String, String> fields = Map.of("CallSid", "CA00000000000000000000000000000001");
        var without = new WebhookRequest(url, "POST", fields, Application.TOKEN, false);
        var with = new WebhookRequest(url, "POST", fields, Application.TOKEN, true);

        assertThat(without.target()).isEqualTo(URI.create("https://api.example.com/voice"));
        assertThat(with.target()).isEqualTo(without.target());
        assertThat(without.signature())
                .isEqualTo(Signature.of(Application.TOKEN, "https://api.example.com/voice", fields));
        assertThat(with.signature())
                .isEqualTo(Signature.of(Application.TOKEN, "https://api.example.com/voice#ct=1000&rc=0", fields));
    }

    @Test
    void a_get_carries_its_fields_in_the_signed_query() {
        var request = new WebhookRequest(
                URI.create("https://api.example.com/voice?a=1"),
                "GET",
                Map.of("To", "+15005550001"),
                Application.TOKEN,
                false);

        assertThat(request.target()).isEqualTo(URI.create("https://api.example.com/voice?a=1&To=%2B15005550001"));
        assertThat(new RequestValidator(Application.TOKEN)
                        .validate(request.target().toString(), Map.of(), request.signature()))
                .isTrue();
    }

    @Test
    void overrides_are_read_from_the_fragment_and_nonsense_keeps_the_default() {
        var ours = ConnectionOverrides.of(URI.create("https://a.example/#ct=1000&rt=3000&tt=5000&rc=0"));
        var nonsense = ConnectionOverrides.of(URI.create("https://a.example/#ct=50&rt=x&tt=20000&rc=9&e=ashburn"));

        assertThat(ours.connectTimeout()).hasMillis(1_000);
        assertThat(ours.readTimeout()).hasMillis(3_000);
        assertThat(ours.totalTimeout()).hasMillis(5_000);
        assertThat(ours.retries()).isZero();
        assertThat(nonsense).isEqualTo(ConnectionOverrides.DEFAULTS);
    }
}
