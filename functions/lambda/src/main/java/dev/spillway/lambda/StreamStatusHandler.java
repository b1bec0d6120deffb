package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.call.MissingRedirect;
import dev.spillway.core.call.StreamFailure.Kind;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /twilio/stream-status/{tenant}/{hop}}: a stream that could not be opened. The redirect that follows it in
 * the TwiML usually comes first; if it does not, the call is sent on through Twilio's REST API.
 */
public final class StreamStatusHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final NoticeDesk desk;
    private final MissingRedirect redirect;

    /** For Lambda. */
    public StreamStatusHandler() {
        this(Functions.from(System.getenv()));
    }

    public StreamStatusHandler(Functions functions) {
        this.desk = functions.noticeDesk();
        this.redirect = functions.missingRedirect();
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return desk.take(context, WebhookKind.STREAM_STATUS, event, this::follow);
    }

    private void follow(Webhook webhook) {
        if (!webhook.parameter("StreamEvent").equals("stream-error")) {
            return;
        }
        Kind kind = Kind.of(webhook.parameter("StreamError"));
        redirect.await(webhook.tenant(), webhook.call(), webhook.hop(), kind);
    }
}
