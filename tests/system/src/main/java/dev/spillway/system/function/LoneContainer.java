package dev.spillway.system.function;

import dev.spillway.adapters.journal.JsonLines;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import dev.spillway.localcloud.twilio.Signature;
import dev.spillway.media.ContainerSettings;
import dev.spillway.media.Main;
import dev.spillway.media.life.MediaContainer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A media container in this process: READY, with no load balancer in front of it, and alone in its pool's service. */
final class LoneContainer implements AutoCloseable {
    static final String ID = "lone";
    private static final String VOICE_URL = "https://acme.example.com/voice";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final LocalHttpServer task = new LocalHttpServer("task", 0, LoneContainer::ofTask);
    private final HttpClient http = HttpClient.newHttpClient();
    private final MediaContainer container;

    /**
     * Returns when the container is READY.
     *
     * @param pool acme's, or the gateway
     * @param settings beside the ground's
     */
    LoneContainer(FunctionGround ground, PoolId pool, Map<String, String> settings) throws Exception {
        Map<String, String> environment = new TreeMap<>(ground.environment());
        environment.put("SPILLWAY_POOL", pool.value());
        environment.put("SPILLWAY_PORT", "0");
        environment.put(
                "SPILLWAY_STREAM_KEY",
                Base64.getEncoder().encodeToString(key(pool).bytes()));
        environment.put("SPILLWAY_TARGET_WAIT_SECONDS", "0");
        environment.put("SPILLWAY_STOP_TIMEOUT_SECONDS", "2");
        environment.put("ECS_AGENT_URI", task.url().toString());
        environment.put("ECS_CONTAINER_METADATA_URI_V4", task.url().toString());
        if (!pool.isGateway()) {
            environment.put("SPILLWAY_VOICE_URL", VOICE_URL);
        }
        environment.putAll(settings);
        this.container = Main.container(
                ContainerSettings.from(environment),
                environment,
                new JsonLines(OutputStream.nullOutputStream(), InstantSource.system(), Map.of()));
        try {
            container.start();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** As the functions derive it from the ground's secret. */
    static StreamKey key(PoolId pool) {
        return StreamKey.derive(Base64.getDecoder().decode(FunctionGround.STREAM_SECRET), pool);
    }

    /** As ECS tells and grants a task. */
    private static Response ofTask(Request request) {
        return Response.json(
                200,
                request.path().endsWith("/task")
                        ? "{\"TaskARN\":\"arn:aws:ecs:local:0:task/local/" + ID
                                + "\",\"Family\":\"lone\",\"Revision\":\"1\","
                                + "\"Containers\":[{\"Networks\":[{\"IPv4Addresses\":[\"127.0.0.1\"]}]}]}"
                        : "{\"protection\":{\"ProtectionEnabled\":true,\"ExpirationDate\":\"2100-01-01T00:00:00Z\"}}");
    }

    /**
     * Has a call of acme's come straight to it.
     *
     * @return the path of the stream that it is answered with
     * @throws IllegalStateException if that is not a stream to this container
     */
    String call(String sid) throws IOException, InterruptedException {
        Map<String, String> form = new TreeMap<>(Map.of(
                "AccountSid", FunctionGround.ACCOUNT,
                "CallSid", sid,
                "CallStatus", "ringing",
                "Direction", "inbound",
                "From", "+15005550006",
                "To", "+15005550001"));
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(url("http").resolve("/voice"))
                        .timeout(PATIENCE)
                        .header("content-type", "application/x-www-form-urlencoded")
                        .header("x-twilio-signature", Signature.of(FunctionGround.TOKEN, VOICE_URL, form))
                        .POST(BodyPublishers.ofString(form.entrySet().stream()
                                .map(field -> field.getKey() + "="
                                        + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                                .collect(Collectors.joining("&"))))
                        .build(),
                BodyHandlers.ofString());
        int start = answer.body().indexOf("/stream/acme/" + ID + "/");
        if (answer.statusCode() != 200 || start < 0) {
            throw new IllegalStateException(
                    "want a stream of the container's own, not " + answer.statusCode() + " " + answer.body());
        }
        return answer.body().substring(start, answer.body().indexOf('"', start));
    }

    /** Where it listens. */
    URI url(String scheme) {
        return URI.create(scheme + "://127.0.0.1:" + container.port());
    }

    @Override
    public void close() {
        container.close();
        http.shutdownNow();
        task.close();
    }
}
