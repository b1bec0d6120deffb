package dev.spillway.adapters.aws;

import dev.spillway.adapters.settings.Settings;
import java.net.URI;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where AWS is: {@code AWS_REGION}, and optionally {@code AWS_ENDPOINT_URL_DYNAMODB|ECS|EVENTBRIDGE|SECRETS_MANAGER}. With
 * an endpoint, the credentials are {@code AWS_ACCESS_KEY_ID} and {@code AWS_SECRET_ACCESS_KEY}, otherwise the default
 * provider's.
 */
public final class AwsSettings {
    private final String region;
    private final Map<Dependency, URI> endpoints;
    private final @Nullable Keys keys;

    /** Credentials for the endpoints. */
    record Keys(String id, String secret) {
        @Override
        public String toString() {
            return "Keys[" + id + "]";
        }
    }

    private AwsSettings(String region, Map<Dependency, URI> endpoints, @Nullable Keys keys) {
        this.region = region;
        this.endpoints = endpoints;
        this.keys = keys;
    }

    /** For use inside {@link Settings#read}, so that problems here are listed with all others. */
    public static AwsSettings from(Settings settings) {
        Map<Dependency, URI> endpoints = new EnumMap<>(Dependency.class);
        for (Dependency dependency : Dependency.values()) {
            settings.optionalUrl(dependency.endpointSetting(), "http", "https")
                    .filter(url -> !url.isEmpty())
                    .ifPresent(url -> endpoints.put(dependency, URI.create(url)));
        }
        Keys keys = endpoints.isEmpty()
                ? null
                : new Keys(text(settings, "AWS_ACCESS_KEY_ID"), text(settings, "AWS_SECRET_ACCESS_KEY"));
        return new AwsSettings(text(settings, "AWS_REGION"), endpoints, keys);
    }

    /** The SDK refuses blanks at once, so the stand-in for a missing text is none. */
    private static String text(Settings settings, String name) {
        return settings.required(name, "missing", Function.identity(), "want a text");
    }

    String region() {
        return region;
    }

    Optional<URI> endpoint(Dependency dependency) {
        return Optional.ofNullable(endpoints.get(dependency));
    }

    /** Null when no endpoint is set. */
    @Nullable
    Keys keys() {
        return keys;
    }
}
