package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.DependencyException;
import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /attempts?tenant=&since=&cursor=&limit=} and {@code GET /attempts/{id}?tenant=}: what became of those who
 * tried, as {@link AttemptsAnswer} in JSON. API Gateway has checked by IAM that the caller may see it.
 */
public final class AttemptsHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private static final String PATH = "/attempts";

    private final AttemptListing listing;
    private final Tenants tenants;
    private final Invocations invocations;
    private final Journal journal;
    private final InstantSource clock;
    private final ObjectMapper json = new ObjectMapper();

    /** For Lambda. */
    public AttemptsHandler() {
        this(Functions.from(System.getenv()));
    }

    public AttemptsHandler(Functions functions) {
        this.listing = functions.attempts();
        this.tenants = functions.ports().tenants();
        this.invocations = functions.invocations();
        this.journal = functions.journal();
        this.clock = functions.clock();
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> {
            try {
                return answer(event, clock.instant());
            } catch (DependencyException e) {
                journal.write(Entry.of("attempts-unreadable").with("reason", e));
                return problem(Problem.unavailable("the table cannot be read"));
            }
        });
    }

    private APIGatewayV2HTTPResponse answer(APIGatewayV2HTTPEvent event, Instant now) {
        String path = event.getRawPath() == null ? "" : event.getRawPath();
        Map<String, String> query =
                event.getQueryStringParameters() == null ? Map.of() : event.getQueryStringParameters();
        String id = path.startsWith(PATH + "/") ? path.substring(PATH.length() + 1) : null;
        return switch (AttemptsRequest.of(id, query, now)) {
            case AttemptsRequest.Wrong wrong -> problem(Problem.fields(wrong.fields()));
            case AttemptsRequest.Page page ->
                isKnown(page.tenant())
                        ? Replies.json(
                                200,
                                written(AttemptsAnswer.of(
                                        page.tenant(),
                                        page.since(),
                                        listing.list(page.tenant(), page.since(), page.after(), page.limit(), now),
                                        now)))
                        : problem(Problem.notFound("no such tenant"));
            case AttemptsRequest.One one ->
                tenants.find(one.tenant())
                        .flatMap(tenant -> listing.find(tenant.id(), one.id()))
                        .map(found -> Replies.json(200, written(AttemptsAnswer.One.of(found))))
                        .orElseGet(() -> problem(Problem.notFound("no such attempt of this tenant")));
        };
    }

    private boolean isKnown(TenantId tenant) {
        return tenants.find(tenant).isPresent();
    }

    private APIGatewayV2HTTPResponse problem(Problem problem) {
        return Replies.problem(problem.status(), written(problem));
    }

    private String written(Object answer) {
        try {
            return json.writeValueAsString(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the answer cannot be written as JSON", e);
        }
    }
}
