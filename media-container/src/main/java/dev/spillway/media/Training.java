package dev.spillway.media;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.journal.JsonLines;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.media.life.LaunchException;
import dev.spillway.media.life.MediaContainer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A rehearsal for the AOT cache: a real start with the real clients against {@link TrainingGround}, one call from the
 * webhook to its first audio, and the way out. What it loads and warms is what a start and a first call need.
 */
final class Training {
    static final String TOKEN = "training";

    private static final TenantId TENANT = new TenantId("training");
    private static final String ACCOUNT = "AC00000000000000000000000000000000";
    private static final String NUMBER = "+15005550006";
    private static final String VOICE_URL = "https://training.example.com/voice";
    private static final String SID = "CA00000000000000000000000000000000";

    private Training() {}

    static void run() throws IOException, LaunchException, InterruptedException {
        try (TrainingGround ground = new TrainingGround()) {
            Map<String, String> environment = environment(ground.url());
            describe(environment);
            ContainerSettings settings = ContainerSettings.from(environment);
            MediaContainer container = Main.container(
                    settings,
                    environment,
                    new JsonLines(OutputStream.nullOutputStream(), InstantSource.system(), Map.of()));
            container.start();
            call(container.port());
            container.stop();
        }
    }

    static Map<String, String> environment(String url) {
        return Map.ofEntries(
                Map.entry("AWS_REGION", "us-east-1"),
                Map.entry("AWS_ACCESS_KEY_ID", "training"),
                Map.entry("AWS_SECRET_ACCESS_KEY", "training"),
                Map.entry("AWS_ENDPOINT_URL_DYNAMODB", url),
                Map.entry("AWS_ENDPOINT_URL_EVENTBRIDGE", url),
                Map.entry("AWS_ENDPOINT_URL_SECRETS_MANAGER", url),
                Map.entry("SPILLWAY_TABLE", "training"),
                Map.entry("SPILLWAY_EVENT_BUS", "training"),
                Map.entry("SPILLWAY_PUBLIC_URL", "https://training.example.com"),
                Map.entry("SPILLWAY_POOL", TENANT.value()),
                Map.entry("SPILLWAY_PORT", "0"),
                Map.entry("SPILLWAY_VOICE_URL", VOICE_URL),
                Map.entry("SPILLWAY_STREAM_KEY", Base64.getEncoder().encodeToString(new byte[32])),
                Map.entry("SPILLWAY_STOP_TIMEOUT_SECONDS", "2"),
                Map.entry("SPILLWAY_TARGET_WAIT_SECONDS", "0"),
                Map.entry("ECS_AGENT_URI", url),
                Map.entry("ECS_CONTAINER_METADATA_URI_V4", url));
    }

    static void describe(Map<String, String> environment) {
        try (AwsClients clients = AwsClients.from(environment)) {
            new DynamoPools(clients.dynamoDb(), "training")
                    .put(Pool.fresh(
                            PoolId.of(TENANT),
                            new Policy(0, 1, 6, 0, ScaleOutRule.PLUS_ONE, ScaleInRule.IDLE),
                            "training",
                            "wss://training.example.com",
                            Instant.now()));
            new DynamoTenants(clients.dynamoDb(), "training", InstantSource.system())
                    .put(new Tenant(
                            TENANT,
                            Set.of(NUMBER),
                            ACCOUNT,
                            "training",
                            new Persona("scripted", "plain", "Hello.", "Hello again.", "Goodbye.")));
        }
    }

    private static void call(int port) throws IOException, InterruptedException {
        Map<String, String> form = new TreeMap<>(Map.of("AccountSid", ACCOUNT, "CallSid", SID, "To", NUMBER));
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/voice"))
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .header("X-Twilio-Signature", signature(form))
                            .POST(HttpRequest.BodyPublishers.ofString(form.entrySet().stream()
                                    .map(field -> field.getKey() + "="
                                            + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                                    .collect(Collectors.joining("&"))))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            int start = answer.body().indexOf("/stream/");
            if (start < 0) {
                throw new IOException("the rehearsed webhook was answered " + answer.statusCode());
            }
            String path = answer.body().substring(start, answer.body().indexOf('"', start));
            talk(client, URI.create("ws://127.0.0.1:" + port + path));
        }
    }

    private static void talk(HttpClient client, URI uri) throws IOException, InterruptedException {
        CountDownLatch heard = new CountDownLatch(5);
        WebSocket socket = client.newWebSocketBuilder()
                .buildAsync(uri, new WebSocket.Listener() {
                    @Override
                    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
                        heard.countDown();
                        from.request(1);
                        return null;
                    }
                })
                .join();
        socket.sendText("{\"event\":\"connected\",\"protocol\":\"Call\",\"version\":\"1.0.0\"}", true)
                .join();
        socket.sendText(
                        "{\"event\":\"start\",\"streamSid\":\"MZ0\",\"start\":{\"streamSid\":\"MZ0\",\"callSid\":\""
                                + SID + "\",\"customParameters\":{\"tenant\":\"" + TENANT + "\"}}}",
                        true)
                .join();
        String frame = Base64.getEncoder().encodeToString(new byte[160]);
        for (int i = 0; i < 20; i++) {
            socket.sendText(
                            "{\"event\":\"media\",\"media\":{\"track\":\"inbound\",\"payload\":\"" + frame + "\"}}",
                            true)
                    .join();
        }
        if (!heard.await(10, TimeUnit.SECONDS)) {
            throw new IOException("the rehearsed call heard nothing");
        }
        socket.sendText("{\"event\":\"stop\",\"stop\":{}}", true).join();
    }

    private static String signature(Map<String, String> form) {
        StringBuilder text = new StringBuilder(VOICE_URL);
        form.forEach((name, value) -> text.append(name).append(value));
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(TOKEN.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            return Base64.getEncoder()
                    .encodeToString(mac.doFinal(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA1", e);
        }
    }
}
