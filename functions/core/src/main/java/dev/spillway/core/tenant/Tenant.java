package dev.spillway.core.tenant;

import java.util.Objects;
import java.util.Set;

/**
 * A customer: whose numbers they are, who talks, and where the Twilio credentials lie (never the credentials).
 *
 * @param numbers the tenant's phone numbers in E.164
 * @param accountSid the tenant's Twilio account
 * @param secretName the secret that holds the auth token and, while rotating, the next one
 * @param callers who may ask the HTTP API about this tenant and act for it, besides operators
 */
public record Tenant(
        TenantId id,
        Set<String> numbers,
        String accountSid,
        String secretName,
        Persona persona,
        Set<Principal> callers) {
    public Tenant {
        Objects.requireNonNull(id);
        numbers = Set.copyOf(numbers);
        if (numbers.isEmpty()) {
            throw new IllegalArgumentException("tenant " + id + " has no phone number");
        }
        if (accountSid.isBlank() || secretName.isBlank()) {
            throw new IllegalArgumentException("tenant " + id + " needs accountSid and secretName");
        }
        Objects.requireNonNull(persona);
        callers = Set.copyOf(callers);
    }

    /** A tenant for whom only operators may ask. */
    public Tenant(TenantId id, Set<String> numbers, String accountSid, String secretName, Persona persona) {
        this(id, numbers, accountSid, secretName, persona, Set.of());
    }

    /** Phone numbers stay out of logs, so they stay out of this text too. */
    @Override
    public String toString() {
        return "Tenant[" + id + "]";
    }
}
