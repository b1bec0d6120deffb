package dev.spillway.localcloud;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;

/** Answers of the AWS JSON 1.1 protocol. */
final class AwsJson {
    private static final String CONTENT_TYPE = "application/x-amz-json-1.1";

    private AwsJson() {}

    static LocalHttpServer.Response answer(ObjectNode body) {
        return response(200, body);
    }

    /** An error that the SDK turns into the exception named by {@code type}. */
    static LocalHttpServer.Response error(int status, String type, String message) {
        return response(
                status,
                JsonNodeFactory.instance.objectNode().put("__type", type).put("message", message));
    }

    private static LocalHttpServer.Response response(int status, ObjectNode body) {
        return new LocalHttpServer.Response(
                status,
                Map.of(
                        "content-type",
                        CONTENT_TYPE,
                        "x-amzn-requestid",
                        UUID.randomUUID().toString()),
                body.toString().getBytes(StandardCharsets.UTF_8));
    }
}
