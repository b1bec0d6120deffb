package dev.spillway.media.rig;

import com.sun.net.httpserver.HttpServer;
import dev.spillway.media.host.EcsHost;
import dev.spillway.media.host.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The ECS agent and the metadata endpoint of one task, on loopback. */
public final class FakeHost implements AutoCloseable {
    public static final String GRANTED =
            "{\"protection\":{\"ExpirationDate\":\"2026-11-29T10:00:00Z\",\"ProtectionEnabled\":true,\"TaskArn\":\"t\"}}";
    public static final String BLOCKED =
            "{\"failure\":{\"Arn\":\"t\",\"Reason\":\"DEPLOYMENT_BLOCKED\",\"Detail\":\"\"},\"requestID\":\"1\"}";

    private final HttpServer server;
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile String protection = GRANTED;
    private volatile String unprotection = "{\"protection\":{\"ProtectionEnabled\":false}}";

    public FakeHost(String taskId) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String answer;
            if (exchange.getRequestURI().getPath().endsWith("/task")) {
                answer = "{\"TaskARN\":\"arn:aws:ecs:eu-west-1:000000000000:task/spillway/" + taskId
                        + "\",\"Family\":\"media\",\"Revision\":\"7\",\"Containers\":[{\"Networks\":[{\"IPv4Addresses\":"
                        + "[\"127.0.0.1\"]}]}]}";
            } else {
                asked.add(exchange.getRequestMethod() + " " + body);
                answer = body.contains("false") ? unprotection : protection;
            }
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.contains("failure") ? 400 : 200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
    }

    /** What protection is answered from now on. */
    public void answers(String json) {
        protection = json;
    }

    /** What giving the protection back is answered from now on. */
    public void answersGivingBack(String json) {
        unprotection = json;
    }

    /** Everything asked about protection, in order. */
    public List<String> asked() {
        return asked;
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public Host host() {
        return new EcsHost(url() + "/agent", url() + "/metadata");
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
