package dev.spillway.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.adapters.settings.SettingsException;
import dev.spillway.core.tenant.Persona;
import java.net.URI;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class ContainerSettingsTest {
    @Test
    void every_problem_is_listed_at_once() {
        assertThatThrownBy(() -> ContainerSettings.from(Map.of(
                        "SPILLWAY_POOL", "Not A Pool",
                        "SPILLWAY_PORT", "eighty",
                        "SPILLWAY_STREAM_KEY", "c2hvcnQ=",
                        "SPILLWAY_STOP_TIMEOUT_SECONDS", "600",
                        "SPILLWAY_DEREGISTRATION_SECONDS", "3601")))
                .asInstanceOf(InstanceOfAssertFactories.type(SettingsException.class))
                .extracting(SettingsException::problems, InstanceOfAssertFactories.list(String.class))
                .extracting(problem -> problem.substring(0, problem.indexOf(':')))
                .containsExactlyInAnyOrder(
                        "AWS_REGION",
                        "SPILLWAY_POOL",
                        "SPILLWAY_PORT",
                        "SPILLWAY_STREAM_KEY",
                        "SPILLWAY_STOP_TIMEOUT_SECONDS",
                        "SPILLWAY_DEREGISTRATION_SECONDS",
                        "SPILLWAY_TABLE",
                        "SPILLWAY_EVENT_BUS",
                        "SPILLWAY_PUBLIC_URL",
                        "ECS_AGENT_URI",
                        "ECS_CONTAINER_METADATA_URI_V4");
    }

    @Test
    void a_tenants_pool_needs_its_voice_url_and_the_gateway_does_not() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "AWS_REGION", "eu-west-1",
                "SPILLWAY_TABLE", "t",
                "SPILLWAY_EVENT_BUS", "b",
                "SPILLWAY_PUBLIC_URL", "https://api.example.com",
                "SPILLWAY_STREAM_KEY", Base64.getEncoder().encodeToString(new byte[32]),
                "ECS_AGENT_URI", "http://127.0.0.1:1",
                "ECS_CONTAINER_METADATA_URI_V4", "http://127.0.0.1:1",
                "SPILLWAY_POOL", "gateway"));
        ContainerSettings gateway = ContainerSettings.from(environment);
        assertThat(gateway.port()).isEqualTo(8_080);
        assertThat(gateway.think()).hasMillis(600);
        environment.put("SPILLWAY_POOL", "acme");
        assertThatThrownBy(() -> ContainerSettings.from(environment)).hasMessageContaining("SPILLWAY_VOICE_URL");
    }

    @Test
    void a_bot_belongs_to_a_tenants_container_and_never_to_the_gateway() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "AWS_REGION", "eu-west-1",
                "SPILLWAY_TABLE", "t",
                "SPILLWAY_EVENT_BUS", "b",
                "SPILLWAY_PUBLIC_URL", "https://api.example.com",
                "SPILLWAY_STREAM_KEY", Base64.getEncoder().encodeToString(new byte[32]),
                "ECS_AGENT_URI", "http://127.0.0.1:1",
                "ECS_CONTAINER_METADATA_URI_V4", "http://127.0.0.1:1",
                "SPILLWAY_POOL", "acme",
                "SPILLWAY_VOICE_URL", "https://acme.example.com/voice"));
        environment.put("SPILLWAY_BOT_STATE_URL", "http://127.0.0.1:8765/calls");
        assertThatThrownBy(() -> ContainerSettings.from(environment)).hasMessageContaining("SPILLWAY_BOT_URL");
        environment.put("SPILLWAY_BOT_URL", "ws://127.0.0.1:8765/ws");
        ContainerSettings acme = ContainerSettings.from(environment);
        assertThat(acme.bots().own())
                .isEqualTo(new Persona.Bot(
                        URI.create("ws://127.0.0.1:8765/ws"), URI.create("http://127.0.0.1:8765/calls")));
        assertThat(acme.bots().limits().firstAnswer()).hasSeconds(10);
        environment.put("SPILLWAY_POOL", "gateway");
        assertThatThrownBy(() -> ContainerSettings.from(environment)).hasMessageContaining("answers for all");
    }
}
