package dev.spillway.core.memory;

import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.background.Leases;
import dev.spillway.core.call.Calls;
import dev.spillway.core.contract.AttemptsContract;
import dev.spillway.core.contract.CallsContract;
import dev.spillway.core.contract.ContainersContract;
import dev.spillway.core.contract.JobsContract;
import dev.spillway.core.contract.LeasesContract;
import dev.spillway.core.contract.OutboundLinesContract;
import dev.spillway.core.contract.PoolsContract;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.outbound.OutboundLines;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Pools;
import org.junit.jupiter.api.Nested;

class MemoryTableTest {
    @Nested
    class OfPools extends PoolsContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected Pools pools() {
            return table.pools();
        }

        @Override
        protected Containers containers() {
            return table.containers();
        }

        @Override
        protected void put(Pool pool) {
            table.put(pool);
        }
    }

    @Nested
    class OfLeases extends LeasesContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected Leases leases() {
            return table.leases();
        }

        @Override
        protected Pools pools() {
            return table.pools();
        }

        @Override
        protected Containers containers() {
            return table.containers();
        }

        @Override
        protected void put(Pool pool) {
            table.put(pool);
        }
    }

    @Nested
    class OfJobs extends JobsContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected Jobs jobs() {
            return table.jobs();
        }
    }

    @Nested
    class OfOutboundLines extends OutboundLinesContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected OutboundLines lines() {
            return table.lines();
        }

        @Override
        protected Pools pools() {
            return table.pools();
        }

        @Override
        protected void put(Pool pool) {
            table.put(pool);
        }
    }

    @Nested
    class OfContainers extends ContainersContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected Containers containers() {
            return table.containers();
        }
    }

    @Nested
    class OfCalls extends CallsContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected Calls calls() {
            return table.calls();
        }
    }

    @Nested
    class OfAttempts extends AttemptsContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected Calls calls() {
            return table.calls();
        }

        @Override
        protected Attempts attempts() {
            return table.listing();
        }
    }
}
