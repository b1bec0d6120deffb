package dev.spillway.load.adapter;

import java.io.IOException;

/** Reads the state of the system under test. */
public interface InventorySource {
    /** @throws IOException if it cannot be read: then it is unavailable, and not empty */
    Inventory read() throws IOException, InterruptedException;
}
