package dev.spillway.localcloud.twilio;

import com.twilio.security.RequestValidator;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The application under a number in these tests: fixed answers per path, and every webhook's signature checked. */
final class Application implements AutoCloseable {
    static final String ACCOUNT = "AC00000000000000000000000000000001";
    static final String TOKEN = "12345678901234567890123456789012";
    static final String NUMBER = "+15005550001";
    static final String CALLER = "+15005550006";

    /** A webhook as it arrived. */
    record Received(String method, String target, Map<String, String> fields, boolean signed) {}

    private final Map<String, LocalHttpServer.Handler> answers = new ConcurrentHashMap<>();
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final LocalHttpServer server = new LocalHttpServer("application", 0, this::handle);
    final TwilioStandIn twilio;

    Application() {
        this(TwilioSwitches.likely(1));
    }

    Application(TwilioSwitches switches) {
        twilio = new TwilioStandIn(0, switches);
        number("/voice", "/fallback");
    }

    /** Points the number's webhooks at these paths. */
    Application number(String voice, @Nullable String fallback) {
        return number(url(voice), fallback == null ? null : url(fallback));
    }

    Application number(URI voice, @Nullable URI fallback) {
        twilio.register(
                new TwilioAccount(ACCOUNT, TOKEN, List.of(new TwilioNumber(NUMBER, voice, fallback, url("/status")))));
        return this;
    }

    URI url(String path) {
        return URI.create(server.url() + path);
    }

    Application answer(String path, LocalHttpServer.Handler handler) {
        answers.put(path, handler);
        return this;
    }

    /** Answers with a Response of these verbs. */
    Application twiml(String path, String verbs) {
        return answer(path, request -> xml("<Response>" + verbs + "</Response>"));
    }

    Application status(String path, int status) {
        return answer(path, request -> Response.of(status, "text/plain", "no"));
    }

    static Response xml(String text) {
        return Response.of(200, "text/xml", text);
    }

    static String stream(URI url) {
        return "<Connect><Stream url=\"" + url + "\"/></Connect>";
    }

    /** A call that lasts 20 s at most. */
    Call call() {
        return call(CallScript.lasting(Duration.ofSeconds(20)));
    }

    Call call(CallScript script) {
        return twilio.call(NUMBER, CALLER, script);
    }

    /** A call run to its end. */
    Call callToItsEnd() throws InterruptedException {
        return toItsEnd(call());
    }

    static Call toItsEnd(Call call) throws InterruptedException {
        if (!call.awaitEnd(Duration.ofSeconds(30))) {
            throw new AssertionError(
                    "the call did not end; verbs: " + call.history().verbs());
        }
        return call;
    }

    List<Received> received(String path) {
        return received.stream()
                .filter(one -> one.target().equals(path) || one.target().startsWith(path + "?"))
                .toList();
    }

    private Response handle(Request request) throws Exception {
        Map<String, String> body = fields(request.text());
        String signature = request.headers().getOrDefault("x-twilio-signature", "");
        boolean signed = new RequestValidator(TOKEN).validate(server.url() + request.target(), body, signature);
        Map<String, String> all = new LinkedHashMap<>(body);
        all.putAll(fields(request.query()));
        received.add(new Received(request.method(), request.target(), all, signed));
        LocalHttpServer.Handler handler = answers.get(request.path());
        return handler == null ? Response.of(404, "text/plain", "none") : handler.handle(request);
    }

    static Map<String, String> fields(String form) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String pair : form.split("&")) {
            String[] parts = pair.split("=", 2);
            if (!parts[0].isEmpty()) {
                fields.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
            }
        }
        return fields;
    }

    @Override
    public void close() {
        twilio.close();
        server.close();
    }
}
