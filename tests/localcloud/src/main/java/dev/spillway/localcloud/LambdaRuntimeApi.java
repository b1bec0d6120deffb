package dev.spillway.localcloud;

import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The Runtime API of Lambda for one function's process, on loopback: the process asks for the next invocation and posts its
 * answer. A process that is started for SnapStart first asks to be restored, and waits for {@link #restore()}.
 */
public final class LambdaRuntimeApi implements AutoCloseable {
    private static final String VERSION = "/2018-06-01/runtime/";
    private static final String INVOCATION = VERSION + "invocation/";

    private record Waiting(String id, byte[] payload) {}

    private final LocalHttpServer server = new LocalHttpServer("lambda runtime api", 0, this::handle);
    private final BlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>();
    private final Map<String, CompletableFuture<byte[]>> answers = new ConcurrentHashMap<>();
    private final CompletableFuture<Long> ready = new CompletableFuture<>();
    private final CompletableFuture<Long> restorable = new CompletableFuture<>();
    private final CountDownLatch restored = new CountDownLatch(1);

    /** What the function threw, or why it could not start. */
    public static final class FunctionException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FunctionException(String error) {
            super(error);
        }
    }

    public URI url() {
        return server.url();
    }

    /** Host and port, as {@code AWS_LAMBDA_RUNTIME_API} wants it. */
    public String address() {
        return "127.0.0.1:" + server.port();
    }

    /** When, by {@link System#nanoTime()}, the process first asked for an invocation. */
    public long awaitReady(Duration most) throws InterruptedException {
        return await(ready, most, "the function never asked for an invocation");
    }

    /** When, by {@link System#nanoTime()}, the process asked to be restored: where SnapStart takes its snapshot. */
    public long awaitRestorable(Duration most) throws InterruptedException {
        return await(restorable, most, "the function never asked to be restored");
    }

    /** Lets a process that waits to be restored go on. */
    public void restore() {
        restored.countDown();
    }

    /** @throws FunctionException if the function failed */
    public byte[] invoke(byte[] payload, Duration most) throws InterruptedException {
        Waiting invocation = new Waiting(UUID.randomUUID().toString(), payload);
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        answers.put(invocation.id(), answer);
        waiting.add(invocation);
        return await(answer, most, "the function did not answer");
    }

    private static <T> T await(CompletableFuture<T> future, Duration most, String otherwise)
            throws InterruptedException {
        try {
            return future.get(most.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException(otherwise + " within " + most, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FunctionException failure) {
                throw failure;
            }
            throw new IllegalStateException(otherwise, e);
        }
    }

    private Response handle(Request request) throws InterruptedException {
        String path = request.path();
        if (path.equals(INVOCATION + "next")) {
            ready.complete(System.nanoTime());
            return next();
        }
        if (path.equals(VERSION + "restore/next")) {
            restorable.complete(System.nanoTime());
            restored.await();
            return Response.json(200, "");
        }
        if (path.equals(VERSION + "init/error") || path.equals(VERSION + "restore/error")) {
            FunctionException failure = new FunctionException(request.text());
            ready.completeExceptionally(failure);
            restorable.completeExceptionally(failure);
            return Response.json(202, "{\"status\":\"OK\"}");
        }
        if (path.startsWith(INVOCATION)) {
            String[] parts = path.substring(INVOCATION.length()).split("/", 2);
            CompletableFuture<byte[]> answer = answers.remove(parts[0]);
            if (answer != null && parts[1].equals("response")) {
                answer.complete(request.body());
            } else if (answer != null) {
                answer.completeExceptionally(new FunctionException(request.text()));
            }
            return Response.json(202, "{\"status\":\"OK\"}");
        }
        return Response.json(404, "{}");
    }

    private Response next() throws InterruptedException {
        Waiting invocation = waiting.take();
        return new Response(
                200,
                Map.of(
                        "Content-Type", "application/json",
                        "Lambda-Runtime-Aws-Request-Id", invocation.id(),
                        "Lambda-Runtime-Deadline-Ms",
                                String.valueOf(System.currentTimeMillis()
                                        + Duration.ofMinutes(1).toMillis()),
                        "Lambda-Runtime-Invoked-Function-Arn",
                                "arn:aws:lambda:us-east-1:123456789012:function:spillway-function:live",
                        "Lambda-Runtime-Trace-Id",
                                "Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0"),
                invocation.payload());
    }

    /** Text in, text out. */
    public String invoke(String payload, Duration most) throws InterruptedException {
        return new String(invoke(payload.getBytes(StandardCharsets.UTF_8), most), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        restored.countDown();
        server.close();
    }
}
