package dev.spillway.media.wire;

import dev.spillway.core.call.Generation;
import dev.spillway.core.journal.Journal;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.admission.Seat;
import dev.spillway.media.agent.Agents;
import dev.spillway.media.call.Patience;
import dev.spillway.media.call.Seating;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The streams that are open here, and what all of them need. */
public final class Streams implements OpenStreams {
    private final Admission admission;
    private final Seating seating;
    private final Agents agents;
    private final Patience patience;
    private final Journal journal;
    private final InstantSource clock;
    private final StreamLimits limits;
    private final Map<Generation, StreamHandler> open = new ConcurrentHashMap<>();
    private volatile Runnable whenOpened = () -> {};
    private volatile Runnable whenQuieter = () -> {};

    public Streams(
            Admission admission,
            Seating seating,
            Agents agents,
            Patience patience,
            Journal journal,
            InstantSource clock,
            StreamLimits limits) {
        this.admission = admission;
        this.seating = seating;
        this.agents = agents;
        this.patience = patience;
        this.journal = journal;
        this.clock = clock;
        this.limits = limits;
    }

    /** Asks to be told whenever a stream is open. */
    public void whenOpened(Runnable told) {
        whenOpened = told;
    }

    /** Asks to be told whenever a call or relay is over and put away. */
    public void whenQuieter(Runnable told) {
        whenQuieter = told;
    }

    @Override
    public void handOff(Generation generation) {
        StreamHandler stream = open.get(generation);
        if (stream != null) {
            stream.handOff();
        }
    }

    @Override
    public void close(Generation generation, String reason) {
        StreamHandler stream = open.get(generation);
        if (stream != null) {
            stream.giveBack(reason);
        }
    }

    /** Closes every stream: Twilio goes on with the redirects. */
    public void closeAll(String reason) {
        List.copyOf(open.values()).forEach(stream -> stream.giveBack(reason));
    }

    @Override
    public int count() {
        return open.size();
    }

    void opened(Seat seat, StreamHandler stream) {
        open.put(seat.generation(), stream);
        whenOpened.run();
    }

    /** Puts the call away without anyone waiting. */
    void closed(Seat seat, boolean callEnded) {
        open.remove(seat.generation());
        if (admission.closing(seat, clock.instant())) {
            patience.later(() -> {
                seating.putAway(seat, callEnded);
                whenQuieter.run();
            });
        }
    }

    void relayEnded() {
        admission.relayEnded();
        whenQuieter.run();
    }

    Admission admission() {
        return admission;
    }

    Seating seating() {
        return seating;
    }

    Agents agents() {
        return agents;
    }

    Patience patience() {
        return patience;
    }

    Journal journal() {
        return journal;
    }

    InstantSource clock() {
        return clock;
    }

    StreamLimits limits() {
        return limits;
    }
}
