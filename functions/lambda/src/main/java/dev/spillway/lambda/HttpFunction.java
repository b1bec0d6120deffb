package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * The functions behind the HTTP API and their routes: the one table of them, from which the deployment and the local stack
 * make theirs, and with which {@code openapi.yaml} is compared.
 */
@SuppressWarnings("ImmutableEnumChecker") // constructor references and copied lists do not change
public enum HttpFunction {
    FALLBACK(FallbackHandler::new, "POST /twilio/fallback/{tenant}"),
    CONTINUE(ContinueHandler::new, "POST /twilio/continue/{tenant}/{hop}"),
    CALL_STATUS(CallStatusHandler::new, "POST /twilio/status/{tenant}/{hop}"),
    STREAM_STATUS(StreamStatusHandler::new, "POST /twilio/stream-status/{tenant}/{hop}"),
    DIAL(DialHandler::new, "POST /twilio/dial/{tenant}/{job}/{generation}"),
    OUTBOUND_STATUS(OutboundStatusHandler::new, "POST /twilio/outbound-status/{tenant}/{job}/{generation}"),
    CALLS(CallsHandler::new, "POST /calls", "GET /calls/{id}", "DELETE /calls/{id}"),
    POOL_STATUS(PoolStatusHandler::new, "GET /pools/{tenant}"),
    ORDERS(
            OrdersHandler::new,
            "POST /pools/{tenant}/orders",
            "GET /pools/{tenant}/orders",
            "DELETE /pools/{tenant}/orders/{subject}"),
    ATTEMPTS(AttemptsHandler::new, "GET /attempts", "GET /attempts/{id}"),
    USAGE(UsageHandler::new, "GET /usage/{tenant}"),
    CONSOLE(ConsoleHandler::new, "GET /console", "GET /console/state", "GET /console/tenants");

    /**
     * One route.
     *
     * @param path with parameters in braces
     * @param iam whether API Gateway must check an IAM signature; Twilio signs its own way, which the handler checks
     */
    public record Route(String method, String path, boolean iam) {
        static Route of(String key) {
            String[] parts = key.split(" ", 2);
            return new Route(parts[0], parts[1], !parts[1].startsWith("/twilio/"));
        }

        /** As API Gateway writes it. */
        public String key() {
            return method + " " + path;
        }
    }

    private final Function<Functions, RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse>> maker;
    private final List<Route> routes;

    HttpFunction(
            Function<Functions, RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse>> maker,
            String... routes) {
        this.maker = maker;
        this.routes = List.of(routes).stream().map(Route::of).toList();
    }

    /** In lower case with hyphens. */
    public String functionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public List<Route> routes() {
        return routes;
    }

    public RequestHandler<APIGatewayV2HTTPEvent, APIGatewayV2HTTPResponse> handler(Functions functions) {
        return maker.apply(functions);
    }
}
