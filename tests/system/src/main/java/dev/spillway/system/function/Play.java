package dev.spillway.system.function;

import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPEvent.RequestContext.Http;
import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.amazonaws.services.lambda.runtime.events.ScheduledEvent;
import dev.spillway.lambda.CallsHandler;
import dev.spillway.lambda.DialHandler;
import dev.spillway.lambda.DialerHandler;
import dev.spillway.lambda.FallbackHandler;
import dev.spillway.lambda.Functions;
import dev.spillway.localcloud.twilio.Signature;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Functions in this process, and what they are asked. */
final class Play {
    static final String CALL = "CA00000000000000000000000000000001";

    private final FunctionGround ground;
    private final Functions functions;

    Play(FunctionGround ground) {
        this.ground = ground;
        this.functions = Functions.from(ground.environment(), entry -> {});
    }

    Functions functions() {
        return functions;
    }

    FunctionGround ground() {
        return ground;
    }

    /** A webhook of Twilio's about acme's call, rightly signed. */
    static APIGatewayV2HTTPEvent webhook(String path, Map<String, String> more) {
        Map<String, String> form = new TreeMap<>(Map.of(
                "CallSid", CALL,
                "AccountSid", FunctionGround.ACCOUNT,
                "From", "+15005550006",
                "To", "+15005550001",
                "CallStatus", "in-progress",
                "Direction", "inbound"));
        form.putAll(more);
        String body = form.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return event(
                "POST",
                path,
                "application/x-www-form-urlencoded",
                body,
                Map.of(
                        "x-twilio-signature",
                        Signature.of(FunctionGround.TOKEN, FunctionGround.PUBLIC_URL + path, form)));
    }

    static APIGatewayV2HTTPEvent request(String method, String path, String body) {
        return event(method, path, "application/json", body, Map.of());
    }

    static APIGatewayV2HTTPEvent query(String path, Map<String, String> query) {
        APIGatewayV2HTTPEvent event = request("GET", path, "");
        event.setQueryStringParameters(query);
        return event;
    }

    private static APIGatewayV2HTTPEvent event(
            String method, String path, String type, String body, Map<String, String> headers) {
        Map<String, String> all = new TreeMap<>(headers);
        all.put("content-type", type);
        return APIGatewayV2HTTPEvent.builder()
                .withRawPath(path)
                .withRawQueryString("")
                .withHeaders(all)
                .withRequestContext(RequestContext.builder()
                        .withAuthorizer(RequestContext.Authorizer.builder()
                                .withIam(RequestContext.IAM
                                        .builder()
                                        .withUserArn(FunctionGround.CALLER)
                                        .build())
                                .build())
                        .withHttp(
                                Http.builder().withMethod(method).withPath(path).build())
                        .build())
                .withBody(Base64.getEncoder().encodeToString(body.getBytes(StandardCharsets.UTF_8)))
                .withIsBase64Encoded(true)
                .build();
    }

    static ScheduledEvent due() {
        return new ScheduledEvent()
                .withSource("aws.scheduler")
                .withDetailType("Scheduled Event")
                .withDetail(Map.of());
    }

    static ScheduledEvent announced(String type, Map<String, Object> detail) {
        Map<String, Object> all = new TreeMap<>(detail);
        all.put("version", 1);
        all.put("at", Instant.now().toString());
        return new ScheduledEvent().withSource("spillway").withDetailType(type).withDetail(all);
    }

    static void ask(RequestHandler<ScheduledEvent, @Nullable Void> handler, ScheduledEvent event) {
        handler.handleRequest(event, null);
    }

    APIGatewayV2HTTPResponse fallback(String call) {
        return new FallbackHandler(functions)
                .handleRequest(
                        webhook(
                                "/twilio/fallback/acme",
                                Map.of(
                                        "CallSid",
                                        call,
                                        "ErrorCode",
                                        "11217",
                                        "ErrorUrl",
                                        "https://acme.example.com/voice")),
                        null);
    }

    APIGatewayV2HTTPResponse job() {
        return job("+15005550006");
    }

    /** @param to whom to call; nobody is called twice at the same time */
    APIGatewayV2HTTPResponse job(String to) {
        return new CallsHandler(functions)
                .handleRequest(
                        request(
                                "POST",
                                "/calls",
                                "{\"tenant\":\"acme\",\"to\":\"" + to + "\",\"from\":\"+15005550001\","
                                        + "\"deadline\":\"" + Instant.now().plusSeconds(3_000) + "\"}"),
                        null);
    }

    void dial() {
        ask(new DialerHandler(functions), announced("JobsWaiting", Map.of("tenant", "acme")));
    }

    /** What Twilio asks about a call that it made for us. */
    static APIGatewayV2HTTPEvent aboutDial(Map<String, String> dial, String url, String status) {
        return aboutDial(dial, url, status, 101);
    }

    /** @param sid the number of the call that Twilio makes */
    static APIGatewayV2HTTPEvent aboutDial(Map<String, String> dial, String url, String status, int sid) {
        String path = URI.create(String.valueOf(dial.get(url))).getPath();
        return webhook(
                path,
                Map.of(
                        "CallSid", "CA%032d".formatted(sid),
                        "From", String.valueOf(dial.get("From")),
                        "To", String.valueOf(dial.get("To")),
                        "Direction", "outbound-api",
                        "CallStatus", status));
    }

    void twiml() {
        new DialHandler(functions).handleRequest(aboutDial(ground.dials().getFirst(), "Url", "in-progress"), null);
    }
}
