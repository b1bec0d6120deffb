package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What an arrival does once it has started. Called on a virtual thread for each arrival, many at once; may block. It is
 * cooperative: when the thread is interrupted it ends what it began (a call is hung up), within a few seconds.
 */
public interface Adapter extends AutoCloseable {
    /** As the command line names it. */
    String name();

    /** What a response is measured at, in words: two runs are comparable only if these agree. */
    String endpoint();

    /** The hosts that are reached; each has to be allowed. */
    Set<String> hosts();

    /** What it was told, for the record; without secrets. */
    void describe(ObjectNode to);

    /**
     * Runs one operation to its end.
     *
     * @throws NotSentException if no request could be sent
     * @throws UnknownOutcomeException if one was sent and nothing tells what became of it
     * @throws InterruptedException if it was told to stop
     * @throws Exception if anything else went wrong: an adapter-error
     */
    Answer call(Operation operation) throws Exception;

    /** What a class says of the agent, by the names of a schedule, that this adapter brings about; the rest is only declared. */
    default Set<String> takes() {
        return Set.of();
    }

    /** Whether an operation takes as long as the schedule says that its call does; its time-out is longer by that. */
    default boolean lastsAsLongAsItsCall() {
        return true;
    }

    /** The state of the system under test; empty if this adapter has no way to see it. */
    default Optional<InventorySource> inventory() {
        return Optional.empty();
    }

    /** Told of effects that nobody asked for, in words. */
    default void whenUnexpected(Consumer<String> listener) {}

    /** Which hosts may be reached besides {@link #hosts}, whoever names them later on. */
    default void allowHosts(Predicate<String> allowed) {}

    @Override
    default void close() {}
}
