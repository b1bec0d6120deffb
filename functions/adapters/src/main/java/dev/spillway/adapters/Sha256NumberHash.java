package dev.spillway.adapters;

import dev.spillway.core.outbound.NumberHash;
import dev.spillway.core.tenant.TenantId;

/**
 * SHA-256 of {@code {tenant}:{number}}: keeps numbers out of items and logs. There are so few numbers that whoever has the
 * list can find them by trying, so it is no secret-keeping.
 */
public final class Sha256NumberHash implements NumberHash {
    @Override
    public String of(TenantId tenant, String number) {
        return Sha256.hex(tenant + ":" + number);
    }
}
