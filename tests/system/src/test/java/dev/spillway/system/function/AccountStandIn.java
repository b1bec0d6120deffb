package dev.spillway.system.function;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What operators' commands ask an account, and Twilio, for: services of the cluster {@code house}, a load balancer with two
 * rules, quotas, a certificate, and numbers. Numbers are kept; all else is as a test says.
 */
final class AccountStandIn implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Fields of numbers at Twilio by the parameters that set them. */
    private static final Map<String, String> FIELDS = Map.of(
            "VoiceUrl", "voice_url",
            "VoiceMethod", "voice_method",
            "VoiceFallbackUrl", "voice_fallback_url",
            "VoiceFallbackMethod", "voice_fallback_method",
            "StatusCallback", "status_callback",
            "StatusCallbackMethod", "status_callback_method",
            "VoiceApplicationSid", "voice_application_sid",
            "TrunkSid", "trunk_sid");

    /** By its name: how many deployments it has. Services that are not here are not there. */
    final Map<String, Integer> services = new ConcurrentHashMap<>();

    /** Of the one number. */
    final Map<String, String> number = new ConcurrentSkipListMap<>();

    volatile int concurrency = 1_000;
    volatile int unreserved = 600;
    volatile String certificate = "*.example.com";

    private final LocalHttpServer server = new LocalHttpServer("account", 0, this::answer);

    String url() {
        return server.url().toString();
    }

    private Response answer(Request request) throws Exception {
        String target = request.headers().getOrDefault("x-amz-target", "");
        if (!target.isEmpty()) {
            return json(target.substring(target.indexOf('.') + 1), JSON.readTree(request.text()));
        }
        if (request.path().startsWith("/2010-04-01/")) {
            return twilio(request);
        }
        if (request.path().endsWith("/account-settings")) {
            return Response.json(
                    200,
                    "{\"AccountLimit\":{\"ConcurrentExecutions\":%d,\"UnreservedConcurrentExecutions\":%d}}"
                            .formatted(concurrency, unreserved));
        }
        if (request.path().endsWith("/concurrency")) {
            return Response.json(200, "{\"ReservedConcurrentExecutions\":200}");
        }
        return xml(form(request.text()).getOrDefault("Action", ""));
    }

    private Response json(String operation, JsonNode input) {
        return switch (operation) {
            case "GetServiceQuota" -> Response.json(200, "{\"Quota\":{\"Value\":500.0}}");
            case "ListCertificates" ->
                Response.json(
                        200,
                        "{\"CertificateSummaryList\":[{\"CertificateArn\":\"arn:1\",\"DomainName\":\"%s\",\"NotAfter\":%d}]}"
                                .formatted(
                                        certificate,
                                        Instant.now().plusSeconds(200L * 86_400).getEpochSecond()));
            case "DescribeServices" -> services(input);
            default -> Response.json(400, "{\"__type\":\"UnknownOperationException\"}");
        };
    }

    private Response services(JsonNode input) {
        if (!input.path("cluster").asText().equals("house")) {
            return Response.json(400, "{\"__type\":\"ClusterNotFoundException\"}");
        }
        String name = input.path("services").path(0).asText();
        Integer deployments = services.get(name);
        if (deployments == null) {
            return Response.json(200, "{\"services\":[]}");
        }
        return Response.json(200, """
                {"services": [{"serviceName": "%s", "status": "ACTIVE", "desiredCount": %d, "runningCount": %d,
                  "healthCheckGracePeriodSeconds": 2147483647, "loadBalancers": [{"targetGroupArn": "arn:%s"}],
                  "deployments": [%s]}]}""".formatted(
                        name,
                        desired(name),
                        desired(name),
                        name,
                        String.join(",", java.util.Collections.nCopies(deployments, "{}"))));
    }

    /** As the table of {@link FunctionGround} has it. */
    private static int desired(String service) {
        return service.endsWith("-gateway") ? 2 : 0;
    }

    private static Response xml(String action) {
        String result = switch (action) {
            case "DescribeAccountLimits" ->
                "<Limits><member><Name>rules-per-application-load-balancer</Name><Max>100</Max></member></Limits>";
            case "DescribeListeners" -> "<Listeners><member><ListenerArn>arn:l</ListenerArn></member></Listeners>";
            case "DescribeRules" -> """
                    <Rules><member><IsDefault>true</IsDefault></member>
                    <member><IsDefault>false</IsDefault><Conditions><member><Field>host-header</Field><HostHeaderConfig>
                    <Values><member>acme.example.com</member></Values></HostHeaderConfig></member></Conditions></member>
                    <member><IsDefault>false</IsDefault></member></Rules>""";
            case "DescribeTargetHealth" -> """
                    <TargetHealthDescriptions><member><Target><Id>127.0.0.1</Id></Target></member>
                    </TargetHealthDescriptions>""";
            default -> "";
        };
        String body = action.equals("DescribeSubnets")
                ? "<DescribeSubnetsResponse><subnetSet><item><availableIpAddressCount>500</availableIpAddressCount></item>"
                        + "</subnetSet></DescribeSubnetsResponse>"
                : "<%1$sResponse><%1$sResult>%2$s</%1$sResult></%1$sResponse>".formatted(action, result);
        return Response.of(200, "text/xml", body);
    }

    private Response twilio(Request request) throws Exception {
        if (request.method().equals("POST")) {
            form(request.text()).forEach((parameter, value) -> number.put(FIELDS.getOrDefault(parameter, "?"), value));
            return Response.json(200, "{}");
        }
        Map<String, Object> listed = new TreeMap<>(number);
        listed.put("sid", "PN1");
        listed.put("phone_number", "+15005550001");
        return Response.json(200, JSON.writeValueAsString(Map.of("incoming_phone_numbers", java.util.List.of(listed))));
    }

    private static Map<String, String> form(String text) {
        Map<String, String> form = new TreeMap<>();
        for (String field : text.split("&")) {
            String[] parts = field.split("=", 2);
            form.put(parts[0], parts.length > 1 ? URLDecoder.decode(parts[1], StandardCharsets.UTF_8) : "");
        }
        return form;
    }

    @Override
    public void close() {
        server.close();
    }
}
