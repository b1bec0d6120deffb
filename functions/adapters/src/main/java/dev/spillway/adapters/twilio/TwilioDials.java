package dev.spillway.adapters.twilio;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.adapters.Once;
import dev.spillway.adapters.WholeAnswer;
import dev.spillway.core.DependencyException;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.outbound.Dials;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Makes calls out by Twilio's REST API, and looks after them. A dial is sent once: what becomes of a request without a
 * reply is nobody's guess here.
 */
public final class TwilioDials implements Dials, AutoCloseable {
    private static final String DEPENDENCY = "twilio";
    private static final Duration CONNECT = Duration.ofSeconds(1);

    /** For a dial: Twilio answers once the call is queued. A guess with room. */
    private static final Duration DIAL_PATIENCE = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** How long it rings; Twilio's own default of 60 s reaches mailboxes. A guess. */
    private static final int RING_SECONDS = 30;

    private final Once<HttpClient> client = new Once<>(() -> HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build());
    /** Most functions never dial. */
    private final Once<ObjectMapper> json = new Once<>(ObjectMapper::new);

    private final String apiUrl;
    private final Callbacks callbacks;
    private final TwilioTokens tokens;
    private final InstantSource clock;

    /** @param apiUrl such as {@code https://api.twilio.com}, without a trailing slash */
    public TwilioDials(String apiUrl, Callbacks callbacks, TwilioTokens tokens, InstantSource clock) {
        this.apiUrl = apiUrl;
        this.callbacks = callbacks;
        this.tokens = tokens;
        this.clock = clock;
    }

    @Override
    public Result dial(Tenant tenant, Job job, Generation generation, Instant notAfter) {
        String form = form(
                "To", job.to(),
                "From", job.from(),
                "Url", callbacks.dial(job.id(), generation) + Callbacks.OVERRIDES,
                "Method", "POST",
                "FallbackUrl", callbacks.fallback(tenant.id()) + Callbacks.FALLBACK_OVERRIDES,
                "FallbackMethod", "POST",
                "StatusCallback", callbacks.outboundStatus(job.id(), generation),
                "StatusCallbackMethod", "POST",
                "StatusCallbackEvent", "initiated",
                "StatusCallbackEvent", "ringing",
                "StatusCallbackEvent", "answered",
                "StatusCallbackEvent", "completed",
                "Timeout", Integer.toString(RING_SECONDS));
        List<String> known;
        try {
            known = tokens.of(tenant);
        } catch (DependencyException e) {
            return new Result.Refused("the tokens cannot be read", false);
        }
        for (String token : known) {
            if (clock.instant().isAfter(notAfter)) {
                return new Result.Refused("too late to ask Twilio", false);
            }
            HttpResponse<String> response;
            try {
                response = WholeAnswer.to(
                        request(tenant, "/Calls.json", token, DIAL_PATIENCE)
                                .POST(HttpRequest.BodyPublishers.ofString(form))
                                .build(),
                        client.get(),
                        HttpResponse.BodyHandlers.ofString());
            } catch (ConnectException | HttpConnectTimeoutException e) {
                return new Result.Refused("Twilio cannot be reached", false);
            } catch (IOException e) {
                return new Result.Unknown("no answer from Twilio");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new Result.Unknown("interrupted");
            }
            if (response.statusCode() != 401) {
                return result(response);
            }
        }
        tokens.refresh(tenant);
        return new Result.Refused("Twilio takes none of the tokens", false);
    }

    private Result result(HttpResponse<String> response) {
        int status = response.statusCode();
        if (status / 100 == 2) {
            return sid(response.body())
                    .<Result>map(Result.Taken::new)
                    .orElseGet(() -> new Result.Unknown("Twilio's answer names no call"));
        }
        if (status / 100 == 5) {
            return new Result.Unknown("Twilio says " + status);
        }
        // Only 400 says that this very call cannot be made. 429 is too many requests at once (FACTS 5); 401, 403 and
        // 404
        // are about the account, and would be said of every other call as well.
        return new Result.Refused("Twilio says " + status + code(response.body()), status == 400);
    }

    private Optional<CallSid> sid(String body) {
        return tree(body).flatMap(node -> CallSid.parse(node.path("sid").asText("")));
    }

    private String code(String body) {
        return tree(body)
                .filter(node -> node.path("code").isInt())
                .map(node -> ", error " + node.path("code").asInt())
                .orElse("");
    }

    @Override
    public List<Listed> find(Tenant tenant, String from, String to, Instant since) {
        // Not by StartTime: a call that Twilio has queued has none yet. The newest come first.
        String query = form("From", from, "To", to, "PageSize", "200");
        HttpResponse<String> response = ask(tenant, "GET", "/Calls.json?" + query, "");
        if (response.statusCode() / 100 != 2) {
            throw failed("listing calls: Twilio says " + response.statusCode());
        }
        JsonNode calls = tree(response.body())
                .map(node -> node.path("calls"))
                .orElseThrow(() -> failed("listing calls: Twilio's answer is no JSON"));
        List<Listed> found = new ArrayList<>();
        for (JsonNode call : calls) {
            // A call that says no time yet is new.
            boolean isNew = created(call).map(at -> !at.isBefore(since)).orElse(true);
            if (isNew) {
                CallSid.parse(call.path("sid").asText(""))
                        .ifPresent(sid ->
                                found.add(new Listed(sid, call.path("status").asText(""))));
            }
        }
        return found;
    }

    private static Optional<Instant> created(JsonNode call) {
        try {
            return Optional.of(DateTimeFormatter.RFC_1123_DATE_TIME
                    .withLocale(Locale.ROOT)
                    .parse(call.path("date_created").asText(""), Instant::from));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<String> status(Tenant tenant, CallSid call) {
        HttpResponse<String> response = ask(tenant, "GET", "/Calls/" + call + ".json", "");
        if (response.statusCode() == 404) {
            return Optional.empty();
        }
        if (response.statusCode() / 100 != 2) {
            throw failed("asking for call " + call + ": Twilio says " + response.statusCode());
        }
        return Optional.of(tree(response.body())
                .map(node -> node.path("status").asText(""))
                .filter(status -> !status.isEmpty())
                .orElseThrow(() -> failed("asking for call " + call + ": Twilio's answer has no status")));
    }

    @Override
    public boolean hangUp(Tenant tenant, CallSid call) {
        // A call that does not talk yet is completed as well: Twilio ends it in whatever state it is (FACTS 5).
        HttpResponse<String> response = ask(tenant, "POST", "/Calls/" + call + ".json", form("Status", "completed"));
        if (response.statusCode() / 100 == 2) {
            return true;
        }
        if (response.statusCode() == 404 || response.statusCode() == 400) {
            return false;
        }
        throw failed("hanging up call " + call + ": Twilio says " + response.statusCode());
    }

    private HttpResponse<String> ask(Tenant tenant, String method, String path, String form) {
        try {
            for (String token : tokens.of(tenant)) {
                HttpRequest.Builder request = request(tenant, path, token, PATIENCE);
                HttpResponse<String> response = WholeAnswer.to(
                        (method.equals("GET") ? request.GET() : request.POST(HttpRequest.BodyPublishers.ofString(form)))
                                .build(),
                        client.get(),
                        HttpResponse.BodyHandlers.ofString());
                if (response.statusCode() != 401) {
                    return response;
                }
            }
        } catch (IOException e) {
            throw new DependencyException(DEPENDENCY, "no answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DependencyException(DEPENDENCY, "interrupted", e);
        }
        tokens.refresh(tenant);
        throw failed("Twilio takes none of the tokens of tenant " + tenant.id());
    }

    private HttpRequest.Builder request(Tenant tenant, String path, String token, Duration patience) {
        String pair = tenant.accountSid() + ":" + token;
        return HttpRequest.newBuilder(URI.create(apiUrl + "/2010-04-01/Accounts/" + tenant.accountSid() + path))
                .timeout(patience)
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json");
    }

    private Optional<JsonNode> tree(String body) {
        try {
            return Optional.ofNullable(json.get().readTree(body));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    private static String form(String... namesAndValues) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            text.append(i == 0 ? "" : "&")
                    .append(encoded(namesAndValues[i]))
                    .append('=')
                    .append(encoded(namesAndValues[i + 1]));
        }
        return text.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static DependencyException failed(String what) {
        return new DependencyException(DEPENDENCY, what, new IllegalStateException(what));
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
