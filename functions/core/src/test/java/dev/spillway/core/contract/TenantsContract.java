package dev.spillway.core.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.memory.Sample;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import org.junit.jupiter.api.Test;

/** What the flows expect of the directory of tenants. */
public abstract class TenantsContract {
    private static final TenantId ONE = new TenantId("tenants-1");
    private static final TenantId OTHER = new TenantId("tenants-2");

    /** Nothing was read through it before. */
    protected abstract Tenants tenants();

    /** Writes the tenant, and lists it. */
    protected abstract void put(Tenant tenant);

    @Test
    void a_tenant_is_found_as_it_was_put() {
        put(Sample.tenant(ONE));

        assertThat(tenants().find(ONE)).contains(Sample.tenant(ONE));
    }

    @Test
    void a_tenant_that_nobody_put_is_surely_none() {
        assertThat(tenants().find(new TenantId("tenants-3"))).isEmpty();
    }

    @Test
    void every_tenant_is_listed_once_however_often_it_was_put_and_in_the_order_of_the_names() {
        put(Sample.tenant(OTHER));
        put(Sample.tenant(ONE));
        put(Sample.tenant(OTHER));

        assertThat(tenants().all()).containsSubsequence(ONE, OTHER).doesNotHaveDuplicates();
    }
}
