package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The HTTP API's side of calls out, as a client sees it. */
final class OutboundJobs implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SignedApi api;

    OutboundJobs(SignedApi api) {
        this.api = api;
    }

    List<String> post(String key, String body) throws Exception {
        HttpResponse<String> response = send("POST", "/calls", body, key);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        List<String> ids = new ArrayList<>();
        JSON.readTree(response.body())
                .path("calls")
                .forEach(call -> ids.add(call.path("id").asText()));
        return ids;
    }

    JsonNode get(String id) {
        try {
            return JSON.readTree(send("GET", "/calls/" + id, "", "").body());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<String> send(String method, String path, String body, String key)
            throws IOException, InterruptedException {
        Map<String, String> headers = key.isEmpty()
                ? Map.of("content-type", "application/json")
                : Map.of("content-type", "application/json", "Idempotency-Key", key);
        return api.send(method, path, headers, body.isEmpty() ? null : body);
    }

    JsonNode awaitEnd(String id) {
        await("job " + id)
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> get(id).path("state").asText().equals("ended"));
        return get(id);
    }

    void awaitCause(String id, String cause) {
        await("cause of job " + id)
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> get(id).path("cause").asText().equals(cause));
    }

    String awaitRinging(List<String> ids) {
        return await("a call that rings")
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(100))
                .until(
                        () -> ids.stream()
                                .filter(id -> get(id).path("state").asText().equals("dialled"))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    void cancel(String id, int status) throws Exception {
        HttpResponse<String> canceled = send("DELETE", "/calls/" + id, "", "");
        assertThat(canceled.statusCode()).as(canceled.body()).isEqualTo(status);
        awaitEnd(id);
    }

    @Override
    public void close() {
        api.close();
    }
}
