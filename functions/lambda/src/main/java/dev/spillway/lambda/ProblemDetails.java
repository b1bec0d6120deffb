package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.core.outbound.JobCheck;
import java.util.List;
import java.util.Map;

/**
 * Problem details by RFC 9457. The texts are fixed and repeat nothing of what was sent.
 *
 * @param type the last part of the type's URI
 * @param errors the fields at fault; empty if it is not about fields
 */
record ProblemDetails(int status, String type, String title, String detail, List<Field> errors) {
    /** @param reason what is wanted of it */
    record Field(String field, String reason) {}

    static final ProblemDetails UNSIGNED = new ProblemDetails(
            401, "unsigned", "The request is not signed", "sign it with AWS Signature Version 4 for execute-api");
    static final ProblemDetails FORBIDDEN =
            new ProblemDetails(403, "forbidden", "Not yours", "the signer may not touch this tenant");
    static final ProblemDetails NOT_JSON = new ProblemDetails(
            400, "not-json", "The body is not JSON", "want a JSON object for one call, or an array of them");
    static final ProblemDetails NOT_AN_OBJECT =
            new ProblemDetails(400, "not-json", "The body is not JSON", "want one JSON object");
    static final ProblemDetails UNKNOWN =
            new ProblemDetails(404, "unknown-call", "There is no such call", "no call has this id");
    static final ProblemDetails UNKNOWN_POOL =
            new ProblemDetails(404, "unknown-pool", "There is no such pool", "no tenant with a pool has this id");
    static final ProblemDetails UNKNOWN_TENANT =
            new ProblemDetails(404, "unknown-tenant", "There is no such tenant", "no tenant has this id");
    static final ProblemDetails UNKNOWN_ATTEMPT = new ProblemDetails(
            404, "unknown-attempt", "There is no such attempt", "no attempt of this tenant has this id");
    static final ProblemDetails UNKNOWN_ROUTE =
            new ProblemDetails(404, "unknown-route", "There is nothing here", "see openapi.yaml for the routes");
    static final ProblemDetails NO_ORDER =
            new ProblemDetails(404, "no-order", "There is no such order", "no order of this kind is in force");
    static final ProblemDetails OVERTAKEN = new ProblemDetails(
            409, "overtaken", "Another order came first", "somebody else gave or ended an order: look again");
    static final ProblemDetails CONFLICT = new ProblemDetails(
            409, "key-used", "The idempotency key is in use", "another body was sent under this Idempotency-Key");
    static final ProblemDetails KEY = new ProblemDetails(
            400,
            "bad-key",
            "The idempotency key is malformed",
            "want an Idempotency-Key of 1 to 255 visible characters");
    static final ProblemDetails NO_KEY = new ProblemDetails(
            400,
            "no-key",
            "The idempotency key is missing",
            "an array of calls needs an Idempotency-Key: should it fail half-way, its repeat completes it");
    static final ProblemDetails TYPE =
            new ProblemDetails(415, "not-json", "The content type is not JSON", "want application/json");
    static final ProblemDetails METHOD =
            new ProblemDetails(405, "method", "The method is not allowed", "see openapi.yaml for the methods");
    static final ProblemDetails UNAVAILABLE = new ProblemDetails(
            503, "unavailable", "Temporarily unavailable", "what was asked may have been done: ask again");

    ProblemDetails {
        errors = List.copyOf(errors);
    }

    private ProblemDetails(int status, String type, String title, String detail) {
        this(status, type, title, detail, List.of());
    }

    static ProblemDetails tooLarge(String detail) {
        return new ProblemDetails(413, "too-large", "The request is too large", detail);
    }

    static ProblemDetails fields(int status, String type, List<Field> errors) {
        return new ProblemDetails(
                status,
                type,
                "Some fields are wrong",
                errors.size() + " fields are wrong; nothing was written",
                errors);
    }

    static APIGatewayV2HTTPResponse faulty(List<JobCheck.Problem> errors) {
        return fields(
                        422,
                        "invalid-calls",
                        errors.stream()
                                .map(error -> new Field(error.field(), error.reason()))
                                .toList())
                .response();
    }

    static APIGatewayV2HTTPResponse tooMany(String reason) {
        return new ProblemDetails(429, "too-many-waiting", "Too many jobs are waiting", reason).response();
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
        // RFC 9110 wants a 401 to name the way to authenticate.
        Map<String, String> headers = status == 401 ? Map.of("www-authenticate", "AWS4-HMAC-SHA256") : Map.of();
        return Replies.problem(status, headers, document.toString());
    }
}
