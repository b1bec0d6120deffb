package dev.spillway.media.host;

import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.media.host.Host.Granted;
import java.time.Duration;
import java.time.Instant;

/**
 * This task's scale-in protection: asked for before READY, renewed at a third of its time, given back only when the
 * container is confirmed empty.
 */
public final class Protection {
    private static final int MINUTES = 60;
    private static final Duration RENEWAL = Duration.ofMinutes(20);

    private final Host host;
    private final Journal journal;
    private Instant until = Instant.EPOCH;
    private Instant askedAt = Instant.EPOCH;
    private boolean answered;
    private boolean dropped;

    public Protection(Host host, Journal journal) {
        this.host = host;
        this.journal = journal;
    }

    /** Until when ECS has confirmed it; the epoch while it has not. */
    public synchronized Instant until() {
        return until;
    }

    /**
     * Asks for it if it is due: a third of its time is over, or it was not granted.
     *
     * @return whether ECS has answered at all: granted, or refused because of a deployment
     */
    public synchronized boolean renewIfDue(Instant now) {
        if (dropped || (until.isAfter(now) && now.isBefore(askedAt.plus(RENEWAL)))) {
            return answered;
        }
        try {
            switch (host.protect(MINUTES)) {
                case Granted.Until granted -> {
                    until = granted.expires();
                    askedAt = now;
                    answered = true;
                }
                case Granted.Refused refused -> {
                    log("protection-refused", refused.reason());
                    answered |= refused.reason().equals("DEPLOYMENT_BLOCKED");
                }
            }
        } catch (DependencyException e) {
            log("protection-failed", e.getMessage() == null ? "no answer" : e.getMessage());
        }
        return answered;
    }

    /** Gives it back, once; whether ECS took it. */
    public synchronized boolean drop() {
        if (dropped) {
            return true;
        }
        try {
            host.unprotect();
            dropped = true;
            until = Instant.EPOCH;
        } catch (DependencyException e) {
            log("protection-kept", "asked again with the next heartbeat");
        }
        return dropped;
    }

    private void log(String event, String reason) {
        journal.write(Entry.of(event).with("reason", reason));
    }
}
