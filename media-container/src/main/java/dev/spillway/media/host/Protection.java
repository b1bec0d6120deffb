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
    /**
     * After a refusal. A deployment takes minutes, up to the longest call, and refuses each time: asked at every beat, that would
     * be all the log shows. Whoever is unprotected for half a minute longer loses little: ECS stops tasks when a deployment
     * begins or a count is lowered, not at its end. A guess.
     */
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(30);

    private final Host host;
    private final Journal journal;
    /** Held while ECS is asked, which may take seconds; the heartbeat, which only reads {@link #until()}, never waits for it. */
    private final Object asking = new Object();

    private volatile Instant until = Instant.EPOCH;
    private Instant askedAt = Instant.EPOCH;
    private Instant refusedUntil = Instant.EPOCH;
    private boolean answered;
    private boolean dropped;

    public Protection(Host host, Journal journal) {
        this.host = host;
        this.journal = journal;
    }

    /** Until when ECS has confirmed it; the epoch while it has not. */
    public Instant until() {
        return until;
    }

    /**
     * Asks for it if it is due: a third of its time is over, or it was not granted.
     *
     * @return whether ECS has answered at all: granted, or refused because of a deployment
     */
    public boolean renewIfDue(Instant now) {
        synchronized (asking) {
            boolean fresh = until.isAfter(now) && now.isBefore(askedAt.plus(RENEWAL));
            if (!dropped && !fresh && !now.isBefore(refusedUntil)) {
                renew(now);
            }
            return answered;
        }
    }

    private void renew(Instant now) {
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
                    if (answered) {
                        refusedUntil = now.plus(AFTER_REFUSAL); // a start that waits for an answer asks at its own pace
                    }
                }
            }
        } catch (DependencyException e) {
            log("protection-failed", e.getMessage() == null ? "no answer" : e.getMessage());
        }
    }

    /** Gives it back, once; whether ECS took it. May block for as long as ECS is being asked already, and for the answer. */
    public boolean drop() {
        synchronized (asking) {
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
    }

    private void log(String event, String reason) {
        journal.write(Entry.of(event).with("reason", reason));
    }
}
