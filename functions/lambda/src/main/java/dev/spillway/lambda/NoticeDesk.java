package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes notices of Twilio's that want no TwiML: verified, passed on, answered with 204. */
final class NoticeDesk {
    private static final String LOST = "notice-lost";

    private final TwilioWebhook webhooks;
    private final RefusalLog refusals;
    private final Journal journal;
    private final Invocations invocations;

    NoticeDesk(TwilioWebhook webhooks, Journal journal, Invocations invocations) {
        this.webhooks = webhooks;
        this.refusals = new RefusalLog(journal);
        this.journal = journal;
        this.invocations = invocations;
    }

    /** 503 if a dependency failed: how the call goes, the reconciler asks of Twilio some minutes later. */
    APIGatewayV2HTTPResponse take(
            @Nullable Context context, WebhookKind kind, APIGatewayV2HTTPEvent event, Consumer<Webhook> flow) {
        return invocations.run(context, () -> switch (webhooks.verify(kind, event)) {
            case Verdict.Refused refused -> refusals.refuse(kind, refused);
            case Verdict.Unknowable unknowable -> lost(Entry.of(LOST), kind, unknowable.reason());
            case Verdict.Accepted accepted -> {
                try {
                    flow.accept(accepted.webhook());
                    yield Replies.nothing();
                } catch (DependencyException e) {
                    Entry entry = Entry.of(LOST)
                            .with("tenant", accepted.webhook().tenant().id())
                            .with("callSid", accepted.webhook().call());
                    yield lost(entry, kind, String.valueOf(e.getMessage()));
                }
            }
        });
    }

    private APIGatewayV2HTTPResponse lost(Entry entry, WebhookKind kind, String reason) {
        journal.write(entry.with("route", kind.segment()).with("reason", reason));
        return Replies.unavailable();
    }
}
