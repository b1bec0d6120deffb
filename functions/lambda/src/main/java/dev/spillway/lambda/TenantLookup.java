package dev.spillway.lambda;

import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Finds tenants within a bound, and knows what can be said of one while the directory cannot be read. */
final class TenantLookup {
    /** A third of the time a webhook has: what is left is enough to authenticate and to answer. */
    static final Duration BOUND = Duration.ofSeconds(1);

    private final Tenants tenants;
    private final Duration bound;
    private final String secretPrefix;

    /** @param secretPrefix what the names of the tenants' secrets begin with, such as {@code spillway/tenant/} */
    TenantLookup(Tenants tenants, Duration bound, String secretPrefix) {
        this.tenants = tenants;
        this.bound = bound;
        this.secretPrefix = secretPrefix;
    }

    sealed interface Found {
        record Known(Tenant tenant) implements Found {}

        record Nobody() implements Found {}

        record Unreadable() implements Found {}
    }

    Found find(TenantId id) {
        FutureTask<Optional<Tenant>> read = new FutureTask<>(() -> tenants.find(id));
        Thread.ofVirtual().name("tenant-lookup").start(read);
        try {
            return read.get(bound.toMillis(), TimeUnit.MILLISECONDS)
                    .<Found>map(Found.Known::new)
                    .orElseGet(Found.Nobody::new);
        } catch (TimeoutException e) {
            read.cancel(true);
            return new Found.Unreadable();
        } catch (ExecutionException e) {
            return new Found.Unreadable();
        } catch (InterruptedException e) {
            read.cancel(true);
            Thread.currentThread().interrupt();
            return new Found.Unreadable();
        }
    }

    /**
     * A tenant of whom only the name is known, with the secret name that every tenant of the deployment has by convention.
     * The rest is the webhook's own word, to be believed once its signature is right.
     */
    Tenant byNameOnly(TenantId id, Map<String, String> parameters) {
        String account = parameters.getOrDefault("AccountSid", "");
        return new Tenant(
                id,
                Set.of(parameters.getOrDefault("To", "unknown")),
                account.isBlank() ? "unknown" : account,
                secretPrefix + id,
                new Persona("unknown", "unknown", "unknown", "unknown", "unknown"));
    }
}
