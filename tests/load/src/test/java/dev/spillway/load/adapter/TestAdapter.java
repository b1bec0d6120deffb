package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/** A system on loopback that a test plays; what is left to it is how a call goes. */
public abstract class TestAdapter implements Adapter {
    @Override
    public String name() {
        return "test";
    }

    @Override
    public String endpoint() {
        return "the return of a test's operation";
    }

    @Override
    public Set<String> hosts() {
        return Set.of("127.0.0.1");
    }

    @Override
    public void describe(ObjectNode to) {}
}
