package dev.spillway.core.scaling;

import dev.spillway.core.pool.PoolView;
import java.time.Instant;

/** Work that waits for slots without being on the phone. */
@FunctionalInterface
public interface Backlog {
    /** None, ever. */
    Backlog NONE = (view, now) -> Work.NONE;

    /** What waits for this pool, within the outbound limit. */
    Work of(PoolView view, Instant now);

    /**
     * Calls that wait to be made.
     *
     * @param due those that could be made now if there were slots
     * @param firstWave those that can be made soon, and for which slots have to be there by then
     * @param near those that can be made within the keep-warm time: what they need is not retired
     */
    record Work(int due, int firstWave, int near) {
        public static final Work NONE = new Work(0, 0, 0);

        public Work {
            if (due < 0 || firstWave < 0 || near < 0) {
                throw new IllegalArgumentException(
                        "calls are counted from 0, not " + due + ", " + firstWave + ", " + near);
            }
        }

        public static Work due(int due) {
            return new Work(due, 0, 0);
        }
    }
}
