package dev.spillway.lambda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.adapters.settings.SettingsException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FunctionSettingsTest {
    private static final Map<String, String> RIGHT = Map.of(
            "AWS_REGION", "us-east-1",
            "SPILLWAY_TABLE", "spillway",
            "SPILLWAY_EVENT_BUS", "spillway",
            "SPILLWAY_PUBLIC_URL", "https://api.example.com",
            "SPILLWAY_CLUSTER", "spillway",
            "SPILLWAY_STREAM_SECRET", "spillway/stream",
            "SPILLWAY_TENANT_SECRETS", "spillway/tenant/");

    @Test
    void what_is_optional_has_a_default() {
        FunctionSettings settings = FunctionSettings.from(RIGHT);

        assertThat(settings.gatewayStreamUrl()).isNull();
        assertThat(settings.twilioApiUrl()).isEqualTo("https://api.twilio.com");
        assertThat(settings.journal()).isEqualTo(FunctionSettings.JournalChoice.POWERTOOLS);
    }

    @Test
    void right_settings_make_every_handler_without_asking_anybody() {
        Map<String, String> local = new HashMap<>(RIGHT);
        local.put("AWS_ACCESS_KEY_ID", "local");
        local.put("AWS_SECRET_ACCESS_KEY", "local");
        for (String service : new String[] {"DYNAMODB", "ECS", "EVENTBRIDGE", "SECRETS_MANAGER"}) {
            local.put("AWS_ENDPOINT_URL_" + service, "http://127.0.0.1:9");
        }

        try (Functions functions = Functions.from(local, entry -> {})) {
            assertThat(new FallbackHandler(functions)).isNotNull();
            assertThat(new ContinueHandler(functions)).isNotNull();
            assertThat(new CallStatusHandler(functions)).isNotNull();
            assertThat(new StreamStatusHandler(functions)).isNotNull();
            assertThat(new PoolStatusHandler(functions)).isNotNull();
            assertThat(new OverflowScalerHandler(functions)).isNotNull();
            assertThat(new GatewayScalerHandler(functions)).isNotNull();
            assertThat(new HandOffHandler(functions)).isNotNull();
            assertThat(new IdleSweeperHandler(functions)).isNotNull();
            assertThat(new ZombieReconcilerHandler(functions)).isNotNull();
        }
    }

    @Test
    void all_problems_are_told_at_once() {
        Map<String, String> wrong = new HashMap<>(RIGHT);
        wrong.remove("SPILLWAY_TABLE");
        wrong.remove("SPILLWAY_CLUSTER");
        wrong.remove("SPILLWAY_TENANT_SECRETS");
        wrong.remove("AWS_REGION");
        wrong.put("AWS_ENDPOINT_URL_DYNAMODB", "localhost");
        wrong.put("AWS_ENDPOINT_URL_ECS", "http://127.0.0.1:9");
        wrong.put("SPILLWAY_PUBLIC_URL", "api.example.com");
        wrong.put("SPILLWAY_GATEWAY_STREAM_URL", "https://gateway.example.com");
        wrong.put("SPILLWAY_SPEED", "0.5");
        wrong.put("SPILLWAY_JOURNAL", "paper");

        assertThatThrownBy(() -> Functions.from(wrong))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll(
                        "AWS_REGION",
                        "AWS_ENDPOINT_URL_DYNAMODB",
                        "AWS_ACCESS_KEY_ID",
                        "AWS_SECRET_ACCESS_KEY",
                        "SPILLWAY_TABLE",
                        "SPILLWAY_CLUSTER",
                        "SPILLWAY_TENANT_SECRETS",
                        "SPILLWAY_PUBLIC_URL",
                        "SPILLWAY_GATEWAY_STREAM_URL",
                        "SPILLWAY_SPEED",
                        "SPILLWAY_JOURNAL");
    }
}
