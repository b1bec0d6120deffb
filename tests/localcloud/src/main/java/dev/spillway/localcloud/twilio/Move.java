package dev.spillway.localcloud.twilio;

import dev.spillway.localcloud.twilio.CallHistory.Purpose;
import dev.spillway.localcloud.twilio.CallHistory.Webhook;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A call went from one media stream to the next, as it was seen at the socket.
 *
 * @param handedOver whether the server closed the first stream in order (1000); otherwise it broke, was given back or was
 *     left by an update
 * @param leftAt when the first stream's last frame came, its close frame usually
 * @param openedAt when the next stream was open
 * @param heardAt when the first audible frame of the next stream came; null if none did
 * @param webhooks how long Twilio's own requests for instructions took in between
 */
public record Move(
        boolean handedOver,
        Moment leftAt,
        Moment openedAt,
        @Nullable Moment heardAt,
        Duration webhooks) {
    private static final Set<Purpose> INSTRUCTIONS = Set.of(Purpose.REDIRECT, Purpose.FALLBACK, Purpose.UPDATE);

    /** Empty while the first stream is up. */
    static Optional<Move> between(StreamHistory first, StreamHistory next, List<Webhook> webhooks) {
        return first.endedAt().map(left -> {
            Duration asked = webhooks.stream()
                    .filter(hook -> INSTRUCTIONS.contains(hook.purpose()))
                    .filter(hook -> isWithin(hook.sentAt(), left, next.connectingAt()))
                    .map(Webhook::took)
                    .reduce(Duration.ZERO, Duration::plus);
            boolean handedOver = first.ending()
                            .filter(ending -> ending == StreamEnding.SERVER_CLOSED)
                            .isPresent()
                    && first.detail().startsWith("1000");
            return new Move(
                    handedOver,
                    left,
                    next.openedAt().orElse(next.connectingAt()),
                    next.firstAudioAt().orElse(null),
                    asked);
        });
    }

    private static boolean isWithin(Moment moment, Moment from, Moment to) {
        return moment.nanos() - from.nanos() >= 0 && to.nanos() - moment.nanos() >= 0;
    }

    /**
     * From the last frame of the one to the first sound of the other, without Twilio's own webhooks: what the move itself costs
     * the caller. Empty if nothing was heard.
     */
    public Optional<Duration> gap() {
        return heardAt == null
                ? Optional.empty()
                : Optional.of(heardAt.since(leftAt).minus(webhooks));
    }
}
