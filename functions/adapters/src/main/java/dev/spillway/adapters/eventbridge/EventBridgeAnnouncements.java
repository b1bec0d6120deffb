package dev.spillway.adapters.eventbridge;

import dev.spillway.adapters.aws.Failure;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.eventbridge.EventBridgeClient;
import software.amazon.awssdk.services.eventbridge.model.PutEventsRequest;
import software.amazon.awssdk.services.eventbridge.model.PutEventsRequestEntry;
import software.amazon.awssdk.services.eventbridge.model.PutEventsResponse;

/**
 * Announcements on one bus. A caller may be waiting, so that each gets half a second in all; what is lost is noted in the
 * journal, once in ten seconds at most, and found out by the schedules.
 */
public final class EventBridgeAnnouncements implements Announcements {
    private static final AwsRequestOverrideConfiguration IN_A_HURRY = AwsRequestOverrideConfiguration.builder()
            .apiCallTimeout(Duration.ofMillis(500))
            .apiCallAttemptTimeout(Duration.ofMillis(400))
            .build();

    private static final Duration BETWEEN_NOTES = Duration.ofSeconds(10);

    private final EventBridgeClient client;
    private final String bus;
    private final Journal journal;
    private final AtomicLong nextNoteNanos = new AtomicLong(System.nanoTime());
    private final AtomicLong lost = new AtomicLong();

    public EventBridgeAnnouncements(EventBridgeClient client, String bus, Journal journal) {
        this.client = client;
        this.bus = bus;
        this.journal = journal;
    }

    @Override
    public boolean publish(Announcement announcement) {
        PutEventsRequest request = PutEventsRequest.builder()
                .overrideConfiguration(IN_A_HURRY)
                .entries(PutEventsRequestEntry.builder()
                        .eventBusName(bus)
                        .source(AnnouncementCodec.SOURCE)
                        .detailType(announcement.detailType())
                        .detail(AnnouncementCodec.detail(announcement))
                        .build())
                .build();
        try {
            PutEventsResponse response = client.putEvents(request);
            if (response.failedEntryCount() == null || response.failedEntryCount() == 0) {
                return true;
            }
            note(
                    announcement,
                    response.entries().isEmpty()
                            ? "refused"
                            : String.valueOf(response.entries().getFirst().errorCode()));
        } catch (SdkException e) {
            Failure failure = Failure.of(e);
            note(announcement, failure.kind() + " " + failure.code());
        } catch (IllegalStateException | RejectedExecutionException e) {
            // The client is closed, its timers or its connection pool are shut down: the process is on its way out.
            note(announcement, "the client is closed");
        }
        return false;
    }

    private void note(Announcement announcement, String reason) {
        long count = lost.incrementAndGet();
        long due = nextNoteNanos.get();
        long now = System.nanoTime();
        if (now - due >= 0 && nextNoteNanos.compareAndSet(due, now + BETWEEN_NOTES.toNanos())) {
            journal.write(Entry.of("announcement-lost")
                    .with("announcement", announcement.detailType())
                    .with("lostSoFar", count)
                    .with("reason", reason));
        }
    }
}
