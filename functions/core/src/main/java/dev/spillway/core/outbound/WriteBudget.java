package dev.spillway.core.outbound;

/**
 * How many writes one look at a tenant's jobs may spend on those that it does not dial: a slot that is free now does not
 * wait for thousands of them. What is left over is looked at in the next.
 */
final class WriteBudget {
    /** A guess: half a second of writes. */
    static final int USUAL = 100;

    private int left = USUAL;

    /** Whether one more write may be made; counts it. */
    boolean spend() {
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }
}
