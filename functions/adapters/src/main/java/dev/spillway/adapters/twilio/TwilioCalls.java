package dev.spillway.adapters.twilio;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Telephony;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/**
 * Moves live calls by Twilio's REST API. Moving a call twice to the same hop is harmless, so that every doubtful answer is
 * tried again, twice at most and with jitter.
 */
public final class TwilioCalls implements Telephony, AutoCloseable {
    private static final String DEPENDENCY = "twilio";
    private static final int ATTEMPTS = 3;
    private static final Duration CONNECT = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** The wait before the first repeat is between half of this and all of it, and doubles. */
    private static final Duration PAUSE = Duration.ofMillis(300);

    /** "Call is not in progress" (FACTS 5). */
    private static final Pattern NOT_IN_PROGRESS = Pattern.compile("\"code\"\\s*:\\s*21220\\b");

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();
    private final String apiUrl;
    private final Callbacks callbacks;
    private final TwilioTokens tokens;

    /** @param apiUrl such as {@code https://api.twilio.com}, without a trailing slash */
    public TwilioCalls(String apiUrl, Callbacks callbacks, TwilioTokens tokens) {
        this.apiUrl = apiUrl;
        this.callbacks = callbacks;
        this.tokens = tokens;
    }

    /** What Twilio said to one request. */
    private enum Said {
        MOVED,
        OVER,
        WRONG_TOKEN
    }

    @Override
    public boolean sendToContinue(Tenant tenant, CallSid call, int hop) {
        String form =
                "Method=POST&Url=" + URLEncoder.encode(callbacks.continueUrl(tenant.id(), hop), StandardCharsets.UTF_8);
        for (String token : tokens.of(tenant)) {
            switch (ask(tenant, call, form, token)) {
                case MOVED -> {
                    return true;
                }
                case OVER -> {
                    return false;
                }
                case WRONG_TOKEN -> {
                    // The next one, if tokens are being rotated.
                }
            }
        }
        tokens.refresh(tenant);
        throw failed(call, "Twilio takes none of the tokens of tenant " + tenant.id());
    }

    private Said ask(Tenant tenant, CallSid call, String form, String token) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(apiUrl + "/2010-04-01/Accounts/" + tenant.accountSid() + "/Calls/" + call + ".json"))
                .timeout(PATIENCE)
                .header("Authorization", basic(tenant.accountSid(), token))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build();
        for (int attempt = 1; ; attempt++) {
            DependencyException doubt;
            try {
                HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
                int status = response.statusCode();
                if (status / 100 == 2) {
                    return Said.MOVED;
                }
                if (status == 401) {
                    return Said.WRONG_TOKEN;
                }
                if (status == 404
                        || (status == 400
                                && NOT_IN_PROGRESS.matcher(response.body()).find())) {
                    return Said.OVER;
                }
                doubt = failed(call, "Twilio says " + status);
                if (status != 429 && status / 100 != 5) {
                    throw doubt;
                }
            } catch (IOException e) {
                doubt = failed(call, "no answer", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw failed(call, "interrupted", e);
            }
            if (attempt == ATTEMPTS) {
                throw doubt;
            }
            pause(call, attempt);
        }
    }

    private static void pause(CallSid call, int attempt) {
        long most = PAUSE.toMillis() << (attempt - 1);
        try {
            Thread.sleep(Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(call, "interrupted", e);
        }
    }

    private static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    private static DependencyException failed(CallSid call, String what) {
        return failed(call, what, new IllegalStateException(what));
    }

    private static DependencyException failed(CallSid call, String what, Exception cause) {
        return new DependencyException(DEPENDENCY, "moving call " + call + ": " + what, cause);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
