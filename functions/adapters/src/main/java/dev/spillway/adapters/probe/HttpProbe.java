package dev.spillway.adapters.probe;

import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Probe;

/** Asks {@code GET /live/{container}} through the pool's load balancer. */
public final class HttpProbe implements Probe {
    public HttpProbe() {}

    @Override
    public boolean answers(Pool pool, ContainerId id) {
        throw new UnsupportedOperationException();
    }
}
