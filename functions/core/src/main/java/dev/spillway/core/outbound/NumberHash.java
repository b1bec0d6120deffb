package dev.spillway.core.outbound;

import dev.spillway.core.tenant.TenantId;

/** Makes a number unreadable in the same way each time, so that a list of numbers can be kept without keeping numbers. */
@FunctionalInterface
public interface NumberHash {
    String of(TenantId tenant, String number);
}
