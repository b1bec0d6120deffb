package dev.spillway.infra;

import dev.spillway.lambda.DeployedFunction;
import java.util.List;

/** A route of the HTTP API. Twilio cannot sign for IAM: its own signature is checked by the function. */
record Route(String method, String path, DeployedFunction function, boolean needsIam) {
    static final List<Route> ALL = List.of(
            twilio("/twilio/fallback/{tenant}", DeployedFunction.FALLBACK),
            twilio("/twilio/continue/{tenant}/{hop}", DeployedFunction.CONTINUE),
            twilio("/twilio/status/{tenant}/{hop}", DeployedFunction.CALL_STATUS),
            twilio("/twilio/stream-status/{tenant}/{hop}", DeployedFunction.STREAM_STATUS),
            twilio("/twilio/dial/{tenant}/{job}/{generation}", DeployedFunction.DIAL),
            twilio("/twilio/outbound-status/{tenant}/{job}/{generation}", DeployedFunction.OUTBOUND_STATUS),
            ours("POST", "/calls", DeployedFunction.CALLS),
            ours("GET", "/calls/{id}", DeployedFunction.CALLS),
            ours("DELETE", "/calls/{id}", DeployedFunction.CALLS),
            ours("GET", "/pools/{tenant}", DeployedFunction.POOL_STATUS),
            ours("GET", "/usage/{tenant}", DeployedFunction.USAGE),
            ours("GET", "/attempts", DeployedFunction.ATTEMPTS),
            ours("GET", "/attempts/{id}", DeployedFunction.ATTEMPTS));

    private static Route twilio(String path, DeployedFunction function) {
        return new Route("POST", path, function, false);
    }

    private static Route ours(String method, String path, DeployedFunction function) {
        return new Route(method, path, function, true);
    }

    /** As API Gateway names it. */
    String key() {
        return method + " " + path;
    }
}
