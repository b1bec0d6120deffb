package dev.spillway.localcloud.twilio;

import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Another stand-in, of a load generator in a process of its own, that plays Twilio's part while it is announced here: calls
 * that are not of this side are asked of it, and calls that are made are made by it. {@code PUT} its URL to announce it,
 * {@code DELETE} to take it back.
 */
final class Peer {
    /** Twilio has no such path. */
    static final String PATH = "/_local/peer";

    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();
    private volatile @Nullable URI url;

    boolean isThere() {
        return url != null;
    }

    Response told(Request request) {
        return switch (request.method()) {
            case "PUT" -> announced(request.text().strip());
            case "DELETE" -> {
                url = null;
                yield new Response(204, Map.of(), new byte[0]);
            }
            default -> Response.json(405, "{}");
        };
    }

    private Response announced(String text) {
        URI given = URI.create(text);
        if (!LOOPBACK.contains(String.valueOf(given.getHost()))) {
            return Response.json(400, "{\"message\":\"a peer is on loopback\"}");
        }
        url = given;
        return new Response(204, Map.of(), new byte[0]);
    }

    /** Empty if it is gone, which ends its part; an {@link IOException} if it is there and does not answer. */
    Optional<Response> ask(Request request) throws IOException, InterruptedException {
        HttpRequest.Builder asked = HttpRequest.newBuilder(URI.create(url + request.target()))
                .timeout(PATIENCE)
                .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(request.body()));
        for (String header : Set.of("authorization", "content-type")) {
            String value = request.headers().get(header);
            if (value != null) {
                asked.header(header, value);
            }
        }
        HttpResponse<byte[]> answer;
        try {
            answer = client.send(asked.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (ConnectException e) {
            url = null; // killed before it could take itself back
            return Optional.empty();
        }
        String type = answer.headers().firstValue("content-type").orElse("application/json");
        return Optional.of(new Response(answer.statusCode(), Map.of("content-type", type), answer.body()));
    }
}
