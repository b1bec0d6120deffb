package dev.spillway.simulation.world;

import java.util.ArrayList;
import java.util.List;

/** What is down, slow or throttled as a whole, and when. */
final class Weather {
    enum Where {
        TABLE,
        ECS,
        TWILIO,
        BUS,
        /** The load balancers, as the probe meets them. */
        BALANCERS
    }

    /** The worse ones last. */
    enum State {
        FINE,
        /** Every other question is refused at once, and changes nothing. */
        THROTTLED,
        SLOW,
        DOWN
    }

    private record Spell(Where where, State state, long fromMicros, long toMicros) {}

    private final List<Spell> spells = new ArrayList<>();

    void add(Where where, State state, long fromMicros, long toMicros) {
        spells.add(new Spell(where, state, fromMicros, toMicros));
    }

    State at(Where where, long nowMicros) {
        State worst = State.FINE;
        for (Spell spell : spells) {
            if (spell.where == where
                    && spell.fromMicros <= nowMicros
                    && nowMicros < spell.toMicros
                    && spell.state.compareTo(worst) > 0) {
                worst = spell.state;
            }
        }
        return worst;
    }
}
