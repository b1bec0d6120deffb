package dev.spillway.adapters.dynamodb;

import java.util.Optional;

/** What came of a conditional write. */
sealed interface Written {
    /** It took effect, by this request or by an earlier try of it whose reply was lost. */
    record Applied(Item item) implements Written {}

    /** The condition did not hold. */
    record Refused(Optional<Item> found) implements Written {}

    default boolean isApplied() {
        return this instanceof Applied;
    }
}
