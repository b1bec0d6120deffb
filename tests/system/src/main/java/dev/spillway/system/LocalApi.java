package dev.spillway.system;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The HTTP API of a running local system, as its user calls it. */
final class LocalApi implements AutoCloseable {
    private final HttpClient http = HttpClient.newHttpClient();
    private final URI base;

    LocalApi(URI base) {
        this.base = base;
    }

    /** The jobs' ids. */
    List<String> makeCalls(String body) throws IOException, InterruptedException {
        HttpResponse<String> response = send("POST", "/calls", body);
        if (response.statusCode() != 202) {
            throw new IOException("POST /calls: " + response.statusCode() + " " + response.body());
        }
        List<String> ids = new ArrayList<>();
        Cli.JSON
                .readTree(response.body())
                .path("calls")
                .forEach(call -> ids.add(call.path("id").asText()));
        return ids;
    }

    JsonNode call(String id) throws IOException, InterruptedException {
        return read("/calls/" + id);
    }

    /** The summary of the tenant's attempts since then. */
    JsonNode summary(String tenant, Instant since) throws IOException, InterruptedException {
        return read("/attempts?tenant=" + tenant + "&since=" + since).path("summary");
    }

    private JsonNode read(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = send("GET", path, "");
        if (response.statusCode() != 200) {
            throw new IOException("GET " + path + ": " + response.statusCode() + " " + response.body());
        }
        return Cli.JSON.readTree(response.body());
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(base + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("content-type", "application/json")
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        http.close();
    }
}
