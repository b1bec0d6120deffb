package dev.spillway.adapters.dynamodb;

import dev.spillway.adapters.copies.Copies;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * The tenants' items and their directory. A tenant is found from a copy up to a minute old, and from one of any age while
 * the table cannot be read.
 */
public final class DynamoTenants implements Tenants {
    private static final Duration COPY_LIFE = Duration.ofSeconds(60);

    private final Table table;
    private final Copies<TenantId, Tenant> copies;

    public DynamoTenants(DynamoDbClient client, String table, InstantSource clock) {
        this.table = new Table(client, table);
        this.copies = new Copies<>(COPY_LIFE, clock, this::read);
    }

    @Override
    public Optional<Tenant> find(TenantId id) {
        return copies.get(id);
    }

    private Optional<Tenant> read(TenantId id) {
        return table.get(Key.of(id)).map(item -> item.decode(TenantCodec::decode));
    }

    @Override
    public List<TenantId> all() {
        return table.query(Key.DIRECTORY).stream()
                .map(item -> item.decode(entry -> new TenantId(entry.text(Key.SORT))))
                .toList();
    }

    /** Writes the tenant and then its entry in the directory: for set-up. */
    public void put(Tenant tenant) {
        describe(tenant);
        list(tenant.id());
    }

    /** Writes the tenant; the rounds of the functions pass it by until it is listed. */
    public void describe(Tenant tenant) {
        table.put(Key.of(tenant.id()), TenantCodec.encode(tenant));
        copies.expire(tenant.id());
    }

    /** Writes the tenant's entry in the directory, which makes the functions visit its pool. */
    public void list(TenantId id) {
        table.put(Key.inDirectory(id), TenantCodec.encodeEntry(id));
    }

    /** Takes the tenant out of the directory; it may be out already. */
    public void unlist(TenantId id) {
        table.delete(Key.inDirectory(id), Change.onlyIf("attribute_exists(#pk)"), Table.Own.NOTHING);
    }
}
