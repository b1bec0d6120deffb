package dev.spillway.localcloud.twilio;

import dev.spillway.localcloud.twilio.CallHistory.Purpose;
import dev.spillway.localcloud.twilio.CallHistory.Webhook;
import dev.spillway.localcloud.twilio.TwilioSwitches.CallbackFaults;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Sends webhooks and callbacks and notes each in its call's history. */
final class Webhooks {
    private final EventLoopGroup loops;
    private final AllowedHosts hosts;
    private final WebhookClient client;
    private final Random random;

    Webhooks(EventLoopGroup loops, AllowedHosts hosts, long seed) {
        this.loops = loops;
        this.hosts = hosts;
        this.client = new WebhookClient(loops, hosts);
        this.random = new Random(seed);
    }

    /** Who may be reached, by streams too. */
    AllowedHosts hosts() {
        return hosts;
    }

    /** Asks for TwiML; completes always, a failure being a value. */
    CompletableFuture<WebhookAnswer> ask(CallHistory history, Purpose purpose, WebhookRequest request) {
        Moment sentAt = Moment.now();
        return client.send(request).thenApply(answer -> {
            int status = 0;
            int errorCode = 0;
            switch (answer) {
                case WebhookAnswer.Success success -> status = success.status();
                case WebhookAnswer.Failure failure -> {
                    status = failure.status();
                    errorCode = failure.errorCode();
                }
            }
            Duration took = Moment.now().since(sentAt);
            history.webhook(new Webhook(
                    purpose, request.method(), request.url(), request.parameters(), sentAt, took, status, errorCode));
            return answer;
        });
    }

    /** Tells something, in whatever way the faults have it; tried again so many times if it fails. */
    void tell(CallHistory history, Purpose purpose, WebhookRequest request, CallbackFaults faults, int retries) {
        if (loops.isShuttingDown()) {
            return;
        }
        int times;
        Duration[] delays = new Duration[2];
        synchronized (random) {
            boolean missing = random.nextDouble() < faults.missing();
            times = missing ? 0 : random.nextDouble() < faults.twice() ? 2 : 1;
            for (int i = 0; i < delays.length; i++) {
                boolean late = random.nextDouble() < faults.late();
                double share = random.nextDouble();
                delays[i] = late ? Duration.ofNanos((long) (faults.lateBy().toNanos() * share)) : Duration.ZERO;
            }
        }
        for (int i = 0; i < times; i++) {
            loops.next()
                    .schedule(
                            () -> tellNow(history, purpose, request, retries),
                            delays[i].toNanos(),
                            TimeUnit.NANOSECONDS);
        }
    }

    private void tellNow(CallHistory history, Purpose purpose, WebhookRequest request, int retries) {
        ask(history, purpose, request).thenAccept(answer -> {
            if (answer instanceof WebhookAnswer.Failure && retries > 0) {
                tellNow(history, purpose, request, retries - 1);
            }
        });
    }
}
