package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Takes what EventBridge delivers, at least once and in any order. What a function does not know is noted and dropped:
 * failing would only bring it again. A dependency's exception goes through, so that the event does come again.
 */
final class EventDesk {
    private final Invocations invocations;
    private final Journal journal;
    private final InstantSource clock;

    EventDesk(Invocations invocations, Journal journal, InstantSource clock) {
        this.invocations = invocations;
        this.journal = journal;
        this.clock = clock;
    }

    /** One function's work. */
    @FunctionalInterface
    interface Work {
        /** Whether the event was one for this function. */
        boolean take(BusEvent event, Instant now);
    }

    void take(@Nullable Context context, ScheduledEvent delivered, Work work) {
        invocations.run(context, () -> {
            BusEvent event = BusEvent.of(delivered);
            if (!work.take(event, clock.instant())) {
                journal.write(Entry.of("event-ignored")
                        .with(
                                "reason",
                                event instanceof BusEvent.Unknown unknown
                                        ? unknown.reason()
                                        : "not for this function"));
            }
            return true;
        });
    }
}
