package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A system under test in a few lines: a voice webhook, an agent on a media stream, and whatever routes a test gives it. */
public final class FakeSystem implements AutoCloseable {
    public static final String NUMBER = "+15005550006";
    public static final String ACCOUNT = "AC000000000000000000000000000000e1";
    public static final String TOKEN = "none";
    private static final int FRAME_BYTES = 160;

    /** How the agent behaves. */
    public enum Agent {
        /** Answers every utterance. */
        ANSWERS,
        /** Greets, and hears nothing after it. */
        DEAF
    }

    private final Map<String, LocalHttpServer.Handler> routes = new ConcurrentHashMap<>();
    private final List<JsonNode> parameters = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final LocalHttpServer server = new LocalHttpServer("fake system", 0, this::handle);
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel streams;
    private volatile Agent agent = Agent.ANSWERS;
    private volatile long costNanos;
    private volatile long thinkNanos;
    /** When all that was heard so far has been computed, of all streams; they have one thread. */
    private long computedAt = System.nanoTime();

    public FakeSystem() {
        streams = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(65_536))
                                .addLast(new WebSocketServerProtocolHandler("/stream"))
                                .addLast(new Conversation());
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
        twiml("<Connect><Stream url=\"" + streamUrl() + "\"/></Connect>");
        route("/twilio/status/one/0", request -> Response.of(204, "text/plain", ""));
    }

    /** Where the agent is. */
    public String streamUrl() {
        return "ws://127.0.0.1:" + ((InetSocketAddress) streams.localAddress()).getPort() + "/stream";
    }

    public FakeSystem agent(Agent value) {
        agent = value;
        return this;
    }

    /**
     * The agent computes so long with each frame that it hears, one after the other over all calls, and thinks so long before
     * it answers. No time is spent: the answers come as late as if it were.
     */
    public FakeSystem costing(Duration perFrame, Duration think) {
        costNanos = perFrame.toNanos();
        thinkNanos = think.toNanos();
        return this;
    }

    /** What calls are answered by. */
    public FakeSystem twiml(String verbs) {
        return route("/voice", request -> Response.of(200, "text/xml", "<Response>" + verbs + "</Response>"));
    }

    public FakeSystem route(String path, LocalHttpServer.Handler handler) {
        routes.put(path, handler);
        return this;
    }

    /** Method and target of every request, in order. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    /** What each media stream was told at its start, in order. */
    public List<JsonNode> parameters() {
        return List.copyOf(parameters);
    }

    public URI url() {
        return server.url();
    }

    public Target target() {
        return new Target(
                url(), null, null, null, List.of(new Target.Tenant("one", NUMBER, ACCOUNT, TOKEN, server.url())));
    }

    /** As {@code ./spillway local --info FILE} writes it. */
    public Path info(Path folder) throws IOException {
        Path file = folder.resolve("info.json");
        Files.writeString(file, """
                {"apiUrl": "%s", "twilioUrl": "%s", "agentCpuMicros": %d, "agentTakes": ["answer", "cpu"], "tenants": [
                 {"id": "one", "number": "%s", "accountSid": "%s", "authToken": "%s", "loadBalancerUrl": "%s"}]}
                """.formatted(url(), url(), costNanos / 1_000, NUMBER, ACCOUNT, TOKEN, url()));
        route("/_local/peer", request -> new Response(204, Map.of(), new byte[0]));
        return file;
    }

    private Response handle(Request request) throws Exception {
        requests.add(request.method() + " " + request.target());
        LocalHttpServer.Handler handler = routes.get(request.path());
        return handler == null ? Response.json(404, "{}") : handler.handle(request);
    }

    @Override
    public void close() {
        streams.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        server.close();
    }

    private final class Conversation extends SimpleChannelInboundHandler<TextWebSocketFrame> {
        private final ObjectMapper json = new ObjectMapper();
        private String sid = "";
        private int heard;
        private int quiet;

        @Override
        protected void channelRead0(ChannelHandlerContext context, TextWebSocketFrame frame) throws IOException {
            JsonNode message = json.readTree(frame.text());
            if (message.path("event").asText().equals("start")) {
                sid = message.path("streamSid").asText();
                parameters.add(message.path("start").path("customParameters"));
                say(context);
            } else if (message.path("event").asText().equals("media")) {
                long now = System.nanoTime();
                computedAt = Math.max(computedAt, now) + costNanos;
                byte[] audio = Base64.getDecoder()
                        .decode(message.path("media").path("payload").asText());
                boolean silent = audio[0] == audio[audio.length / 3] && audio[0] == audio[7];
                heard += silent ? 0 : 1;
                quiet = silent ? quiet + 1 : 0;
                if (heard > 0 && quiet == 5 && agent == Agent.ANSWERS) {
                    heard = 0;
                    context.executor()
                            .schedule(() -> say(context), computedAt - now + thinkNanos, TimeUnit.NANOSECONDS);
                }
            }
        }

        /** A tenth of a second of something loud. */
        private void say(ChannelHandlerContext context) {
            byte[] audio = new byte[5 * FRAME_BYTES];
            Arrays.fill(audio, (byte) 0x80);
            context.writeAndFlush(new TextWebSocketFrame("{\"event\":\"media\",\"streamSid\":\"" + sid
                    + "\",\"media\":{\"payload\":\"" + Base64.getEncoder().encodeToString(audio) + "\"}}"));
        }
    }
}
