package dev.spillway.core.routing;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Call;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a placement adds to its call's story. Pure. */
final class Telling {
    private Telling() {}

    /**
     * @param call as it was before the placement
     * @param turnedAway whether the door of the call's own pool refused it just before
     * @param cause why the webhook came
     */
    static List<Step> of(
            Call call,
            Route route,
            PoolView own,
            PoolView gateway,
            boolean turnedAway,
            String cause,
            Duration coldStart,
            Instant now) {
        Stream<Step> door = turnedAway && call.hop() == 0
                ? Stream.of(
                        Step.refused(0, own.pool().id(), Cause.of(own, now, coldStart), Slots.of(own, now), cause, now))
                : Stream.empty();
        return Stream.concat(door, placement(call, route, own, gateway, cause, coldStart, now))
                .toList();
    }

    private static Stream<Step> placement(
            Call call, Route route, PoolView own, PoolView gateway, String cause, Duration coldStart, Instant now) {
        int hop = call.hop() + 1;
        String reason = cause + ": " + route.reason();
        return switch (route) {
            case Route.ToSlot slot -> {
                PoolId pool = slot.container().pool();
                ContainerId container = slot.container().id();
                if (pool.isGateway()) {
                    yield Stream.of(onGateway(hop, container, own, reason, coldStart, now));
                }
                yield Stream.of(
                        hop == 1
                                ? Step.admitted(hop, pool, container, reason, now)
                                : Step.moved(hop, pool, container, reason, now));
            }
            case Route.ToGatewayUnclaimed unclaimed -> Stream.of(onGateway(hop, null, own, reason, coldStart, now));
            case Route.ToBusy busy -> {
                Cause full =
                        Router.isOverShare(call, gateway, now) ? Cause.FAIRNESS : Cause.of(gateway, now, coldStart);
                yield Stream.of(Step.refused(hop, PoolId.GATEWAY, full, Slots.of(gateway, now), reason, now));
            }
            // It goes in circles: whatever the slots are, something is broken.
            case Route.ToApology apology ->
                Stream.of(Step.refused(hop, own.pool().id(), Cause.DEPENDENCY, Slots.of(own, now), reason, now));
            case Route.ToHangUp hangUp -> Stream.empty();
        };
    }

    private static Step onGateway(
            int hop, @Nullable ContainerId container, PoolView own, String reason, Duration coldStart, Instant now) {
        Cause why = Cause.of(own, now, coldStart);
        Slots slots = Slots.of(own, now);
        return hop == 1
                ? Step.held(hop, container, why, slots, reason, now)
                : Step.movedToGateway(hop, container, why, slots, reason, now);
    }
}
