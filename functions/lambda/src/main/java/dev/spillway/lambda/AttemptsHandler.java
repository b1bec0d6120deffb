package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.Tenant;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /attempts?tenant=&since=&cursor=&limit=} and {@code GET /attempts/{id}?tenant=}: what became of those who
 * tried, as {@link AttemptsAnswer} in JSON.
 */
public final class AttemptsHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final AttemptListing listing;
    private final Gate gate;
    private final Invocations invocations;
    private final InstantSource clock;
    private final ObjectMapper json = new ObjectMapper();

    /** For Lambda. */
    public AttemptsHandler() {
        this(Functions.from(System.getenv()));
    }

    public AttemptsHandler(Functions functions) {
        this.listing = functions.attempts();
        this.gate = functions.gate();
        this.invocations = functions.invocations();
        this.clock = functions.clock();
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> gate.answer(event, who -> answer(Asked.of(event), who, clock.instant())));
    }

    private APIGatewayV2HTTPResponse answer(Asked asked, Principal who, Instant now) {
        String id = asked.path().size() > 1 ? asked.part(1) : null;
        return switch (AttemptsRequest.of(id, asked.query(), now)) {
            case AttemptsRequest.Wrong wrong ->
                ProblemDetails.fields(400, "invalid-query", wrong.fields()).response();
            case AttemptsRequest.Page page -> gate.within(who, page.tenant(), tenant -> page(page, tenant, now));
            case AttemptsRequest.One one ->
                gate.within(
                        who,
                        one.tenant(),
                        tenant -> tenant.flatMap(found -> listing.find(found.id(), one.id()))
                                .map(found -> Replies.json(200, written(AttemptsAnswer.One.of(found))))
                                .orElseGet(ProblemDetails.UNKNOWN_ATTEMPT::response));
        };
    }

    private APIGatewayV2HTTPResponse page(AttemptsRequest.Page page, Optional<Tenant> tenant, Instant now) {
        return tenant.map(found -> Replies.json(
                        200,
                        written(AttemptsAnswer.of(
                                found.id(),
                                page.since(),
                                listing.list(found.id(), page.since(), page.after(), page.limit(), now),
                                now))))
                .orElseGet(ProblemDetails.UNKNOWN_TENANT::response);
    }

    private String written(Object answer) {
        try {
            return json.writeValueAsString(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the answer cannot be written as JSON", e);
        }
    }
}
