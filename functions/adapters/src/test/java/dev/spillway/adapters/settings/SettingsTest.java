package dev.spillway.adapters.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spillway.core.Timing;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void every_problem_is_listed_at_once_and_no_value_is_repeated() {
        Map<String, String> environment = Map.of(
                "PORT",
                "eighty",
                "KEY",
                "c2VjcmV0",
                "SPILLWAY_SPEED",
                "0.5",
                "SPILLWAY_PUBLIC_URL",
                "ftp://x.example.com");

        assertThatThrownBy(() -> Settings.read(
                        environment,
                        settings -> List.of(
                                settings.wholeNumber("PORT", 8080, 1, 65535),
                                settings.base64("KEY", 32),
                                settings.text("POOL"),
                                SharedSettings.from(settings))))
                .isInstanceOfSatisfying(
                        SettingsException.class,
                        e -> assertThat(e.problems())
                                .containsExactly(
                                        "PORT: want a whole number from 1 to 65535",
                                        "KEY: want 32 bytes in base64",
                                        "POOL: is missing",
                                        "AWS_REGION: is missing",
                                        "SPILLWAY_TABLE: is missing",
                                        "SPILLWAY_EVENT_BUS: is missing",
                                        "SPILLWAY_SPEED: want a number of 1 or more",
                                        "SPILLWAY_PUBLIC_URL: want an absolute URL with scheme https or http"))
                .hasMessageStartingWith("8 settings are wrong or missing:")
                .hasMessageNotContainingAny("eighty", "c2VjcmV0");
    }

    @Test
    void right_settings_are_read_with_their_defaults() {
        SharedSettings shared = Settings.read(
                Map.of(
                        "AWS_REGION", "eu-west-1",
                        "SPILLWAY_TABLE", "spillway",
                        "SPILLWAY_EVENT_BUS", "spillway",
                        "SPILLWAY_PUBLIC_URL", "https://api.example.com/"),
                SharedSettings::from);

        assertThat(shared)
                .isEqualTo(new SharedSettings(
                        shared.aws(), "spillway", "spillway", Timing.STANDARD.scaled(1), "https://api.example.com"));
    }

    @Test
    void a_record_that_refuses_its_values_is_a_problem_too() {
        assertThatThrownBy(() -> Settings.read(Map.of(), settings -> {
                    throw new IllegalArgumentException("a minimum of 3 needs a maximum of 3 or more");
                }))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("a minimum of 3 needs a maximum of 3 or more");
    }
}
