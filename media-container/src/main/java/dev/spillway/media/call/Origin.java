package dev.spillway.media.call;

import dev.spillway.core.call.Generation;
import dev.spillway.core.pool.ContainerId;

/** Whose claim a stream was opened for. */
public sealed interface Origin {
    /** This container's own. */
    record Held() implements Origin {}

    /** Another container's of this pool: the call is taken over with a claim here. */
    record Adopted(ContainerId from, Generation addressed) implements Origin {}

    /** Nobody's: the table could not be asked when the call was answered. */
    record Unclaimed() implements Origin {}
}
