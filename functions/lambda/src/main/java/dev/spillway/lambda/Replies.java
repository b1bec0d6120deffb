package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import java.util.HashMap;
import java.util.Map;

/** The answers of the HTTP functions. A caller of ours that did wrong gets a fixed text; the log has the detail. */
final class Replies {
    private Replies() {}

    static APIGatewayV2HTTPResponse twiml(String document) {
        return reply(200, "text/xml; charset=utf-8", document);
    }

    static APIGatewayV2HTTPResponse json(int status, String document) {
        return reply(status, "application/json", document);
    }

    /** RFC 9457. */
    static APIGatewayV2HTTPResponse problem(int status, Map<String, String> headers, String document) {
        Map<String, String> all = new HashMap<>(headers);
        all.put("content-type", "application/problem+json");
        return APIGatewayV2HTTPResponse.builder()
                .withStatusCode(status)
                .withHeaders(all)
                .withBody(document)
                .withIsBase64Encoded(false)
                .build();
    }

    static APIGatewayV2HTTPResponse refusal(Verdict.Refusal refusal) {
        return reply(refusal.status(), "text/plain; charset=utf-8", refusal.text());
    }

    /** Twilio or its sender may come again. */
    static APIGatewayV2HTTPResponse unavailable() {
        return reply(503, "text/plain; charset=utf-8", "temporarily unavailable");
    }

    static APIGatewayV2HTTPResponse nothing() {
        return APIGatewayV2HTTPResponse.builder()
                .withStatusCode(204)
                .withHeaders(Map.of())
                .withIsBase64Encoded(false)
                .build();
    }

    private static APIGatewayV2HTTPResponse reply(int status, String type, String body) {
        return APIGatewayV2HTTPResponse.builder()
                .withStatusCode(status)
                .withHeaders(Map.of("content-type", type))
                .withBody(body)
                .withIsBase64Encoded(false)
                .build();
    }
}
