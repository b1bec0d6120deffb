package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.adapters.journal.PhoneNumbers;
import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /calls}, {@code GET /calls/{id}} and {@code DELETE /calls/{id}}. API Gateway has checked by IAM that the
 * caller may ask.
 */
public final class CallsHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private static final String ONE = "/calls/";

    private final JobDesk desk;
    private final Invocations invocations;
    private final Journal journal;

    /** For Lambda. */
    public CallsHandler() {
        this(Functions.from(System.getenv()));
    }

    public CallsHandler(Functions functions) {
        this.desk = functions.outbound().desk();
        this.invocations = functions.invocations();
        this.journal = functions.journal();
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> {
            try {
                return answer(event);
            } catch (DependencyException e) {
                journal.write(Entry.of("calls-unavailable").with("reason", PhoneNumbers.masked(e.toString())));
                return ProblemDetails.UNAVAILABLE.response();
            }
        });
    }

    private APIGatewayV2HTTPResponse answer(APIGatewayV2HTTPEvent event) {
        String path = event.getRawPath() == null ? "" : event.getRawPath();
        String method = event.getRequestContext() == null
                        || event.getRequestContext().getHttp() == null
                        || event.getRequestContext().getHttp().getMethod() == null
                ? ""
                : event.getRequestContext().getHttp().getMethod();
        if (path.startsWith(ONE)) {
            String id = path.substring(ONE.length());
            return switch (method) {
                case "GET" -> desk.show(id);
                case "DELETE" -> desk.cancel(id);
                default -> ProblemDetails.METHOD.response();
            };
        }
        if (!path.equals("/calls")) {
            return ProblemDetails.UNKNOWN.response();
        }
        return method.equals("POST") ? take(event) : ProblemDetails.METHOD.response();
    }

    private APIGatewayV2HTTPResponse take(APIGatewayV2HTTPEvent event) {
        String type = header(event, "content-type").orElse("").split(";", 2)[0].strip();
        if (!type.equalsIgnoreCase("application/json")) {
            return ProblemDetails.TYPE.response();
        }
        Optional<String> key = header(event, "idempotency-key");
        if (key.isPresent() && !key.get().matches("[\\x21-\\x7e]{1,255}")) {
            return ProblemDetails.KEY.response();
        }
        String body = event.getBody() == null ? "" : event.getBody();
        if (event.getIsBase64Encoded()) {
            try {
                body = new String(Base64.getDecoder().decode(body), StandardCharsets.UTF_8);
            } catch (IllegalArgumentException e) {
                return ProblemDetails.NOT_JSON.response();
            }
        }
        return desk.take(body, key.orElse(null));
    }

    private static Optional<String> header(APIGatewayV2HTTPEvent event, String name) {
        Map<String, String> headers = event.getHeaders() == null ? Map.of() : event.getHeaders();
        return headers.entrySet().stream()
                .filter(entry -> entry.getKey().toLowerCase(Locale.ROOT).equals(name))
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
