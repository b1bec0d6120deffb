package dev.spillway.adapters.dynamodb;

import dev.spillway.core.background.Lease;
import dev.spillway.core.pool.PoolId;

/**
 * Keeps the writes of one shift of background work from taking effect once a later one came. The pool's item has the
 * lease itself:
 *
 * <pre>{@code
 * … IF … AND backgroundGeneration = :fence
 * }</pre>
 *
 * and its containers' items the generation of the last shift that wrote to them:
 *
 * <pre>{@code
 * SET fence = :fence, …  IF … AND (attribute_not_exists(fence) OR fence <= :fence)
 * }</pre>
 */
record Fence(PoolId pool, Lease lease) {
    private static final String VALUE = ":fence";
    private static final String NOT_LATER = "attribute_not_exists(#fence) OR #fence <= :fence";

    Change onPool(PoolId written, Change change) {
        return checked(written, change)
                .also("", "#backgroundGeneration = :fence")
                .value(VALUE, lease.generation());
    }

    Change onContainer(PoolId written, Change change) {
        return checked(written, change).also("#fence = :fence", NOT_LATER).value(VALUE, lease.generation());
    }

    Change onDeletion(PoolId written, Change change) {
        return checked(written, change).also("", NOT_LATER).value(VALUE, lease.generation());
    }

    private Change checked(PoolId written, Change change) {
        if (!written.equals(pool)) {
            throw new IllegalArgumentException("the shift is pool " + pool + "'s and cannot write to " + written);
        }
        return change;
    }
}
