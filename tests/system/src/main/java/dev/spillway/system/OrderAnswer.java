package dev.spillway.system;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpResponse;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sends an operator's command and says what came of it; its exit code tells a refusal from an API that cannot be reached. */
final class OrderAnswer {
    static final int DONE = 0;
    static final int REFUSED = 1;
    static final int UNREACHED = 2;

    private OrderAnswer() {}

    /** @param done what is said of an order that was given or ended */
    static int of(ApiOptions options, String method, String path, @Nullable String body, String done)
            throws InterruptedException {
        HttpResponse<String> response;
        try (SignedApi api = options.open()) {
            response =
                    api.send(method, path, body == null ? Map.of() : Map.of("content-type", "application/json"), body);
        } catch (IOException e) {
            System.err.println("spillway: the API cannot be reached: "
                    + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()));
            return UNREACHED;
        }
        return print(response.statusCode(), response.body(), done, System.out, System.err);
    }

    private static int print(int status, String text, String done, PrintStream out, PrintStream err) {
        JsonNode answer;
        try {
            answer = Cli.JSON.readTree(text);
        } catch (JsonProcessingException e) {
            answer = Cli.JSON.missingNode();
        }
        if (status / 100 == 2) {
            out.println(done + ": " + told(answer));
            return DONE;
        }
        err.println("spillway: refused with " + status + ": "
                + answer.path("detail").asText(answer.path("message").asText("no reason was given")));
        answer.path("errors")
                .forEach(error -> err.println("  " + error.path("field").asText() + ": "
                        + error.path("reason").asText()));
        return status == 503 ? UNREACHED : REFUSED;
    }

    private static String told(JsonNode order) {
        String containers = order.has("containers") ? " at " + order.path("containers") + " containers" : "";
        return order.path("order").asText() + containers + " until "
                + order.path("until").asText() + ", by " + order.path("who").asText() + ": "
                + order.path("reason").asText();
    }
}
