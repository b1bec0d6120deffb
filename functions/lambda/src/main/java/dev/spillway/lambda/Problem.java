package dev.spillway.lambda;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Problem details (RFC 9457) of a request that cannot be served: a fixed text, and every field at fault by name. What the
 * caller sent is never repeated.
 *
 * @param errors empty if it is not about fields
 */
record Problem(
        String title,
        int status,
        String detail,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Field> errors) {
    /** @param detail what is wanted of it */
    record Field(String field, String detail) {}

    Problem {
        errors = List.copyOf(errors);
    }

    static Problem fields(List<Field> errors) {
        return new Problem("Bad Request", 400, "some fields are wrong; each is named under errors", errors);
    }

    static Problem notFound(String detail) {
        return new Problem("Not Found", 404, detail, List.of());
    }

    static Problem unavailable(String detail) {
        return new Problem("Service Unavailable", 503, detail, List.of());
    }
}
