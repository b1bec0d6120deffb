package dev.spillway.adapters.dynamodb;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.JobId;
import dev.spillway.core.order.Order;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Where an item lies. Keys start with the tenant, so that a task role can be limited to them.
 *
 * <table>
 * <caption>Items</caption>
 * <tr><td>pool</td><td>{@code {pool}#pool}</td><td>{@code pool}</td></tr>
 * <tr><td>container</td><td>{@code {pool}#pool}</td><td>{@code container#{container}}</td></tr>
 * <tr><td>tenant</td><td>{@code {tenant}#pool}</td><td>{@code tenant}</td></tr>
 * <tr><td>call</td><td>{@code {tenant}#call#{CallSid}}</td><td>{@code call}</td></tr>
 * <tr><td>conversation</td><td>{@code {tenant}#call#{CallSid}}</td><td>{@code conversation}</td></tr>
 * <tr><td>order</td><td>{@code {pool}#orders}</td><td>{@code {sinceMillis}#{order}}</td></tr>
 * <tr><td>directory</td><td>{@code spillway#tenants}</td><td>{@code {tenant}}</td></tr>
 * </table>
 */
record Key(String partition, String sort) {
    static final String PARTITION = "pk";
    static final String SORT = "sk";
    static final String POOL = "pool";
    static final String CONTAINER = "container#";
    static final String DIRECTORY = "spillway#tenants";

    static Key of(PoolId pool) {
        return new Key(poolPartition(pool), POOL);
    }

    static Key of(PoolId pool, ContainerId container) {
        return new Key(poolPartition(pool), CONTAINER + container);
    }

    static Key of(TenantId tenant) {
        return new Key(poolPartition(PoolId.of(tenant)), "tenant");
    }

    static Key of(TenantId tenant, CallSid call) {
        return new Key(tenant + "#call#" + call, "call");
    }

    /** Beside the call's own record. */
    static Key ofConversation(TenantId tenant, CallSid call) {
        return new Key(of(tenant, call).partition(), "conversation");
    }

    /** Of an item of which at least the key was read. */
    static Key of(Item item) {
        return new Key(item.text(PARTITION), item.text(SORT));
    }

    /** A job that goes on, or ended lately. */
    static Key atHand(JobId job) {
        return new Key(jobsPartition(job.tenant()), job.random());
    }

    /** A job that ended some time ago. */
    static Key putBy(JobId job) {
        return new Key(job.tenant() + "#job#" + job.random(), "job");
    }

    /** @param keyHash of the caller's own key, which may be anything */
    static Key ofSubmission(TenantId tenant, String keyHash) {
        return new Key(tenant + "#submission#" + keyHash, "submission");
    }

    static String jobsPartition(TenantId tenant) {
        return tenant + "#jobs";
    }

    static Key inDirectory(TenantId tenant) {
        return new Key(DIRECTORY, tenant.value());
    }

    /** Sorted by time. */
    static Key of(PoolId pool, Order order) {
        return new Key(ordersPartition(pool), "%015d#%s".formatted(order.since().toEpochMilli(), order.id()));
    }

    static String ordersPartition(PoolId pool) {
        return pool + "#orders";
    }

    static String poolPartition(PoolId pool) {
        return pool + "#pool";
    }

    Map<String, AttributeValue> attributes() {
        return Map.of(PARTITION, Attributes.of(partition), SORT, Attributes.of(sort));
    }

    @Override
    public String toString() {
        return partition + "/" + sort;
    }
}
