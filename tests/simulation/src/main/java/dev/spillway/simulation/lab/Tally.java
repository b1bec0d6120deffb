package dev.spillway.simulation.lab;

import dev.spillway.simulation.lab.Outcome.Event;
import java.util.ArrayList;
import java.util.List;

/** Counts container time and writes the timeline down. */
final class Tally {
    private final Agenda agenda;
    private final List<Event> timeline = new ArrayList<>();
    private long containerMillis;
    private int running;
    private int peak;

    Tally(Agenda agenda) {
        this.agenda = agenda;
    }

    /** A container is paid for from the moment it is asked for: what AWS does not charge of its start is not known. */
    void launched(long atMillis) {
        running++;
        peak = Math.max(peak, running);
    }

    void gone(long askedAtMillis, long atMillis) {
        running--;
        containerMillis += atMillis - askedAtMillis;
    }

    /** @param containers that take calls after it */
    void event(String what, int containers) {
        timeline.add(new Event(agenda.millis() / 1000.0, what, containers));
    }

    List<Event> timeline() {
        return timeline;
    }

    double hours() {
        return containerMillis / 3_600_000.0;
    }

    int peak() {
        return peak;
    }
}
