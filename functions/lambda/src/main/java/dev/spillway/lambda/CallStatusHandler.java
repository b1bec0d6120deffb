package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.tenant.TenantId;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** {@code POST /twilio/status/{tenant}/{hop}}: a call that ended is put away. */
public final class CallStatusHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final NoticeDesk desk;
    private final CallEnding ending;
    private final InstantSource clock;

    /** For Lambda. */
    public CallStatusHandler() {
        this(Functions.from(System.getenv()));
    }

    public CallStatusHandler(Functions functions) {
        this.desk = functions.noticeDesk();
        this.ending = functions.callEnding();
        this.clock = functions.clock();
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return desk.take(context, WebhookKind.STATUS, event, this::end);
    }

    private void end(Webhook webhook) {
        FinalStatus.parse(webhook.parameter("CallStatus")).ifPresent(status -> end(webhook, status));
    }

    private void end(Webhook webhook, FinalStatus status) {
        TenantId tenant = webhook.tenant().id();
        if (webhook.parameter("Direction").startsWith("outbound")) {
            ending.end(tenant, webhook.call(), status, clock.instant()); // its attempt is a job's
        } else {
            ending.endInbound(tenant, webhook.call(), webhook.hop(), status, clock.instant());
        }
    }
}
