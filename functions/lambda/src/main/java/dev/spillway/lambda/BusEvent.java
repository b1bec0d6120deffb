package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.event.Announcement;
import dev.spillway.core.event.Announcement.CallOverflowed;
import dev.spillway.core.event.Announcement.ContainerDrained;
import dev.spillway.core.event.Announcement.ContainerReady;
import dev.spillway.core.event.Announcement.JobsWaiting;
import dev.spillway.core.event.Announcement.Placed;
import dev.spillway.core.event.Announcement.SlotFreed;
import dev.spillway.core.event.Announcement.SlotsTaken;
import dev.spillway.core.event.Announcement.StreamSilent;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What an event that invoked a function says. EventBridge wraps schedules, our own events and those of ECS alike. */
sealed interface BusEvent {
    /** A schedule is due: no detail is needed, the table says what is to do. */
    record Due() implements BusEvent {}

    record Announced(Announcement announcement) implements BusEvent {}

    /** A task of that ECS service changed its state. */
    record TaskChanged(String service, String lastStatus) implements BusEvent {}

    /** Not for us, or of a version that this code does not know: ignored, since repeating it would not help. */
    record Unknown(String reason) implements BusEvent {}

    static BusEvent of(ScheduledEvent event) {
        String source = event.getSource() == null ? "" : event.getSource();
        String type = event.getDetailType() == null ? "" : event.getDetailType();
        Map<String, Object> detail = event.getDetail() == null ? Map.of() : event.getDetail();
        return switch (source) {
            case "spillway" ->
                announcement(type, detail)
                        .<BusEvent>map(Announced::new)
                        .orElseGet(() -> new Unknown("not an announcement of version 1"));
            case "aws.events", "aws.scheduler" ->
                type.equals("Scheduled Event") ? new Due() : new Unknown("not a schedule");
            case "aws.ecs" -> task(type, detail);
            default -> new Unknown("from another source");
        };
    }

    private static BusEvent task(String type, Map<String, Object> detail) {
        String group = text(detail, "group");
        return type.equals("ECS Task State Change") && group.startsWith("service:")
                ? new TaskChanged(group.substring("service:".length()), text(detail, "lastStatus"))
                : new Unknown("not about a service's task");
    }

    private static Optional<Announcement> announcement(String type, Map<String, Object> detail) {
        if (!(detail.get("version") instanceof Number version) || version.intValue() != 1) {
            return Optional.empty();
        }
        try {
            Instant at = Instant.parse(text(detail, "at"));
            return switch (type) {
                case "CallOverflowed" ->
                    Optional.of(new CallOverflowed(
                            new TenantId(text(detail, "tenant")),
                            new CallSid(text(detail, "call")),
                            Integer.parseInt(text(detail, "hop")),
                            Placed.valueOf(text(detail, "placed").toUpperCase(Locale.ROOT)),
                            at));
                case "StreamSilent" ->
                    Optional.of(new StreamSilent(
                            new TenantId(text(detail, "tenant")),
                            new CallSid(text(detail, "call")),
                            Integer.parseInt(text(detail, "hop")),
                            container(detail),
                            at));
                case "JobsWaiting" -> Optional.of(new JobsWaiting(new TenantId(text(detail, "tenant")), at));
                case "ContainerReady" -> Optional.of(new ContainerReady(pool(detail), container(detail), at));
                case "SlotFreed" -> Optional.of(new SlotFreed(pool(detail), container(detail), at));
                case "SlotsTaken" -> Optional.of(new SlotsTaken(pool(detail), container(detail), at));
                case "ContainerDrained" -> Optional.of(new ContainerDrained(pool(detail), container(detail), at));
                default -> Optional.empty();
            };
        } catch (IllegalArgumentException | java.time.DateTimeException e) {
            return Optional.empty();
        }
    }

    private static PoolId pool(Map<String, Object> detail) {
        return new PoolId(text(detail, "pool"));
    }

    private static ContainerId container(Map<String, Object> detail) {
        return new ContainerId(text(detail, "container"));
    }

    private static String text(Map<String, Object> detail, String name) {
        Object value = detail.get(name);
        return value == null ? "" : value.toString();
    }
}
