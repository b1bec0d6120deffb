package dev.spillway.system;

import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * The live console on loopback: a browser cannot sign requests, so this signs them, and answers with what the API answers.
 * It passes on nothing but reads of the console, and only to a page of its own: a name that resolves to this machine is
 * refused by its {@code Host}, and another page's script by its {@code Sec-Fetch-Site}. Who has an account on this machine
 * can look, too.
 */
final class ConsoleProxy implements AutoCloseable {
    private static final Set<String> PATHS = Set.of("/console", "/console/state", "/console/tenants");

    /** What a browser has to be told of the answer. */
    private static final List<String> HEADERS = List.of(
            "content-type", "content-security-policy", "x-content-type-options", "referrer-policy", "cache-control");

    private final SignedApi api;
    private final String start;
    private final LocalHttpServer server;

    /**
     * @param port of loopback; 0 picks a free one
     * @param tenant whose pool is shown first; null for any
     */
    ConsoleProxy(SignedApi api, int port, @Nullable String tenant) {
        this.api = api;
        this.start = "/console" + (tenant == null ? "" : "?tenant=" + tenant);
        this.server = new LocalHttpServer("console", port, this::answer);
    }

    /** Where a browser finds it. */
    URI url() {
        return server.url().resolve(start);
    }

    private Response answer(Request request) throws InterruptedException {
        if (!isLoopback(request.headers().getOrDefault("host", ""))) {
            return text(403, "the console is asked for by this machine's own address only");
        }
        String site = request.headers().getOrDefault("sec-fetch-site", "none");
        if (!site.equals("none") && !site.equals("same-origin")) {
            return text(403, "the console answers its own page only");
        }
        if (!request.method().equals("GET")) {
            return text(405, "the console only reads");
        }
        if (request.path().equals("/")) {
            return new Response(302, Map.of("location", start), new byte[0]);
        }
        return PATHS.contains(request.path()) ? passedOn(request.target()) : text(404, "there is nothing here");
    }

    private boolean isLoopback(String host) {
        return host.equals("127.0.0.1:" + server.port()) || host.equals("localhost:" + server.port());
    }

    private Response passedOn(String target) throws InterruptedException {
        try {
            HttpResponse<String> answer = api.get(target);
            Map<String, String> headers = new LinkedHashMap<>();
            for (String name : HEADERS) {
                answer.headers().firstValue(name).ifPresent(value -> headers.put(name, value));
            }
            return new Response(answer.statusCode(), headers, answer.body().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            return problem(502, "The API cannot be reached", "is its address right, and is there a network?");
        } catch (SdkException e) {
            return problem(502, "The request cannot be signed", "there are no AWS credentials, or they are not valid");
        } catch (IllegalArgumentException e) {
            return text(400, "not an address");
        }
    }

    /** As the API itself tells of problems, so that the page has one way to show them. */
    private static Response problem(int status, String title, String detail) {
        return new Response(
                status,
                Map.of("content-type", "application/problem+json"),
                Cli.JSON
                        .createObjectNode()
                        .put("title", title)
                        .put("status", status)
                        .put("detail", detail)
                        .toString()
                        .getBytes(StandardCharsets.UTF_8));
    }

    private static Response text(int status, String why) {
        return Response.of(status, "text/plain; charset=utf-8", why + "\n");
    }

    @Override
    public void close() {
        server.close();
        api.close();
    }
}
