package dev.spillway.core.outbound;

import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A call that somebody asks for, as it was sent: null is what was not said.
 *
 * @param maximumWait see {@link Job}
 */
public record JobWish(
        @Nullable TenantId tenant,
        @Nullable String to,
        @Nullable String from,
        @Nullable String agent,
        @Nullable String batch,
        @Nullable Integer weight,
        @Nullable Instant notBefore,
        @Nullable Instant deadline,
        @Nullable Duration maximumWait) {

    /** Without numbers. */
    @Override
    public String toString() {
        return "JobWish[" + tenant + "]";
    }
}
