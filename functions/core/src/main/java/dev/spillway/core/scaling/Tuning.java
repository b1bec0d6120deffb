package dev.spillway.core.scaling;

import java.time.Duration;
import java.util.Objects;

/**
 * The figures of the rules {@code ahead} and {@code consolidate}.
 *
 * <p>For example, with limit 6 and the standard figures: 16 calls on three containers want 3 free slots; as soon as one of the
 * three is full, {@code ahead} asks for a fourth. With 12 calls on four containers, 12 calls and 3 free slots would fit into
 * three, and {@code consolidate} drains one.
 *
 * @param perRoot free slots to keep once a container is full, in square roots of the calls in the pool: what comes by chance
 *     within a cold start grows like that, so that a small pool keeps few and a large one not too many
 * @param perCall and further ones for each call: a rush brings more calls in proportion to those that are there
 * @param slack further slots that have to be free before a container is too much, so that one that was just asked for is not
 *     drained at the next call's end
 * @param surplus for how long a container has to be too much before one is drained
 */
public record Tuning(double perRoot, double perCall, double slack, Duration surplus) {

    /** Found by the policy laboratory; decision 0035 has the numbers. */
    public static final Tuning STANDARD = new Tuning(0.5, 0.05, 1, Duration.ofSeconds(45));

    public Tuning {
        if (!(perRoot >= 0 && perRoot <= 100) || !(perCall >= 0 && perCall <= 100) || !(slack >= 0 && slack <= 1000)) {
            throw new IllegalArgumentException(
                    "want figures from 0 to 100, and a slack to 1000, not " + perRoot + ", " + perCall + ", " + slack);
        }
        Objects.requireNonNull(surplus);
    }

    /** Slots to keep free beside that many calls. */
    int spare(int calls) {
        return (int) Math.round(exact(calls));
    }

    /** As {@link #spare}, and what has to be free beyond that before a container is too much. */
    int spareBeforeDraining(int calls) {
        return calls == 0 ? 0 : (int) Math.round(exact(calls) + slack);
    }

    private double exact(int calls) {
        return perRoot * Math.sqrt(calls) + perCall * calls;
    }
}
