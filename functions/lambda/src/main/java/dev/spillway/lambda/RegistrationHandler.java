package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.spillway.adapters.WholeAnswer;
import dev.spillway.core.pool.PoolId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The custom resources of the infrastructure: {@code Custom::SpillwayPool} puts a pool and its tenant into the table before
 * its service is made, {@code Custom::SpillwayListing} has the functions look after it once the service is there. A deleted
 * pool's items stay: its attempts may still be asked for.
 */
public final class RegistrationHandler implements RequestHandler<Map<String, Object>, @Nullable Void> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Registration registration;
    private final Duration patience;

    /** For Lambda. */
    public RegistrationHandler() {
        this(System.getenv());
    }

    public RegistrationHandler(Map<String, String> environment) {
        this(environment, PATIENCE);
    }

    /** @param patience with CloudFormation's address */
    RegistrationHandler(Map<String, String> environment, Duration patience) {
        this.registration = Registration.from(environment);
        this.patience = patience;
    }

    @Override
    public @Nullable Void handleRequest(Map<String, Object> event, @Nullable Context context) {
        if (DailyCall.is(event)) {
            return null;
        }
        String pool = text(properties(event), "Pool");
        try {
            take(event, new PoolId(pool));
        } catch (RuntimeException e) {
            // The exception's own text could show what a secret or a persona holds; the function's log has its class.
            answer(event, pool, "FAILED", "pool " + pool + ": " + reason(e));
            return null;
        }
        answer(event, pool, "SUCCESS", "");
        return null;
    }

    private void take(Map<String, Object> event, PoolId pool) {
        boolean deleting = text(event, "RequestType").equals("Delete");
        switch (text(event, "ResourceType")) {
            case "Custom::SpillwayPool" -> {
                if (!deleting) {
                    registration.describe(pool, PoolDescription.parse(text(properties(event), "Description")));
                }
            }
            case "Custom::SpillwayListing" -> {
                if (deleting) {
                    registration.unlist(pool);
                } else {
                    registration.list(pool);
                }
            }
            default -> throw new IllegalArgumentException("unknown type of resource");
        }
    }

    private static String reason(RuntimeException e) {
        return e instanceof IllegalArgumentException && e.getMessage() != null
                ? e.getMessage()
                : e.getClass().getSimpleName();
    }

    private static Map<?, ?> properties(Map<String, Object> event) {
        return event.get("ResourceProperties") instanceof Map<?, ?> properties ? properties : Map.of();
    }

    private static String text(Map<?, ?> map, String name) {
        Object value = map.get(name);
        return value == null ? "" : value.toString();
    }

    /** CloudFormation waits for this, for an hour if need be: so it is sent whatever happened. */
    private void answer(Map<String, Object> event, String pool, String status, String reason) {
        String body = JsonNodeFactory.instance
                .objectNode()
                .put("Status", status)
                .put("Reason", reason)
                .put("PhysicalResourceId", text(event, "ResourceType") + "/" + pool)
                .put("StackId", text(event, "StackId"))
                .put("RequestId", text(event, "RequestId"))
                .put("LogicalResourceId", text(event, "LogicalResourceId"))
                .toString();
        // The address is signed for a request without a content type.
        HttpRequest request = HttpRequest.newBuilder(URI.create(text(event, "ResponseURL")))
                .timeout(patience)
                .PUT(BodyPublishers.ofString(body))
                .build();
        try (HttpClient client =
                HttpClient.newBuilder().connectTimeout(patience).build()) {
            int answered =
                    WholeAnswer.to(request, client, BodyHandlers.discarding()).statusCode();
            if (answered / 100 != 2) {
                throw new IllegalStateException("CloudFormation's address answered " + answered);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("CloudFormation cannot be told of pool " + pool, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
