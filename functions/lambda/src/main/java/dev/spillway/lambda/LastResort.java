package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.adapters.twilio.Twiml;
import dev.spillway.core.call.Answer;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.core.routing.CallAnswering;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Answers a caller when the table, the flow or the time has failed: with the gateway's TwiML, made from configuration
 * alone. Any gateway container adopts such a call. Without a gateway address, without its key, or without knowing that
 * the request is Twilio's, the caller hears the apology.
 *
 * <p>It does not announce the overflow: the gateway container that takes the call does, once its stream has started. No record
 * of the call tells that container that anybody has, so it would announce the call a second time. Nor could it be
 * done from here: the function's time is over, and work that is left behind an answer stands still with the frozen process
 * until the next webhook. Whoever hears the apology has hung up and waits for no container.
 */
final class LastResort {
    /** What every TwiML renderer could fail to make. */
    private static final String APOLOGY =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response><Say>" + Twiml.APOLOGY + "</Say><Hangup/></Response>";

    private final CallAnswering answering;
    private final StreamTargets targets;
    private final Twiml twiml;
    private final Journal journal;

    LastResort(CallAnswering answering, StreamTargets targets, Twiml twiml, Journal journal) {
        this.answering = answering;
        this.targets = targets;
        this.twiml = twiml;
        this.journal = journal;
    }

    /** @param webhook null if the request could not be verified: nothing is granted then */
    APIGatewayV2HTTPResponse answer(@Nullable Webhook webhook, boolean gatewayAtHand, String reason, Instant now) {
        if (webhook == null) {
            return apology(Entry.of("last-resort"), reason);
        }
        Entry entry = Entry.of("last-resort")
                .with("tenant", webhook.tenant().id())
                .with("callSid", webhook.call())
                .with("cause", webhook.cause());
        if (!targets.hasGatewayUrl() || !gatewayAtHand) {
            return apology(entry, reason + "; the gateway's address or key is not at hand");
        }
        int hop = webhook.hop() + 1;
        try {
            Answer.Stream stream = answering.unclaimed(hop, now);
            String document = twiml.render(webhook.tenant().id(), webhook.call(), hop, stream);
            journal.write(entry.with("hop", hop)
                    .with("answer", "gateway")
                    .with("reason", reason)
                    .count(Metric.OVERFLOWS)
                    .count(Metric.HOLDS));
            return Replies.twiml(document);
        } catch (RuntimeException e) {
            return apology(entry, reason + "; then " + e.getClass().getSimpleName());
        }
    }

    private APIGatewayV2HTTPResponse apology(Entry entry, String reason) {
        journal.write(entry.with("answer", "apology").with("reason", reason).count(Metric.APOLOGIES));
        return Replies.twiml(APOLOGY);
    }
}
