package dev.spillway.adapters.eventbridge;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import java.util.Locale;

/** Announcements as events on the bus. */
final class AnnouncementCodec {
    static final String SOURCE = "spillway";

    private static final int VERSION = 1;

    private AnnouncementCodec() {}

    static String detail(Announcement announcement) {
        ObjectNode detail = JsonNodeFactory.instance.objectNode().put("version", VERSION);
        switch (announcement) {
            case Announcement.CallOverflowed overflowed ->
                detail.put("tenant", overflowed.tenant().value())
                        .put("call", overflowed.call().value())
                        .put("hop", overflowed.hop())
                        .put("placed", overflowed.placed().name().toLowerCase(Locale.ROOT));
            case Announcement.StreamSilent silent ->
                detail.put("tenant", silent.tenant().value())
                        .put("call", silent.call().value())
                        .put("hop", silent.hop())
                        .put("container", silent.container().value());
            case Announcement.JobsWaiting waiting ->
                detail.put("tenant", waiting.tenant().value());
            case Announcement.ContainerReady ready -> about(detail, ready.pool(), ready.container());
            case Announcement.SlotFreed freed -> about(detail, freed.pool(), freed.container());
            case Announcement.SlotsTaken taken -> about(detail, taken.pool(), taken.container());
            case Announcement.ContainerDrained drained -> about(detail, drained.pool(), drained.container());
        }
        return detail.put("at", announcement.at().toString()).toString();
    }

    private static void about(ObjectNode detail, PoolId pool, ContainerId container) {
        detail.put("pool", pool.value()).put("container", container.value());
    }
}
