package dev.spillway.system.contract;

import dev.spillway.lambda.log.LogLevels;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.opentest4j.TestAbortedException;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.localstack.LocalStackContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * An AWS-compatible emulator: the one at {@code SPILLWAY_AWS_ENDPOINT} if that is set, else LocalStack in a container if
 * there is a Docker engine, else none.
 *
 * @param inContainer whether what it runs sees neither this machine's files nor its loopback
 */
record Emulator(String name, URI endpoint, boolean inContainer, Runnable stopping) implements AutoCloseable {
    static final String ENDPOINT = "SPILLWAY_AWS_ENDPOINT";

    /** Set to 1, this makes the lack of an emulator a failure. */
    static final String REQUIRED = "SPILLWAY_REQUIRE_EMULATOR";

    /** The last community image that starts without an auth token. */
    private static final DockerImageName LOCALSTACK = DockerImageName.parse("localstack/localstack:4.14.0");

    sealed interface Search {
        record Found(Emulator emulator) implements Search {}

        /** @param reason why there is none, and what to do about it */
        record NotFound(String reason) implements Search {}
    }

    static Search find(Map<String, String> environment) {
        Optional<String> endpoint =
                Optional.ofNullable(environment.get(ENDPOINT)).filter(url -> !url.isBlank());
        if (endpoint.isPresent()) {
            return new Search.Found(new Emulator(ENDPOINT, URI.create(endpoint.get()), false, () -> {}));
        }
        // That there is no Docker engine is told in one line by whoever asked.
        LogLevels.silence("org.testcontainers.dockerclient");
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            return new Search.NotFound("no Docker engine for LocalStack; set " + ENDPOINT + " to an emulator's URL");
        }
        return localStack(Optional.ofNullable(environment.get("LOCALSTACK_AUTH_TOKEN")));
    }

    /** The emulator; without one the test ends here, see {@link #skipped}. */
    static Emulator orSkip(String what) {
        return switch (find(System.getenv())) {
            case Search.Found(Emulator found) -> {
                System.out.println(what + ": against " + found.name() + " at " + found.endpoint());
                yield found;
            }
            case Search.NotFound(String reason) -> throw skipped(what, reason);
        };
    }

    /** Says loudly what is left out; thrown, it ends the test: as a failure where an emulator is required. */
    static RuntimeException skipped(String what, String reason) {
        if (isRequired(System.getenv())) {
            throw new AssertionError(REQUIRED + "=1, and this cannot run: " + what + ": " + reason);
        }
        return lacking(what, reason);
    }

    /** What an emulator's edition does not have is told, and is no failure even where an emulator is required. */
    static RuntimeException lacking(String what, String reason) {
        System.out.println("SKIPPED: " + what + ": " + reason);
        return new TestAbortedException(what + ": " + reason);
    }

    static boolean isRequired(Map<String, String> environment) {
        return "1".equals(environment.get(REQUIRED));
    }

    private static Search localStack(Optional<String> authToken) {
        LocalStackContainer container = new LocalStackContainer(LOCALSTACK)
                .withServices("dynamodb", "events", "secretsmanager", "scheduler", "sqs");
        authToken.ifPresent(token -> container.withEnv("LOCALSTACK_AUTH_TOKEN", token));
        try {
            container.start();
        } catch (RuntimeException e) { // an image that cannot be pulled is no verdict on this code
            container.close();
            return new Search.NotFound(LOCALSTACK + " did not start (" + e.getMessage() + "); set " + ENDPOINT
                    + " to another emulator's URL");
        }
        return new Search.Found(new Emulator("LocalStack", container.getEndpoint(), true, container::close));
    }

    @Override
    public void close() {
        stopping.run();
    }
}
