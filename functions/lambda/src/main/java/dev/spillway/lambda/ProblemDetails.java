package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.core.outbound.JobCheck.Problem;
import java.util.List;

/**
 * Problem details by RFC 9457. The texts are fixed and repeat nothing of what was sent.
 *
 * @param type the last part of the type's URI
 */
record ProblemDetails(int status, String type, String title, String detail, List<Problem> errors) {
    static final ProblemDetails NOT_JSON = new ProblemDetails(
            400, "not-json", "The body is not JSON", "want a JSON object for one call, or an array of them", List.of());
    static final ProblemDetails UNKNOWN =
            new ProblemDetails(404, "unknown-call", "There is no such call", "no call has this id", List.of());
    static final ProblemDetails CONFLICT = new ProblemDetails(
            409,
            "key-used",
            "The idempotency key is in use",
            "another body was sent under this Idempotency-Key",
            List.of());
    static final ProblemDetails KEY = new ProblemDetails(
            400,
            "bad-key",
            "The idempotency key is malformed",
            "want an Idempotency-Key of 1 to 255 visible characters",
            List.of());
    static final ProblemDetails TYPE =
            new ProblemDetails(415, "not-json", "The content type is not JSON", "want application/json", List.of());
    static final ProblemDetails METHOD = new ProblemDetails(
            405, "method", "The method is not allowed", "want GET, POST or DELETE as documented", List.of());
    static final ProblemDetails UNAVAILABLE = new ProblemDetails(
            503, "unavailable", "Temporarily unavailable", "what was asked may have been done: ask again", List.of());

    ProblemDetails {
        errors = List.copyOf(errors);
    }

    static ProblemDetails tooLarge(String detail) {
        return new ProblemDetails(413, "too-large", "The request is too large", detail, List.of());
    }

    static APIGatewayV2HTTPResponse faulty(List<Problem> errors) {
        return new ProblemDetails(
                        422,
                        "invalid-calls",
                        "Some fields are wrong",
                        errors.size() + " fields are wrong; nothing was written",
                        errors)
                .response();
    }

    static APIGatewayV2HTTPResponse tooMany(String reason) {
        return new ProblemDetails(429, "too-many-waiting", "Too many jobs are waiting", reason, List.of()).response();
    }

    APIGatewayV2HTTPResponse response() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("type", "urn:spillway:problem:" + type)
                .put("title", title)
                .put("status", status)
                .put("detail", detail);
        if (!errors.isEmpty()) {
            var list = document.putArray("errors");
            errors.forEach(error -> list.addObject().put("field", error.field()).put("reason", error.reason()));
        }
        return Replies.problem(status, document.toString());
    }
}
