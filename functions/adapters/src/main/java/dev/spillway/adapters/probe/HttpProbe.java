package dev.spillway.adapters.probe;

import dev.spillway.adapters.Once;
import dev.spillway.adapters.WholeAnswer;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.Probe;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Asks {@code GET /live/{container}} through the pool's load balancer. Whichever container gets it passes it on to the one
 * named, so that a 200 is that very container's.
 */
public final class HttpProbe implements Probe, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Once<HttpClient> client = new Once<>(() -> HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build());

    @Override
    public boolean answers(Pool pool, ContainerId id) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(httpUrl(pool.streamUrl()) + "/live/" + id))
                .timeout(PATIENCE)
                .build();
        try {
            return WholeAnswer.to(request, client.get(), HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** {@code wss://…} is reached as {@code https://…}, {@code ws://…} as {@code http://…}. */
    static String httpUrl(String streamUrl) {
        String url = streamUrl.startsWith("ws") ? "http" + streamUrl.substring(2) : streamUrl;
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    /** Makes the client, which reads the trusted certificates, before it is needed. */
    public void prepare() {
        client.get();
    }

    @Override
    public void close() {
        client.ifMade(HttpClient::shutdownNow);
    }
}
