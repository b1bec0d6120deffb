package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.call.CallEnding.FinalStatus;
import dev.spillway.core.outbound.Dials;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.OutboundEnding;
import dev.spillway.lambda.Webhook.DialName;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code POST /twilio/outbound-status/{tenant}/{job}/{generation}}: how a call that we made goes, and that it is over. */
public final class OutboundStatusHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final NoticeDesk desk;
    private final OutboundEnding ending;
    private final Dials dials;
    private final InstantSource clock;

    /** For Lambda. */
    public OutboundStatusHandler() {
        this(Functions.from(System.getenv()));
    }

    public OutboundStatusHandler(Functions functions) {
        this.desk = functions.noticeDesk();
        this.ending = functions.outbound().ending();
        this.dials = functions.ports().dials();
        this.clock = functions.clock();
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return desk.take(context, WebhookKind.OUTBOUND_STATUS, event, this::take);
    }

    private void take(Webhook webhook) {
        DialName dial = Objects.requireNonNull(webhook.dial());
        String status = webhook.parameter("CallStatus");
        boolean goesOn = FinalStatus.parse(status).isEmpty();
        ending.status(dial.job(), dial.generation(), webhook.call(), status, clock.instant())
                .filter(Job::cancelRequested)
                .filter(job -> goesOn)
                .ifPresent(job -> dials.hangUp(webhook.tenant(), webhook.call()));
    }
}
