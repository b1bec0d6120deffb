package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.TenantId;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /pools/{tenant}}: what a pool has, wants and last decided, as {@link PoolStatus} in JSON. To operators the
 * gateway is a pool like others, by its own name.
 */
public final class PoolStatusHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final PoolStatusReading reading;
    private final Invocations invocations;
    private final Gate gate;
    private final InstantSource clock;
    private final ObjectWriter statusWriter;

    /** For Lambda. */
    public PoolStatusHandler() {
        this(Functions.from(System.getenv()));
    }

    public PoolStatusHandler(Functions functions) {
        this.reading = functions.poolStatus();
        this.invocations = functions.invocations();
        this.gate = functions.gate();
        this.clock = functions.clock();
        // Primed before a checkpoint: the writer finds out here how to write these records.
        this.statusWriter = new ObjectMapper().writerFor(PoolStatus.class);
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> gate.answer(event, who -> answer(Asked.of(event), who)));
    }

    private APIGatewayV2HTTPResponse answer(Asked asked, Principal who) {
        String name = asked.part(1);
        if (name.equals(PoolId.GATEWAY.value())) {
            return gate.ofOperators(who, () -> status(PoolId.GATEWAY));
        }
        return TenantId.parse(name)
                .map(id -> gate.within(who, id, tenant -> status(PoolId.of(id))))
                .orElseGet(ProblemDetails.UNKNOWN_POOL::response);
    }

    private APIGatewayV2HTTPResponse status(PoolId pool) {
        return reading.read(pool, clock.instant())
                .map(status -> Replies.json(200, written(status)))
                .orElseGet(ProblemDetails.UNKNOWN_POOL::response);
    }

    private String written(PoolStatus status) {
        try {
            return statusWriter.writeValueAsString(status);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the status cannot be written as JSON", e);
        }
    }
}
