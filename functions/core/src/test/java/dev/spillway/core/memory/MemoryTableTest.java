package dev.spillway.core.memory;

import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.background.Leases;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.contract.AdoptionsContract;
import dev.spillway.core.contract.AttemptsContract;
import dev.spillway.core.contract.CallsContract;
import dev.spillway.core.contract.ContainersContract;
import dev.spillway.core.contract.ConversationsContract;
import dev.spillway.core.contract.JobsContract;
import dev.spillway.core.contract.LeasesContract;
import dev.spillway.core.contract.OffersContract;
import dev.spillway.core.contract.OrderLogContract;
import dev.spillway.core.contract.OutboundLinesContract;
import dev.spillway.core.contract.PoolsContract;
import dev.spillway.core.contract.StoriesContract;
import dev.spillway.core.contract.TenantsContract;
import dev.spillway.core.order.OrderLog;
import dev.spillway.core.outbound.Jobs;
import dev.spillway.core.outbound.OutboundLines;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.Tenants;
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
    class OfOrders extends OrderLogContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected OrderLog orders() {
            return table.orders();
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
    class OfOffers extends OffersContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected Calls calls() {
            return table.calls();
        }
    }

    @Nested
    class OfAdoptions extends AdoptionsContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected Calls calls() {
            return table.calls();
        }
    }

    @Nested
    class OfStories extends StoriesContract {
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
        protected Jobs jobs() {
            return table.jobs();
        }

        @Override
        protected Attempts attempts() {
            return table.listing();
        }
    }

    @Nested
    class OfConversations extends ConversationsContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected Conversations conversations() {
            return table.conversations();
        }
    }

    @Nested
    class OfTenants extends TenantsContract {
        private final MemoryTable table = new MemoryTable();

        @Override
        protected Tenants tenants() {
            return table.tenants();
        }

        @Override
        protected void put(Tenant tenant) {
            table.put(tenant);
        }
    }
}
