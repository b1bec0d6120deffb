package dev.spillway.adapters.eventbridge;

import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import software.amazon.awssdk.services.eventbridge.EventBridgeClient;

/** Announcements on one bus. */
public final class EventBridgeAnnouncements implements Announcements {
    public EventBridgeAnnouncements(EventBridgeClient client, String bus, Journal journal) {}

    @Override
    public boolean publish(Announcement announcement) {
        throw new UnsupportedOperationException();
    }
}
