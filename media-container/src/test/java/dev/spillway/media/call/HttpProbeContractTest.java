package dev.spillway.media.call;

import static dev.spillway.core.memory.Sample.ACME_POOL;

import dev.spillway.adapters.probe.HttpProbe;
import dev.spillway.core.contract.ProbeContract;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Probe;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** The probe that the functions use, before two containers, of which the first gets whatever the load balancer sends. */
class HttpProbeContractTest extends ProbeContract {
    private final MemoryTable table = Rig.table();
    private final HandClock clock = new HandClock(Sample.NOW);
    private final Rig first = Rig.of(table, clock, ACME_POOL, "c1").start();
    private final Rig second = Rig.of(table, clock, ACME_POOL, "c2").start();
    private final HttpProbe probe = new HttpProbe();
    private final List<ServerSocket> deaf = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        probe.close();
        first.close();
        second.close();
        for (ServerSocket socket : deaf) {
            socket.close();
        }
    }

    @Override
    protected Probe probe() {
        return probe;
    }

    @Override
    protected Pool pool() {
        Pool acme = Sample.acme();
        return Pool.fresh(acme.id(), acme.policy(), acme.service(), "ws://" + first.address(), Sample.NOW);
    }

    @Override
    protected ContainerId first() {
        return first.id();
    }

    @Override
    protected ContainerId second() {
        return second.id();
    }

    @Override
    protected void end(ContainerId id) {
        second.close();
    }

    /** Its port takes connections, as the kernel does for a process that stands still. */
    @Override
    protected void freeze(ContainerId id) {
        try {
            ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
            deaf.add(socket);
            Container item = second.item();
            table.put(new Container(
                    item.pool(),
                    item.id(),
                    item.bootId(),
                    item.state(),
                    item.stateReason(),
                    item.stateSince(),
                    "127.0.0.1:" + socket.getLocalPort(),
                    item.revision(),
                    item.limit(),
                    item.claims(),
                    item.report(),
                    item.aliveUntil(),
                    item.protectedUntil(),
                    item.startedAt(),
                    item.closedUntil(),
                    item.mayExit()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
