package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import org.jspecify.annotations.Nullable;

/** {@code POST /twilio/fallback/{tenant}}: a call that found no slot in its pool, or comes here first, is told where to go. */
public final class FallbackHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final Switchboard switchboard;
    private final Invocations invocations;

    /** For Lambda. */
    public FallbackHandler() {
        this(Functions.from(System.getenv()));
    }

    public FallbackHandler(Functions functions) {
        this.switchboard = functions.switchboard();
        this.invocations = functions.invocations();
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> switchboard.answer(WebhookKind.FALLBACK, event));
    }
}
