package dev.spillway.load.schedule;

import org.jspecify.annotations.Nullable;

/**
 * The state that the system is to be in when the first call arrives. Null: not said, and not set up.
 *
 * @param pool {@code zero} containers, or {@code warm}: at least one that is ready
 * @param functions {@code cold} or {@code warm}
 * @param caches {@code cold} or {@code warm}
 */
public record StartConditions(
        @Nullable String pool,
        @Nullable String functions,
        @Nullable String caches) {
    public static final StartConditions NONE = new StartConditions(null, null, null);
}
