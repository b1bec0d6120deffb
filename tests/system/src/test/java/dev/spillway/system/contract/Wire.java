package dev.spillway.system.contract;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.aws.AwsTimeouts;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The real clients, as a function or a container builds them from its environment, in front of an endpoint. */
final class Wire {
    /** The tests are about outcomes and run on busy machines: nothing but a real outage may time out. */
    private static final AwsTimeouts PATIENT =
            new AwsTimeouts(Duration.ofSeconds(10), Duration.ofSeconds(25), Duration.ofSeconds(5));

    /** For endpoints that will not answer. ECS gets four times that. */
    private static final AwsTimeouts HASTY =
            new AwsTimeouts(Duration.ofMillis(200), Duration.ofMillis(900), Duration.ofMillis(200));

    private Wire() {}

    static AwsClients to(URI endpoint, String... services) {
        return AwsClients.from(environment(endpoint, services), PATIENT);
    }

    static AwsClients hastilyTo(URI endpoint, String... services) {
        return AwsClients.from(environment(endpoint, services), HASTY);
    }

    /** With the time-outs of the real thing. */
    static AwsClients asDeployedTo(URI endpoint, String... services) {
        return AwsClients.from(environment(endpoint, services));
    }

    /** @param services as in {@code DYNAMODB} or {@code SECRETS_MANAGER} */
    private static Map<String, String> environment(URI endpoint, String... services) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "AWS_REGION", "us-east-1",
                "AWS_ACCESS_KEY_ID", "test",
                "AWS_SECRET_ACCESS_KEY", "test"));
        for (String service : services) {
            environment.put("AWS_ENDPOINT_URL_" + service, endpoint.toString());
        }
        return environment;
    }
}
