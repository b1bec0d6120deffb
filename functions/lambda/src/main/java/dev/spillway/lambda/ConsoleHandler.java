package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.spillway.core.console.Console;
import dev.spillway.core.console.ConsoleReading;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.Tenants;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /console}: the page; {@code GET /console/state?tenant=}: what it shows of a tenant, as {@link ConsoleState}; and
 * {@code GET /console/tenants}: which tenants an operator may choose from. To all others that list is empty: they know their
 * tenant, and looking for it would mean reading every one.
 */
public final class ConsoleHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final ConsoleReading reading;
    private final PoolStatusReading status;
    private final Tenants tenants;
    private final Gate gate;
    private final Invocations invocations;
    private final InstantSource clock;
    private final ConsolePage page = new ConsolePage();
    private final ObjectWriter stateWriter;
    private final ObjectWriter tenantsWriter;

    /** For Lambda. */
    public ConsoleHandler() {
        this(Functions.from(System.getenv()));
    }

    public ConsoleHandler(Functions functions) {
        this.reading = functions.console();
        this.status = functions.poolStatusFromTable();
        this.tenants = functions.tenants();
        this.gate = functions.gate();
        this.invocations = functions.invocations();
        this.clock = functions.clock();
        ObjectMapper json = new ObjectMapper();
        // Primed before a checkpoint: the writers find out here how to write these records.
        this.stateWriter = json.writerFor(ConsoleState.class);
        this.tenantsWriter = json.writerFor(ConsoleState.TenantList.class);
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> gate.answer(event, who -> answer(Asked.of(event), who)));
    }

    private APIGatewayV2HTTPResponse answer(Asked asked, Principal who) {
        return switch (String.join("/", asked.path())) {
            case "console" -> page.response();
            case "console/state" -> state(asked, who);
            case "console/tenants" -> Replies.json(200, written(tenantsWriter, tenants(who)));
            default -> ProblemDetails.UNKNOWN_ROUTE.response();
        };
    }

    private ConsoleState.TenantList tenants(Principal who) {
        return new ConsoleState.TenantList(
                gate.isOperator(who)
                        ? tenants.all().stream().map(TenantId::value).sorted().toList()
                        : List.of());
    }

    private APIGatewayV2HTTPResponse state(Asked asked, Principal who) {
        return TenantId.parse(asked.query().getOrDefault("tenant", ""))
                .map(id -> gate.within(who, id, tenant -> state(id, who)))
                .orElseGet(() -> ProblemDetails.fields(
                                400, "invalid-query", List.of(new ProblemDetails.Field("tenant", "want a tenant's id")))
                        .response());
    }

    private APIGatewayV2HTTPResponse state(TenantId id, Principal who) {
        Instant now = clock.instant();
        return reading.read(id, now)
                .map(console -> Replies.json(200, written(stateWriter, state(who, console, now))))
                .orElseGet(ProblemDetails.UNKNOWN_POOL::response);
    }

    private ConsoleState state(Principal who, Console console, Instant now) {
        List<PoolStatus.ContainerStatus> shared = gate.isOperator(who)
                ? console.gateway().stream()
                        .map(PoolView::containers)
                        .flatMap(List::stream)
                        .map(container -> status.container(container, now))
                        .toList()
                : null;
        return ConsoleState.of(status.fromTable(console.own(), console.gateway(), now), shared, console);
    }

    private static String written(ObjectWriter writer, Object answer) {
        try {
            return writer.writeValueAsString(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the answer cannot be written as JSON", e);
        }
    }
}
