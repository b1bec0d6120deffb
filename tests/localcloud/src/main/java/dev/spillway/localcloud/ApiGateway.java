package dev.spillway.localcloud;

import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An API Gateway HTTP API on loopback: HTTP in, payload format 2.0 to a function, and its answer back. A body above
 * 10 MB is a 413, no route a 404, a wrong signature on a route
 * with IAM a 403, a function that throws a 500, one that takes longer than the integration timeout a
 * 503 (it goes on running, as in Lambda).
 */
public final class ApiGateway implements AutoCloseable {
    /** The hard limit of an HTTP API integration. */
    public static final Duration INTEGRATION_TIMEOUT = Duration.ofSeconds(30);

    private static final int LARGEST_BODY_BYTES = 10 * 1024 * 1024;

    private record Integration(RouteTemplate template, boolean iam, Function function) {}

    private record Delay(String path, AtomicInteger left, Duration by) {
        boolean takes(String asked) {
            return asked.startsWith(path) && left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
        }
    }

    private final List<Delay> delays = new CopyOnWriteArrayList<>();
    private final List<Integration> integrations = new CopyOnWriteArrayList<>();
    private final Map<String, IamUser> users = new ConcurrentHashMap<>();
    private final ExecutorService invocations = Executors.newVirtualThreadPerTaskExecutor();
    private final Duration timeout;
    private final LocalHttpServer server;

    /** Listens on the given loopback port; 0 picks a free one. */
    public ApiGateway(int port) {
        this(port, INTEGRATION_TIMEOUT);
    }

    ApiGateway(int port, Duration timeout) {
        this.timeout = timeout;
        this.server = new LocalHttpServer("api gateway", port, this::handle);
    }

    /** Adds a route such as {@code POST /twilio/fallback/{tenant}}; the method {@code ANY} stands for all. */
    public ApiGateway route(String method, String path, Function function) {
        integrations.add(new Integration(RouteTemplate.of(method, path), false, function));
        return this;
    }

    /** Adds a route whose callers must sign with one of the users' keys; others get a 403 and reach no function. */
    public ApiGateway routeWithIam(String method, String path, Function function) {
        integrations.add(new Integration(RouteTemplate.of(method, path), true, function));
        return this;
    }

    /** The next so many requests whose path begins like that reach their function only after that time. */
    public ApiGateway delay(String path, int count, Duration by) {
        delays.add(new Delay(path, new AtomicInteger(count), by));
        return this;
    }

    /** Lets that user sign. */
    public ApiGateway user(IamUser user) {
        users.put(user.accessKeyId(), user);
        return this;
    }

    public URI url() {
        return server.url();
    }

    /** The remote ports of all connections believed to be open. */
    public Set<Integer> connectedPorts() {
        return server.connectedPorts();
    }

    private Response handle(Request request) throws InterruptedException {
        if (request.body().length > LARGEST_BODY_BYTES) {
            return message(413, "Request Entity Too Large");
        }
        for (Delay delay : delays) {
            if (delay.takes(request.path())) {
                Thread.sleep(delay.by());
            }
        }
        Optional<Integration> found = integrations.stream()
                .filter(integration -> integration.template().matches(request.method(), request.path()))
                .max(Comparator.comparingInt(
                        integration -> integration.template().literals()));
        if (found.isEmpty()) {
            return message(404, "Not Found");
        }
        if (!found.get().iam()) {
            return invoke(found.get(), PayloadV2.event(found.get().template(), request, null));
        }
        return switch (SigV4.verify(request, users, Instant.now())) {
            case SigV4.Verdict.Signed(IamUser user) ->
                invoke(found.get(), PayloadV2.event(found.get().template(), request, user));
            case SigV4.Verdict.Refused refused -> {
                System.err.println("api gateway: " + found.get().template().key() + ": " + refused.reason());
                yield message(403, "Forbidden");
            }
        };
    }

    private Response invoke(Integration integration, byte[] event) throws InterruptedException {
        var answer = new CompletableFuture<byte[]>();
        invocations.execute(() -> {
            try {
                answer.complete(integration.function().invoke(event));
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        });
        try {
            return PayloadV2.response(answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS))
                    .orElseGet(() -> message(500, "Internal Server Error"));
        } catch (TimeoutException e) {
            return message(503, "Service Unavailable");
        } catch (ExecutionException e) {
            if (!invocations.isShutdown()) { // what closing broke off is no news
                System.err.println("api gateway: " + integration.template().key() + ": " + e.getCause());
            }
            return message(500, "Internal Server Error");
        }
    }

    private static Response message(int status, String text) {
        return Response.json(status, "{\"message\":\"" + text + "\"}");
    }

    @Override
    public void close() {
        invocations.shutdownNow();
        server.close();
    }
}
