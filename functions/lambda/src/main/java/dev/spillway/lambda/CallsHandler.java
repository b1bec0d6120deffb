package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.call.JobId;
import dev.spillway.core.tenant.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /calls}, {@code GET /calls/{id}} and {@code DELETE /calls/{id}}.
 */
public final class CallsHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final JobDesk desk;
    private final Invocations invocations;
    private final Gate gate;

    /** For Lambda. */
    public CallsHandler() {
        this(Functions.from(System.getenv()));
    }

    public CallsHandler(Functions functions) {
        this.desk = functions.outbound().desk();
        this.invocations = functions.invocations();
        this.gate = functions.gate();
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> gate.answer(event, who -> answer(Asked.of(event), who)));
    }

    private APIGatewayV2HTTPResponse answer(Asked asked, Principal who) {
        if (!asked.part(0).equals("calls") || asked.path().size() > 2) {
            return ProblemDetails.UNKNOWN_ROUTE.response();
        }
        if (asked.path().size() == 1) {
            return asked.method().equals("POST") ? take(asked, who) : ProblemDetails.METHOD.response();
        }
        // The id names its tenant: whoever may not touch it is turned away before the call is looked for.
        return JobId.parse(asked.part(1))
                .map(id -> gate.within(who, id.tenant(), tenant -> switch (asked.method()) {
                    case "GET" -> desk.show(id);
                    case "DELETE" -> desk.cancel(id);
                    default -> ProblemDetails.METHOD.response();
                }))
                .orElseGet(ProblemDetails.UNKNOWN::response);
    }

    private APIGatewayV2HTTPResponse take(Asked asked, Principal who) {
        if (!asked.isJson()) {
            return ProblemDetails.TYPE.response();
        }
        Optional<String> key = asked.header("idempotency-key");
        if (key.isPresent() && !key.get().matches("[\\x21-\\x7e]{1,255}")) {
            return ProblemDetails.KEY.response();
        }
        return asked.body()
                .map(body -> desk.take(body, key.orElse(null), who))
                .orElseGet(ProblemDetails.NOT_JSON::response);
    }
}
