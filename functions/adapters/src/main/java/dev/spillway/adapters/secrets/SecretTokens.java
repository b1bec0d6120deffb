package dev.spillway.adapters.secrets;

import dev.spillway.adapters.copies.Copies;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/**
 * Auth tokens from the tenants' secrets: JSON {@code {"authToken": "…", "nextAuthToken": "…"}}, the second only while
 * tokens rotate. They are found from a copy up to five minutes old, and from one of any age while Secrets Manager cannot be
 * asked.
 */
public final class SecretTokens implements TwilioTokens {
    private static final Duration COPY_LIFE = Duration.ofMinutes(5);

    /** A stranger's unsigned requests ask for a refresh each: they must not become requests to Secrets Manager. */
    private static final Duration BETWEEN_REFRESHES = Duration.ofSeconds(5);

    private final SecretText secrets;
    private final InstantSource clock;
    private final Copies<String, List<String>> copies;
    private final Map<String, Instant> refreshed = new ConcurrentHashMap<>();

    public SecretTokens(SecretsManagerClient client, InstantSource clock) {
        this.secrets = new SecretText(client);
        this.clock = clock;
        this.copies = new Copies<>(COPY_LIFE, clock, this::read);
    }

    @Override
    public List<String> of(Tenant tenant) {
        return copies.get(tenant.secretName()).orElseThrow();
    }

    private Optional<List<String>> read(String name) {
        Map<String, String> secret = secrets.read(name);
        List<String> tokens = Stream.of("authToken", "nextAuthToken")
                .flatMap(field -> SecretText.field(secret, field).stream())
                .distinct()
                .toList();
        if (SecretText.field(secret, "authToken").isEmpty()) {
            throw SecretText.wrong(name, "it has no authToken");
        }
        return Optional.of(tokens);
    }

    @Override
    public void refresh(Tenant tenant) {
        Instant now = clock.instant();
        Instant mine = refreshed.compute(
                tenant.secretName(),
                (name, last) -> last == null || !now.isBefore(last.plus(BETWEEN_REFRESHES)) ? now : last);
        if (mine.equals(now)) {
            copies.expire(tenant.secretName());
        }
    }
}
