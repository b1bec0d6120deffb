package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.tenant.TenantId;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /pools/{tenant}}: what a pool has, wants and last decided, as {@link PoolStatus} in JSON. API Gateway has
 * checked by IAM that the caller may see it.
 */
public final class PoolStatusHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final PoolStatusReading reading;
    private final Invocations invocations;
    private final Journal journal;
    private final InstantSource clock;
    private final ObjectWriter statusWriter;

    /** For Lambda. */
    public PoolStatusHandler() {
        this(Functions.from(System.getenv()));
    }

    public PoolStatusHandler(Functions functions) {
        this.reading = functions.poolStatus();
        this.invocations = functions.invocations();
        this.journal = functions.journal();
        this.clock = functions.clock();
        // Primed before a checkpoint: the writer finds out here how to write these records.
        this.statusWriter = new ObjectMapper().writerFor(PoolStatus.class);
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> {
            String path = event.getRawPath() == null ? "" : event.getRawPath();
            Optional<TenantId> tenant =
                    path.startsWith("/pools/") ? TenantId.parse(path.substring("/pools/".length())) : Optional.empty();
            try {
                return tenant.flatMap(id -> reading.read(id, clock.instant()))
                        .map(status -> Replies.json(200, written(status)))
                        .orElseGet(() -> Replies.json(404, "{\"error\":\"no such pool\"}"));
            } catch (DependencyException e) {
                journal.write(Entry.of("pool-status-unreadable").with("reason", e));
                return Replies.json(503, "{\"error\":\"the table cannot be read\"}");
            }
        });
    }

    private String written(PoolStatus status) {
        try {
            return statusWriter.writeValueAsString(status);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the status cannot be written as JSON", e);
        }
    }
}
