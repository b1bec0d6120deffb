package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.adapters.twilio.CallerNumber;
import dev.spillway.adapters.twilio.Twiml;
import dev.spillway.core.attempt.CallerHash;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.outbound.DialAnswering;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.routing.CallAnswering;
import dev.spillway.core.routing.CallAnswering.Answered;
import dev.spillway.core.routing.CallAnswering.Asked;
import dev.spillway.core.stream.StreamKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Answers a call's webhook within a deadline, whatever happens. The flow runs on a thread of its own; if it fails or the
 * deadline comes first, the last resort answers.
 *
 * <p>An abandoned flow is interrupted, but a claim that it had just sent may still take effect. Nothing leaks: the call
 * is adopted by the gateway under another generation, so its record does not name that claim, and reconciliation
 * releases it as an orphan.
 */
final class Switchboard {
    /**
     * The flow's time. Ours is 3 s (DESIGN.md, "Overflow"), and Twilio waits no longer than that for a continue URL: half a
     * second is left for the last resort and for the way.
     */
    static final Duration DEADLINE = Duration.ofMillis(2500);

    /** What the gateway's key may still take when the flow's time is over. */
    private static final Duration LEAST_KEY_WAIT = Duration.ofMillis(100);

    /** How long the key of the caller's hash is waited for, in a process that has not read it before. */
    private static final Duration CALLER_WAIT = Duration.ofMillis(100);

    private final TwilioWebhook webhooks;
    private final CallAnswering answering;
    private final DialAnswering dialAnswering;
    private final StreamTargets targets;
    private final Twiml twiml;
    private final LastResort lastResort;
    private final RefusalLog refusals;
    private final InstantSource clock;
    private final Duration deadline;

    Switchboard(
            TwilioWebhook webhooks,
            CallAnswering answering,
            DialAnswering dialAnswering,
            StreamTargets targets,
            Twiml twiml,
            Journal journal,
            InstantSource clock,
            Duration deadline) {
        this.webhooks = webhooks;
        this.answering = answering;
        this.dialAnswering = dialAnswering;
        this.targets = targets;
        this.twiml = twiml;
        this.lastResort = new LastResort(answering, targets, twiml, journal);
        this.refusals = new RefusalLog(journal);
        this.clock = clock;
        this.deadline = deadline;
    }

    APIGatewayV2HTTPResponse answer(WebhookKind kind, APIGatewayV2HTTPEvent event) {
        Instant now = clock.instant();
        AtomicReference<@Nullable Webhook> verified = new AtomicReference<>();
        Future<StreamKey> gatewayKey = gatewayKey();
        FutureTask<APIGatewayV2HTTPResponse> flow =
                new FutureTask<>(() -> serve(kind, event, verified, gatewayKey, now));
        Thread.ofVirtual().name("webhook").start(flow);
        long end = System.nanoTime() + deadline.toNanos();
        String reason;
        try {
            return flow.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            reason = "no answer within " + deadline.toMillis() + " ms";
        } catch (ExecutionException e) {
            reason = String.valueOf(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            reason = "interrupted";
        }
        flow.cancel(true);
        boolean atHand = isAtHand(gatewayKey, Math.max(LEAST_KEY_WAIT.toNanos(), end - System.nanoTime()));
        gatewayKey.cancel(true);
        return lastResort.answer(verified.get(), atHand, reason, now);
    }

    /** At hand before it is needed: it is read once and kept, and the last resort has no time left for it. */
    private Future<StreamKey> gatewayKey() {
        Optional<StreamKey> atHand = targets.gatewayKeyAtHand();
        if (atHand.isPresent()) {
            return CompletableFuture.completedFuture(atHand.get());
        }
        FutureTask<StreamKey> fetching = new FutureTask<>(targets::gatewayKey);
        Thread.ofVirtual().name("gateway-key").start(fetching);
        return fetching;
    }

    private APIGatewayV2HTTPResponse serve(
            WebhookKind kind,
            APIGatewayV2HTTPEvent event,
            AtomicReference<@Nullable Webhook> verified,
            Future<StreamKey> gatewayKey,
            Instant now) {
        return switch (webhooks.verify(kind, event)) {
            case Verdict.Refused refused -> refusals.refuse(kind, refused);
            case Verdict.Unknowable unknowable -> lastResort.answer(null, false, unknowable.reason(), now);
            case Verdict.Accepted accepted -> {
                verified.set(accepted.webhook());
                yield answer(accepted.webhook(), gatewayKey, now);
            }
        };
    }

    private APIGatewayV2HTTPResponse answer(Webhook webhook, Future<StreamKey> gatewayKey, Instant now) {
        Answered answered = answered(webhook, gatewayKey, now);
        return Replies.twiml(twiml.render(webhook.tenant().id(), webhook.call(), answered.hop(), answered.answer()));
    }

    private Answered answered(Webhook webhook, Future<StreamKey> gatewayKey, Instant now) {
        if (webhook.dial() == null) {
            return answering.answer(
                    new Asked(
                            webhook.tenant().id(),
                            webhook.call(),
                            webhook.hop(),
                            webhook.cause(),
                            webhook.isTurnedAway(),
                            caller(webhook, gatewayKey).orElse(null),
                            webhook.isServed()),
                    now);
        }
        DialAnswering.Said said =
                dialAnswering.answer(webhook.dial().job(), webhook.dial().generation(), webhook.call(), now);
        return switch (said) {
            case DialAnswering.Said.Told told -> new Answered(1, told.answer());
            case DialAnswering.Said.Elsewhere elsewhere ->
                answering.answer(
                        webhook.tenant().id(), webhook.call(), 0, webhook.cause() + ": " + elsewhere.reason(), now);
        };
    }

    /**
     * Who calls. All keys come from one secret, which is being fetched since the webhook came and which the answer needs
     * anyway; if it is slow, the link to the caller's first try is given up and not the time.
     */
    private Optional<CallerHash> caller(Webhook webhook, Future<StreamKey> gatewayKey) {
        return isAtHand(gatewayKey, CALLER_WAIT.toNanos())
                ? CallerNumber.hash(
                        webhook.parameters(),
                        targets.key(PoolId.of(webhook.tenant().id())))
                : Optional.empty();
    }

    /** A flow that fails at once may come before the key: there is time to wait for it then. */
    private static boolean isAtHand(Future<StreamKey> gatewayKey, long nanos) {
        try {
            gatewayKey.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
