package dev.spillway.core.routing;

import dev.spillway.core.pool.Container;
import java.util.Objects;

/** Where a call should go now. Every branch says why. */
public sealed interface Route {
    String reason();

    /** Take a slot of this container; if it is lost to another call, ask again without it. */
    record ToSlot(Container container, String reason) implements Route {
        public ToSlot {
            Objects.requireNonNull(container);
        }
    }

    /** Let any container of the gateway take it: what is known is too old to claim by. */
    record ToGatewayUnclaimed(String reason) implements Route {}

    /** Live heartbeats confirm that everything is full. */
    record ToBusy(String reason) implements Route {}

    record ToApology(String reason) implements Route {}

    record ToHangUp(String reason) implements Route {}
}
