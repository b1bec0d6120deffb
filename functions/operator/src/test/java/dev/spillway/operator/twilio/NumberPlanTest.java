package dev.spillway.operator.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.spillway.core.tenant.Mode;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import dev.spillway.operator.twilio.NumberPlan.Step;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NumberPlanTest {
    private static final String ACCOUNT = "AC000000000000000000000000000000a1";
    private static final TenantEntry ACME =
            new TenantEntry(new TenantId("acme"), Mode.ON_DEMAND, Set.of("+15005550001"), ACCOUNT, 20, 1, 0);
    private static final DeploymentFiles FILES = new DeploymentFiles(
            "spillway", "us-east-1", "voice.example.com", 10, DeploymentFiles.Existing.NOTHING, List.of(ACME));

    @Test
    void a_new_number_gets_both_urls_with_their_time_limits_and_the_status_callback() {
        NumberPlan plan = NumberPlan.of(FILES, ACME, List.of(new NumberSettings("PN1", "+15005550001", Map.of())));

        assertThat(plan.steps())
                .singleElement()
                .isInstanceOfSatisfying(
                        Step.Change.class,
                        change -> assertThat(change.to())
                                .containsEntry(
                                        "VoiceUrl", "https://acme.voice.example.com/voice#ct=1000&rt=3000&tt=5000&rc=0")
                                .containsEntry(
                                        "VoiceFallbackUrl",
                                        "https://api.voice.example.com/twilio/fallback/acme#ct=2000&rt=8000&tt=15000&rc=1")
                                .containsEntry("StatusCallback", "https://api.voice.example.com/twilio/status/acme/0")
                                .containsEntry("VoiceMethod", "POST"));
        assertThat(plan.isDone()).isFalse();
    }

    @Test
    void a_number_that_is_right_stays_and_one_that_is_not_there_is_told() {
        NumberSettings right = new NumberSettings("PN1", "+15005550001", NumberSettings.wanted(FILES, ACME.id()));

        assertThat(NumberPlan.of(FILES, ACME, List.of(right)).isDone()).isTrue();
        assertThat(NumberPlan.of(FILES, ACME, List.of()).steps())
                .singleElement()
                .isInstanceOf(Step.Missing.class);
    }

    @Test
    void what_is_printed_names_no_number() {
        assertThat(told(new Step.Missing("+15005550001"), null))
                .contains("acme …01: is not in the tenant's Twilio account")
                .doesNotContain("+1500555");
    }

    private static String told(Step step, @Nullable Consumer<Step.Change> setting) {
        StringWriter printed = new StringWriter();
        boolean isRight = TwilioCommand.take(
                "acme " + NumberSettings.masked(step.number()), step, setting, new PrintWriter(printed, true));
        return printed + (isRight ? "done" : "open");
    }

    @Test
    void a_change_is_told_once_it_is_made() {
        Step.Change change = new Step.Change("PN1", "+15005550001", Map.of("TrunkSid", "TK1"), Map.of("TrunkSid", ""));

        assertThat(told(change, null))
                .contains("would change")
                .contains("TrunkSid: TK1 -> (nothing)")
                .endsWith("open");
        assertThat(told(change, made -> {})).contains(": changed").endsWith("done");
        assertThat(told(change, made -> {
                    throw new IllegalStateException("Twilio answers 503");
                }))
                .contains("could not be changed: Twilio answers 503")
                .doesNotContain(": changed")
                .endsWith("open");
    }

    @Test
    void a_number_that_is_given_to_an_application_or_a_trunk_looks_at_no_url() {
        Map<String, String> values = new HashMap<>(NumberSettings.wanted(FILES, ACME.id()));
        values.put("TrunkSid", "TK1");
        values.put("VoiceApplicationSid", "AP1");

        assertThat(NumberPlan.of(FILES, ACME, List.of(new NumberSettings("PN1", "+15005550001", values)))
                        .steps())
                .singleElement()
                .isInstanceOfSatisfying(
                        Step.Change.class,
                        change -> assertThat(change.to())
                                .containsOnly(Map.entry("TrunkSid", ""), Map.entry("VoiceApplicationSid", "")));
    }

    @Test
    void numbers_are_read_page_by_page_and_set_as_a_form() throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            boolean first = exchange.getRequestURI().toString().contains("PageSize");
            byte[] body = ("{\"incoming_phone_numbers\":[{\"sid\":\"PN" + (first ? 1 : 2)
                            + "\",\"phone_number\":\"+1500555000" + (first ? 1 : 2)
                            + "\",\"voice_url\":null,\"trunk_sid\":\"TK1\"}],"
                            + "\"next_page_uri\":" + (first ? "\"/2010-04-01/next.json\"" : "null") + "}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(asked.size() > 5 ? 401 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try (TwilioNumbers twilio =
                new TwilioNumbers("http://127.0.0.1:" + server.getAddress().getPort())) {
            assertThat(twilio.list(ACCOUNT, "token"))
                    .extracting(NumberSettings::sid)
                    .containsExactly("PN1", "PN2");
            assertThat(twilio.list(ACCOUNT, "token").getFirst().values()).containsEntry("TrunkSid", "TK1");
            twilio.set(ACCOUNT, "token", "PN1", Map.of("VoiceUrl", "https://a.example.com/voice#ct=1"));

            assertThat(asked.getLast())
                    .contains("POST /2010-04-01/Accounts/" + ACCOUNT + "/IncomingPhoneNumbers/PN1.json")
                    .contains("VoiceUrl=https%3A%2F%2Fa.example.com%2Fvoice%23ct%3D1");
            assertThatThrownBy(() -> twilio.list(ACCOUNT, "token"))
                    .hasMessageContaining("401")
                    .hasMessageContaining("is the token in the tenant's secret right?")
                    .hasMessageNotContaining("token\"");
        } finally {
            server.stop(0);
        }
    }
}
