package dev.spillway.lambda;

import java.util.Arrays;
import java.util.Map;

/**
 * What a function is sent once a day that nothing else is sure to invoke. Lambda lays a snapshot by after fourteen days
 * without an invocation, and the next caller would meet a function that is not ready (AWS Lambda, "Lambda SnapStart"). Each
 * refuses it and writes nothing; those that answer callers have begun to read the key of streams by then, as for any webhook.
 */
public final class DailyCall {
    private static final String SCHEDULER = "aws.scheduler";

    private static final Map<String, Object> HTTP = Map.of(
            "version", "2.0",
            "routeKey", "daily",
            "rawPath", "/daily",
            "rawQueryString", "",
            "headers", Map.of("content-type", "text/plain"),
            "requestContext", Map.of("http", Map.of("method", "GET", "path", "/daily")),
            "isBase64Encoded", false);

    /** Without this input Scheduler sends a detail that the functions' runtime cannot read: see events/README.md. */
    public static final Map<String, Object> SCHEDULED =
            Map.of("source", SCHEDULER, "detail-type", "Scheduled Event", "detail", Map.of());

    private DailyCall() {}

    /** In the shape of what the function usually gets. */
    public static Map<String, Object> of(DeployedFunction function) {
        boolean http = Arrays.stream(HttpFunction.values())
                .anyMatch(own -> own.functionName().equals(function.id()));
        return http ? HTTP : SCHEDULED;
    }

    /** Whether a function that expects something else was invoked by the schedule. */
    static boolean is(Map<String, Object> event) {
        return SCHEDULER.equals(event.get("source"));
    }
}
