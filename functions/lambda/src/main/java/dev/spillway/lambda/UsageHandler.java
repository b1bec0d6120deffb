package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.usage.Usage;
import dev.spillway.core.usage.UsageReading;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /usage/{tenant}?from=&to=}: gateway calls, gateway seconds and container seconds, of the last day unless told
 * otherwise. API Gateway has checked by IAM that the caller may see it.
 */
public final class UsageHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private static final String PATH = "/usage/";
    private static final Duration USUAL = Duration.ofDays(1);

    /** Attempts are kept for 30 days. */
    private static final Duration LONGEST = Duration.ofDays(31);

    private final UsageReading reading;
    private final Invocations invocations;
    private final Journal journal;
    private final InstantSource clock;

    /** For Lambda. */
    public UsageHandler() {
        this(Functions.from(System.getenv()));
    }

    public UsageHandler(Functions functions) {
        this.reading = functions.usage();
        this.invocations = functions.invocations();
        this.journal = functions.journal();
        this.clock = functions.clock();
    }

    private record Window(Instant from, Instant to) {}

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> {
            String path = event.getRawPath() == null ? "" : event.getRawPath();
            Optional<TenantId> tenant =
                    path.startsWith(PATH) ? TenantId.parse(path.substring(PATH.length())) : Optional.empty();
            Instant now = clock.instant();
            Optional<Window> window = window(event, now);
            if (window.isEmpty()) {
                return Replies.json(
                        400,
                        "{\"error\":\"want from and to as 2026-11-29T09:00:00Z, in this order and 31 days apart at most\"}");
            }
            try {
                return tenant.flatMap(id ->
                                reading.read(id, window.get().from(), window.get().to(), now)
                                        .map(usage -> Replies.json(200, written(id, window.get(), usage))))
                        .orElseGet(() -> Replies.json(404, "{\"error\":\"no such tenant\"}"));
            } catch (DependencyException e) {
                journal.write(Entry.of("usage-unreadable").with("reason", e));
                return Replies.json(503, "{\"error\":\"the table cannot be read\"}");
            }
        });
    }

    private static Optional<Window> window(APIGatewayV2HTTPEvent event, Instant now) {
        Map<String, String> query =
                event.getQueryStringParameters() == null ? Map.of() : event.getQueryStringParameters();
        try {
            Instant to = query.containsKey("to") ? Instant.parse(query.get("to")) : now;
            Instant from = query.containsKey("from") ? Instant.parse(query.get("from")) : to.minus(USUAL);
            Duration length = Duration.between(from, to);
            return length.isNegative() || length.compareTo(LONGEST) > 0
                    ? Optional.empty()
                    : Optional.of(new Window(from, to));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static String written(TenantId tenant, Window window, Usage usage) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("tenant", tenant.value())
                .put("from", window.from().toString())
                .put("to", window.to().toString())
                .put("gatewayCalls", usage.gatewayCalls())
                .put("gatewaySeconds", usage.gatewaySeconds())
                .put("containerSeconds", usage.containerSeconds())
                .toString();
    }
}
