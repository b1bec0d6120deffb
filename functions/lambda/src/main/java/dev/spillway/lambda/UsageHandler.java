package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.usage.Usage;
import dev.spillway.core.usage.UsageReading;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /usage/{tenant}?from=&to=}: gateway calls, gateway seconds and container seconds, of the last day unless told
 * otherwise.
 */
public final class UsageHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private static final Duration USUAL = Duration.ofDays(1);

    /** Attempts are kept for 30 days. */
    private static final Duration LONGEST = Duration.ofDays(31);

    private final UsageReading reading;
    private final Invocations invocations;
    private final Gate gate;
    private final InstantSource clock;

    /** For Lambda. */
    public UsageHandler() {
        this(Functions.from(System.getenv()));
    }

    public UsageHandler(Functions functions) {
        this.reading = functions.usage();
        this.invocations = functions.invocations();
        this.gate = functions.gate();
        this.clock = functions.clock();
    }

    private record Window(Instant from, Instant to) {}

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> gate.answer(event, who -> answer(Asked.of(event), who)));
    }

    private APIGatewayV2HTTPResponse answer(Asked asked, Principal who) {
        return TenantId.parse(asked.part(1))
                .map(id -> gate.within(who, id, tenant -> answer(asked, id)))
                .orElseGet(ProblemDetails.UNKNOWN_POOL::response);
    }

    private APIGatewayV2HTTPResponse answer(Asked asked, TenantId tenant) {
        Instant now = clock.instant();
        return window(asked.query(), now)
                .map(window -> reading.read(tenant, window.from(), window.to(), now)
                        .map(usage -> Replies.json(200, written(tenant, window, usage)))
                        .orElseGet(ProblemDetails.UNKNOWN_POOL::response))
                .orElseGet(() -> ProblemDetails.fields(
                                400,
                                "invalid-query",
                                List.of(new ProblemDetails.Field(
                                        "from",
                                        "want from and to as 2026-11-29T09:00:00Z, in order, 31 days apart at most")))
                        .response());
    }

    private static Optional<Window> window(Map<String, String> query, Instant now) {
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
