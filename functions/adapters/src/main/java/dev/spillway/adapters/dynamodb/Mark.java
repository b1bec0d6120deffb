package dev.spillway.adapters.dynamodb;

import java.util.UUID;

/**
 * The mark of one write, for writes that leave nothing else that is surely their own: made before the write and stored by
 * it, so that a writer that lost the reply recognises it.
 */
record Mark(String text) {
    static Mark fresh() {
        return new Mark(UUID.randomUUID().toString());
    }

    /** Whether the write with this mark took effect; asked only when its reply was lost. */
    Table.Own in(String attribute) {
        return (found, replyLost) -> replyLost
                && found.flatMap(item -> item.optionalText(attribute))
                        .filter(text::equals)
                        .isPresent();
    }
}
