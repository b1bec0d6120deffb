package dev.spillway.media.call;

import dev.spillway.core.DependencyException;
import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.call.Calls;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.stream.StreamAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * Tells of a setup that came to nothing though its call had a slot: on the call's record, if there is one, before Twilio
 * hears of it and goes on. The journal has its line already.
 */
public final class Setbacks {
    private final Self self;
    private final Pools pools;
    private final Calls calls;
    private final Patience patience;
    private final Journal journal;
    private final InstantSource clock;

    public Setbacks(Self self, Pools pools, Calls calls, Patience patience, Journal journal, InstantSource clock) {
        this.self = self;
        this.pools = pools;
        this.calls = calls;
        this.patience = patience;
        this.journal = journal;
        this.clock = clock;
    }

    /** Adds the step, if the table can be asked in time; may block. */
    public void tell(StreamAddress address, String reason) {
        try {
            patience.ask("table", () -> tell(address, reason, clock.instant()));
        } catch (DependencyException e) {
            journal.write(Entry.of("setback-untold")
                    .with("tenant", address.tenant())
                    .with("callSid", address.call())
                    .with("reason", String.valueOf(e.getMessage())));
        }
    }

    private boolean tell(StreamAddress address, String reason, Instant now) {
        int hop = address.generation().hop();
        return pools.read(self.pool())
                .map(view -> new Step(
                        Step.Kind.REFUSED,
                        now,
                        hop,
                        self.pool(),
                        address.container(),
                        Cause.DEPENDENCY,
                        Slots.of(view, now),
                        reason))
                .filter(step -> calls.tell(address.tenant(), address.call(), hop, List.of(step)))
                .isPresent();
    }
}
