package dev.spillway.operator.twilio;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.spillway.adapters.WholeAnswer;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The phone numbers of a Twilio account, through its REST API. */
public final class TwilioNumbers implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int PAGE = 100;
    private static final JsonMapper JSON = new JsonMapper();

    /** Twilio's parameters by the fields in which it answers them. */
    private static final Map<String, String> FIELDS = Map.of(
            "voice_url", "VoiceUrl",
            "voice_method", "VoiceMethod",
            "voice_fallback_url", "VoiceFallbackUrl",
            "voice_fallback_method", "VoiceFallbackMethod",
            "status_callback", "StatusCallback",
            "status_callback_method", "StatusCallbackMethod",
            "voice_application_sid", "VoiceApplicationSid",
            "trunk_sid", "TrunkSid");

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final String baseUrl;

    /** @param baseUrl without a trailing slash */
    public TwilioNumbers(String baseUrl) {
        this.baseUrl = baseUrl;
    }

    /** @throws IllegalStateException if Twilio does not answer, or refuses; the message names no number and no token */
    public List<NumberSettings> list(String accountSid, String token) {
        List<NumberSettings> all = new ArrayList<>();
        String next = "/2010-04-01/Accounts/" + accountSid + "/IncomingPhoneNumbers.json?PageSize=" + PAGE;
        while (!next.isEmpty()) {
            JsonNode page = send(request(next, accountSid, token).GET().build(), accountSid);
            page.path("incoming_phone_numbers").forEach(number -> all.add(settings(number)));
            next = page.path("next_page_uri").asText("");
            if (next.equals("null")) {
                next = "";
            }
        }
        return all;
    }

    private static NumberSettings settings(JsonNode number) {
        Map<String, String> values = new HashMap<>();
        FIELDS.forEach((field, parameter) -> {
            if (number.hasNonNull(field)) {
                values.put(parameter, number.path(field).asText());
            }
        });
        return new NumberSettings(
                number.path("sid").asText(), number.path("phone_number").asText(), values);
    }

    /** @throws IllegalStateException as {@link #list} */
    public void set(String accountSid, String token, String numberSid, Map<String, String> values) {
        String form = values.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        send(
                request(
                                "/2010-04-01/Accounts/" + accountSid + "/IncomingPhoneNumbers/" + numberSid + ".json",
                                accountSid,
                                token)
                        .header("content-type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.ofString(form))
                        .build(),
                accountSid);
    }

    private HttpRequest.Builder request(String path, String accountSid, String token) {
        String credentials =
                Base64.getEncoder().encodeToString((accountSid + ":" + token).getBytes(StandardCharsets.UTF_8));
        return HttpRequest.newBuilder(URI.create(baseUrl + path))
                .timeout(PATIENCE)
                .header("authorization", "Basic " + credentials);
    }

    private JsonNode send(HttpRequest request, String accountSid) {
        try {
            var response = WholeAnswer.to(request, http, BodyHandlers.ofString());
            if (response.statusCode() / 100 != 2) {
                throw new IllegalStateException("Twilio answers " + response.statusCode() + " for account " + accountSid
                        + (response.statusCode() == 401 ? ": is the token in the tenant's secret right?" : ""));
            }
            return JSON.readTree(response.body());
        } catch (IOException e) {
            throw new IllegalStateException("Twilio does not answer for account " + accountSid, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
