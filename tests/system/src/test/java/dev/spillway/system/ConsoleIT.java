package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spillway.localcloud.FaultyProxy;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

/** What a person sees of a running system in a browser, and that no mouse is needed for it. */
class ConsoleIT {
    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    @Test
    void a_person_with_a_keyboard_sees_pools_slots_held_calls_decisions_and_attempts_as_they_happen() throws Exception {
        assumeTrue(Browser.chromium().isPresent(), "Chromium is not here: the console's page is not looked at");
        Path work = Files.createTempDirectory("spillway-console-");
        System.out.println("logs of containers, functions and the browser: " + work + "; seed 8");
        try (LocalSystem system = new LocalSystem(
                        new LocalSystem.Options(20, 300, Trained.home(), work, 8, TwilioSwitches.likely(8)));
                SignedApi api = system.signedApi();
                Browser browser = new Browser(work)) {
            system.start();
            // given a call that stays held, since its pool is closed by order, and two that their own pool has taken
            assertThat(api.send(
                                    "POST",
                                    "/pools/acme/orders",
                                    Map.of("content-type", "application/json"),
                                    "{\"order\":\"to-gateway\",\"reason\":\"a rehearsal\"}")
                            .statusCode())
                    .isEqualTo(201);
            CallScript talking = CallScript.lasting(Duration.ofMinutes(3));
            Call held = system.call(LocalTenant.ACME, talking);
            List<Call> direct =
                    List.of(system.call(LocalTenant.GLOBEX, talking), system.call(LocalTenant.GLOBEX, talking));

            browser.open(system.consoleUrl());

            heldCall(browser, held);
            browser.screenshot(work.resolve("held.png"));
            names(browser);
            keys(browser);
            slots(browser);
            browser.screenshot(work.resolve("slots.png"));
            asItHappens(browser, direct.getFirst());
            pause(browser);
            narrowAndDark(browser);
            browser.screenshot(work.resolve("dark.png"));
            trouble(browser, system);

            assertThat(browser.complaints()).isEmpty();
            assertThat(browser.requests())
                    .isNotEmpty()
                    .allSatisfy(url -> assertThat(url)
                            .startsWith(system.consoleUrl().resolve("/console").toString()));
            held.hangUp();
            direct.forEach(Call::hangUp);
        }
    }

    private static void heldCall(Browser browser, Call held) {
        soon().untilAsserted(() -> {
            assertThat(browser.text("h2")).isEqualTo("Pool acme");
            assertThat(browser.text("#held")).contains("1 call on the gateway").contains(held.sid());
            assertThat(browser.text("#decisions")).contains(held.sid()).contains("held");
            assertThat(browser.text("#attempts")).contains("1 offered = 1 open + 0 ended");
            assertThat(browser.text("#figures")).contains("Calls held\n1");
            assertThat(browser.text("#gateway-containers")).contains("of 6: 1 connected");
        });
        assertThat(browser.text("#notes")).contains("to-gateway").contains("a rehearsal");
        // its seconds go on by themselves
        String first = browser.text("#held tbody td");
        assertThat(first).matches("[0-9]+ s");
        soon().until(() -> !browser.text("#held tbody td").equals(first));
        assertThat(browser.value("document.title").asText()).startsWith("1 held, acme");
        assertThat(browser.text("body")).doesNotContain("1500555").doesNotContain("undefined");
    }

    /** What is there has a name for those who do not see it. */
    private static void names(Browser browser) {
        assertThat(browser.spoken())
                .contains(
                        "RootWebArea \"1 held, acme – Spillway console\"",
                        "link \"Skip to the pool\"",
                        "combobox \"Tenant\"",
                        "button \"Pause updates\"",
                        "combobox \"About\"",
                        "region \"Held calls\"",
                        "table \"1 call on the gateway, the oldest first\"",
                        "columnheader \"Held for\"")
                .anyMatch(node -> node.startsWith("main "))
                .noneMatch(node -> node.matches("(button|link|combobox|table|region) \"\""));
    }

    private static void keys(Browser browser) {
        List<String> reached = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            browser.press("Tab");
            reached.add(browser.focus());
        }
        assertThat(reached)
                .containsExactly(
                        "Skip to the pool",
                        "tenant",
                        "pause",
                        "attempts",
                        "containers",
                        "held",
                        "about",
                        "decisions",
                        "gateway-containers");
        assertThat(browser.value("getComputedStyle(document.activeElement).outlineStyle")
                        .asText())
                .isEqualTo("solid");
        // the first key leads past the head of the page
        browser.value("document.activeElement.blur()");
        browser.value("document.querySelector('.skip').focus()");
        browser.press("Enter");
        assertThat(browser.focus()).isEqualTo("main");
    }

    private static void slots(Browser browser) {
        browser.value("document.getElementById('tenant').focus()");
        browser.press("ArrowDown");
        soon().untilAsserted(() -> {
            assertThat(browser.text("h2")).isEqualTo("Pool globex");
            assertThat(browser.text("#containers")).contains("READY").contains("connected");
            assertThat(browser.text("#figures")).contains("Slots taken\n2 of 12");
        });
        assertThat(browser.text("#containers")).contains("■").contains("□");
        assertThat(browser.text("#held")).startsWith("No call is held");
        assertThat(browser.value("location.search").asText()).isEqualTo("?tenant=globex");
    }

    private static void asItHappens(Browser browser, Call direct) {
        assertThat(browser.text("#decisions")).doesNotContain("ended");
        direct.hangUp();
        soon().untilAsserted(() -> {
            assertThat(browser.text("#decisions")).contains("ended").contains("completed");
            assertThat(browser.text("#attempts")).contains("1 open + 1 ended");
            // and those who listen are told
            assertThat(browser.value("document.getElementById('news').textContent")
                            .asText())
                    .contains("new decision");
        });
    }

    private static void pause(Browser browser) {
        browser.value("document.getElementById('pause').focus()");
        browser.press("Space");
        assertThat(browser.text("#updated")).endsWith("paused");
        assertThat(browser.value("document.getElementById('pause').getAttribute('aria-pressed')")
                        .asText())
                .isEqualTo("true");
        browser.press("Space");
        soon().until(() -> !browser.text("#updated").contains("paused"));
    }

    /** At twice the size a window of 1280 is one of 640, and nothing may hang out of it. */
    private static void narrowAndDark(Browser browser) {
        browser.send(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", 640, "height", 800, "deviceScaleFactor", 2, "mobile", false));
        assertThat(browser.value("document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(640);
        String light =
                browser.value("getComputedStyle(document.body).backgroundColor").asText();
        browser.send(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark"))));
        assertThat(browser.value("getComputedStyle(document.body).backgroundColor")
                        .asText())
                .isNotEqualTo(light);
    }

    private static void trouble(Browser browser, LocalSystem system) {
        soon().until(() -> browser.text("#trouble").isEmpty());
        system.table().become(FaultyProxy.DOWN);
        soon().untilAsserted(() -> assertThat(browser.text("#trouble"))
                .contains("Temporarily unavailable")
                .contains("older than it should be"));
        assertThat(browser.text("#updated")).endsWith("ago");
        assertThat(browser.text("#containers")).contains("READY");
        system.table().become(FaultyProxy.PASS);
        soon().until(() -> browser.text("#trouble").isEmpty());
    }
}
