package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.core.order.Order;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.TenantId;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST} and {@code GET /pools/{tenant}/orders}, and {@code DELETE /pools/{tenant}/orders/{subject}}: what operators
 * order.
 */
public final class OrdersHandler implements RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> {
    private final OrderDesk desk;
    private final Gate gate;
    private final Invocations invocations;

    /** For Lambda. */
    public OrdersHandler() {
        this(Functions.from(System.getenv()));
    }

    public OrdersHandler(Functions functions) {
        this.desk = functions.orderDesk();
        this.gate = functions.gate();
        this.invocations = functions.invocations();
    }

    @Override
    public APIGatewayV2HTTPResponse handleRequest(APIGatewayV2HTTPEvent event, @Nullable Context context) {
        return invocations.run(context, () -> gate.answer(event, who -> answer(Asked.of(event), who)));
    }

    private APIGatewayV2HTTPResponse answer(Asked asked, Principal who) {
        return TenantId.parse(asked.part(1))
                .map(id -> gate.within(who, id, tenant -> answer(asked, id, who)))
                .orElseGet(ProblemDetails.UNKNOWN_POOL::response);
    }

    private APIGatewayV2HTTPResponse answer(Asked asked, TenantId tenant, Principal who) {
        if (asked.path().size() == 3) {
            return switch (asked.method()) {
                case "POST" ->
                    asked.isJson()
                            ? asked.body()
                                    .map(body -> desk.give(tenant, body, who))
                                    .orElseGet(ProblemDetails.NOT_AN_OBJECT::response)
                            : ProblemDetails.TYPE.response();
                case "GET" -> desk.list(tenant);
                default -> ProblemDetails.METHOD.response();
            };
        }
        Optional<Order.Subject> subject = Arrays.stream(Order.Subject.values())
                .filter(one -> one.text().equals(asked.part(3)))
                .findFirst();
        if (asked.path().size() != 4 || subject.isEmpty()) {
            return ProblemDetails.UNKNOWN_ROUTE.response();
        }
        return asked.method().equals("DELETE")
                ? desk.end(tenant, subject.get(), who)
                : ProblemDetails.METHOD.response();
    }
}
