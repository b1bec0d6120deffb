package dev.spillway.adapters.twilio;

import dev.spillway.adapters.Once;
import dev.spillway.adapters.WholeAnswer;
import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.CallStatus;
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
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Moves live calls by Twilio's REST API, and asks for their status. Moving a call twice to the same hop is harmless, so that every doubtful answer is
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

    /** The only attribute of that name; an error's is a number. */
    private static final Pattern STATUS = Pattern.compile("\"status\"\\s*:\\s*\"([a-z-]+)\"");

    private final Once<HttpClient> client = new Once<>(() -> HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build());
    private final String apiUrl;
    private final Callbacks callbacks;
    private final TwilioTokens tokens;

    /** @param apiUrl such as {@code https://api.twilio.com}, without a trailing slash */
    public TwilioCalls(String apiUrl, Callbacks callbacks, TwilioTokens tokens) {
        this.apiUrl = apiUrl;
        this.callbacks = callbacks;
        this.tokens = tokens;
    }

    @Override
    public boolean sendToContinue(Tenant tenant, CallSid call, int hop) {
        String form =
                "Method=POST&Url=" + URLEncoder.encode(callbacks.continueUrl(tenant.id(), hop), StandardCharsets.UTF_8);
        HttpResponse<String> response =
                ask(tenant, call, request -> request.POST(HttpRequest.BodyPublishers.ofString(form)));
        int status = response.statusCode();
        if (status / 100 == 2) {
            return true;
        }
        if (status == 404
                || (status == 400 && NOT_IN_PROGRESS.matcher(response.body()).find())) {
            return false;
        }
        throw failed(call, "Twilio says " + status);
    }

    @Override
    public CallStatus status(Tenant tenant, CallSid call) {
        HttpResponse<String> response = ask(tenant, call, HttpRequest.Builder::GET);
        if (response.statusCode() == 404) {
            return new CallStatus.Unknown();
        }
        if (response.statusCode() / 100 != 2) {
            throw failed(call, "Twilio says " + response.statusCode());
        }
        Matcher status = STATUS.matcher(response.body());
        if (!status.find()) {
            throw failed(call, "Twilio's answer has no status");
        }
        return CallStatus.of(status.group(1));
    }

    /** Asks with each of the tenant's tokens until Twilio takes one. */
    private HttpResponse<String> ask(Tenant tenant, CallSid call, UnaryOperator<HttpRequest.Builder> method) {
        URI uri = URI.create(apiUrl + "/2010-04-01/Accounts/" + tenant.accountSid() + "/Calls/" + call + ".json");
        for (String token : tokens.of(tenant)) {
            HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                    .timeout(PATIENCE)
                    .header("Authorization", basic(tenant.accountSid(), token))
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .header("Accept", "application/json");
            HttpResponse<String> response = send(method.apply(request).build(), call);
            if (response.statusCode() != 401) {
                return response;
            }
        }
        tokens.refresh(tenant);
        throw failed(call, "Twilio takes none of the tokens of tenant " + tenant.id());
    }

    private HttpResponse<String> send(HttpRequest request, CallSid call) {
        for (int attempt = 1; ; attempt++) {
            DependencyException doubt;
            try {
                HttpResponse<String> response =
                        WholeAnswer.to(request, client.get(), HttpResponse.BodyHandlers.ofString());
                int status = response.statusCode();
                if (status != 429 && status / 100 != 5) {
                    return response;
                }
                doubt = failed(call, "Twilio says " + status);
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
        return new DependencyException(DEPENDENCY, "call " + call + ": " + what, cause);
    }

    /** Makes the client, which reads the trusted certificates, before it is needed. */
    public void prepare() {
        client.get();
    }

    @Override
    public void close() {
        client.ifMade(HttpClient::shutdownNow);
    }
}
