package dev.spillway.core.event;

/**
 * Sends announcements. Best effort with a short time-out: it never throws and never holds up an answer; the schedules
 * find out by themselves what an announcement that got lost would have told.
 */
@FunctionalInterface
public interface Announcements {
    /** Whether the bus took it. */
    boolean publish(Announcement announcement);
}
