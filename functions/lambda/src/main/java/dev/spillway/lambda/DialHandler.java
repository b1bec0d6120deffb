package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import org.jspecify.annotations.Nullable;

/** {@code POST /twilio/dial/{tenant}/{job}/{generation}}: a person whom we dialled is connected with their slot. */
public final class DialHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final Switchboard switchboard;
    private final Invocations invocations;

    /** For Lambda. */
    public DialHandler() {
        this(Functions.from(System.getenv()));
    }

    public DialHandler(Functions functions) {
        this.switchboard = functions.switchboard();
        this.invocations = functions.invocations();
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> switchboard.answer(WebhookKind.DIAL, event));
    }
}
