package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;

/** Reads the state of the system under test. */
public interface InventorySource {
    /** @throws IOException if it cannot be read: then it is unavailable, and not empty */
    Inventory read() throws IOException, InterruptedException;

    /**
     * How the system is set up: its policies, as it says itself; empty if it does not say.
     *
     * @throws IOException if it cannot be read
     */
    default Optional<ObjectNode> configuration() throws IOException, InterruptedException {
        return Optional.empty();
    }
}
