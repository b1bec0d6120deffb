package dev.spillway.adapters;

import dev.spillway.core.call.JobId;
import dev.spillway.core.tenant.TenantId;

/** Ids of new jobs that cannot be guessed. */
public final class RandomJobIds {
    private final RandomText random = new RandomText();

    public JobId next(TenantId tenant) {
        return new JobId(tenant, random.next(20));
    }
}
