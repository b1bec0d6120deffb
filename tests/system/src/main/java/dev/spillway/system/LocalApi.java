package dev.spillway.system;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** The HTTP API of a running local system, as its operator calls it. */
final class LocalApi implements AutoCloseable {
    /** A machine that does much else may be slow to answer, and a question may be asked again. */
    private static final int TRIES = 8;

    private final SignedApi api;

    LocalApi(SignedApi api) {
        this.api = api;
    }

    /** The jobs' ids. */
    List<String> makeCalls(String body) throws IOException, InterruptedException {
        HttpResponse<String> response = api.send(
                "POST",
                "/calls",
                Map.of(
                        "content-type",
                        "application/json",
                        "idempotency-key",
                        UUID.randomUUID().toString()),
                body);
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
        HttpResponse<String> response = api.get(path);
        for (int i = 1; i < TRIES && response.statusCode() == 503; i++) {
            TimeUnit.MILLISECONDS.sleep(250L * i);
            response = api.get(path);
        }
        if (response.statusCode() != 200) {
            throw new IOException("GET " + path + ": " + response.statusCode() + " " + response.body());
        }
        return Cli.JSON.readTree(response.body());
    }

    @Override
    public void close() {
        api.close();
    }
}
