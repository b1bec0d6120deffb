package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What the system under test holds at one time. Null is unobserved, and never 0.
 *
 * @param containers that can take calls
 * @param starting on their way
 * @param claims slots taken, in whatever phase
 * @param cleanup slots whose call has ended and which are not free yet
 * @param slots that live containers have, taken or not
 * @param held calls that wait for their own container
 * @param oldestHeldSeconds how long the first of them has waited: the queue's age; null if none waits
 * @param waiting calls out that this generator asked for and that nobody has dialled or given up
 * @param oldestWaitingSeconds how long the first of those has waited; null if none waits
 * @param minimum containers that are to remain without calls
 * @param receiver whose counter {@code decisions} is; a change of it begins a new count
 * @param decisions changes of the wanted count so far
 * @param emptyPools of the pools that are looked at, those without a container
 */
public record Inventory(
        @Nullable Integer containers,
        @Nullable Integer starting,
        @Nullable Integer claims,
        @Nullable Integer cleanup,
        @Nullable Integer slots,
        @Nullable Integer held,
        @Nullable Double oldestHeldSeconds,
        @Nullable Integer waiting,
        @Nullable Double oldestWaitingSeconds,
        @Nullable Integer minimum,
        @Nullable String receiver,
        @Nullable Long decisions,
        @Nullable Integer emptyPools) {

    /** Whether each pool has a container that can take calls. */
    public boolean isWarm() {
        return containers != null && containers > 0 && none(emptyPools);
    }

    /** Whether nothing of the calls is left: no claim, nothing held, nothing to clean up or on its way, at the minimum. */
    public boolean atBaseline() {
        return none(claims)
                && none(held)
                && none(waiting)
                && none(cleanup)
                && none(starting)
                && (containers == null || minimum == null || containers <= minimum);
    }

    /** Whether no call is left: unlike the {@link #atBaseline}, more containers than the minimum may be there. */
    public boolean isIdle() {
        return none(claims) && none(held) && none(waiting) && none(cleanup);
    }

    private static boolean none(@Nullable Integer count) {
        return count == null || count == 0;
    }

    /** What is left, in words. */
    public String leftOver() {
        return "containers " + said(containers) + ", starting " + said(starting) + ", claims " + said(claims)
                + ", cleanup " + said(cleanup) + ", held " + said(held) + ", calls out waiting " + said(waiting);
    }

    private static String said(@Nullable Integer count) {
        return count == null ? "unavailable" : count.toString();
    }

    public void write(ObjectNode to) {
        to.put("containers", containers)
                .put("starting", starting)
                .put("claims", claims)
                .put("cleanup", cleanup)
                .put("slots", slots)
                .put("held", held)
                .put("oldestHeldSeconds", oldestHeldSeconds)
                .put("waiting", waiting)
                .put("oldestWaitingSeconds", oldestWaitingSeconds)
                .put("minimum", minimum)
                .put("receiver", receiver)
                .put("decisions", decisions)
                .put("emptyPools", emptyPools);
    }

    public static Inventory read(JsonNode node) {
        JsonNode receiver = node.path("receiver");
        JsonNode decisions = node.path("decisions");
        return new Inventory(
                count(node, "containers"),
                count(node, "starting"),
                count(node, "claims"),
                count(node, "cleanup"),
                count(node, "slots"),
                count(node, "held"),
                seconds(node, "oldestHeldSeconds"),
                count(node, "waiting"),
                seconds(node, "oldestWaitingSeconds"),
                count(node, "minimum"),
                receiver.isTextual() ? receiver.textValue() : null,
                decisions.isNumber() ? Long.valueOf(decisions.longValue()) : null,
                count(node, "emptyPools"));
    }

    /** How long the first of all that wait has waited; 0 if it was seen that nobody waits, null if that was not seen. */
    public @Nullable Double queueAge() {
        if (held == null && waiting == null) {
            return null;
        }
        return Math.max(
                oldestHeldSeconds == null ? 0 : oldestHeldSeconds,
                oldestWaitingSeconds == null ? 0 : oldestWaitingSeconds);
    }

    private static @Nullable Double seconds(JsonNode node, String key) {
        JsonNode value = node.path(key);
        return value.isNumber() ? Double.valueOf(value.doubleValue()) : null;
    }

    private static @Nullable Integer count(JsonNode node, String key) {
        JsonNode value = node.path(key);
        return value.isNumber() ? Integer.valueOf(value.intValue()) : null;
    }
}
