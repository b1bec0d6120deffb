package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;

/** Refuses wrong webhooks: one log line each, whose words are ours and not the stranger's. */
record RefusalLog(Journal journal) {
    APIGatewayV2HTTPResponse refuse(WebhookKind kind, Verdict.Refused refused) {
        journal.write(Entry.of("webhook-refused")
                .with("route", kind.segment())
                .with("status", refused.refusal().status())
                .with("reason", refused.reason())
                .count(Metric.TURNED_AWAY));
        return Replies.refusal(refused.refusal());
    }
}
