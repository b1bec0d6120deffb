package dev.spillway.infra;

import dev.spillway.lambda.DeployedFunction;
import dev.spillway.lambda.HttpFunction;
import java.util.Arrays;
import java.util.List;

/** A route of the HTTP API. Twilio cannot sign for IAM: its own signature is checked by the function. */
record Route(String method, String path, DeployedFunction function, boolean needsIam) {
    static final List<Route> ALL = Arrays.stream(HttpFunction.values())
            .flatMap(http -> http.routes().stream()
                    .map(route -> new Route(
                            route.method(),
                            route.path(),
                            DeployedFunction.find(http.functionName()).orElseThrow(),
                            route.iam())))
            .toList();

    /** As API Gateway names it. */
    String key() {
        return method + " " + path;
    }
}
