package dev.spillway.core.pool;

/**
 * {@code STARTING → READY ⇄ DRAINING → DRAINED → STOPPING → gone}, and {@code LOST}. DRAINED, STOPPING and LOST never
 * become READY again.
 */
public enum ContainerState {
    STARTING,
    READY,
    DRAINING,
    DRAINED,
    STOPPING,
    LOST;

    /** Whether the table may go from this state to the other. */
    public boolean mayBecome(ContainerState next) {
        return switch (this) {
            case STARTING -> next == READY || next == STOPPING || next == LOST;
            case READY -> next == DRAINING || next == LOST;
            case DRAINING -> next == READY || next == DRAINED || next == LOST;
            case DRAINED -> next == STOPPING || next == LOST;
            case STOPPING -> next == LOST;
            case LOST -> false;
        };
    }
}
