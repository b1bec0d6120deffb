package dev.spillway.media.bench;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;

import dev.spillway.core.call.Answer;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamKey;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakerFactory;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * CPU of a media container under echo streams of 20 ms frames, beside a plain Netty echo under the same frames. The servers
 * are processes of their own; what the load generator uses does not count.
 *
 * <pre>{@code java -cp TEST_CLASSES:… dev.spillway.media.bench.EchoBench [streams] [seconds]}</pre>
 */
final class EchoBench {
    private static final Duration WARM_UP = Duration.ofSeconds(5);

    private EchoBench() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        int streams = args.length > 0 ? Integer.parseInt(args[0]) : 500;
        Duration length = Duration.ofSeconds(args.length > 1 ? Integer.parseInt(args[1]) : 10);
        System.out.println(streams + " echo streams of 20 ms frames for " + length.toSeconds() + " s:");
        run("plain", "a plain Netty echo", streams, length);
        run("spillway", "the media container", streams, length);
        System.exit(0);
    }

    private static void run(String kind, String name, int streams, Duration length)
            throws IOException, InterruptedException {
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.spillway.media.bench.EchoServers",
                        kind,
                        Integer.toString(streams))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
            int port = Integer.parseInt(out.readLine());
            AtomicLong echoes = new AtomicLong();
            List<Channel> channels = connect(kind, port, streams, echoes);
            String frame =
                    "{\"event\":\"media\",\"sequenceNumber\":\"3\",\"media\":{\"track\":\"inbound\",\"chunk\":\"1\","
                            + "\"timestamp\":\"5\",\"payload\":\""
                            + Base64.getEncoder().encodeToString(noise())
                            + "\"},\"streamSid\":\"MZ1\"}";
            for (int i = 0; i < channels.size(); i++) {
                Channel channel = channels.get(i);
                channel.eventLoop()
                        .scheduleAtFixedRate(
                                () -> channel.writeAndFlush(new TextWebSocketFrame(frame)),
                                i * 20_000L / channels.size(),
                                20_000,
                                TimeUnit.MICROSECONDS);
            }
            Thread.sleep(WARM_UP);
            Duration cpuBefore = cpu(server);
            long echoesBefore = echoes.get();
            long begun = System.nanoTime();
            Thread.sleep(length);
            double seconds = (System.nanoTime() - begun) / 1e9;
            double cores = (cpu(server).toMillis() - cpuBefore.toMillis()) / 1_000.0 / seconds;
            System.out.printf(
                    "  %-20s %3.0f %% of one core, %,.0f frames echoed a second of %,d sent%n",
                    name, cores * 100, (echoes.get() - echoesBefore) / seconds, streams * 50);
            channels.forEach(Channel::close);
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    private static byte[] noise() {
        byte[] frame = new byte[160];
        Arrays.fill(frame, (byte) 0x95);
        return frame;
    }

    private static Duration cpu(Process server) {
        return server.info().totalCpuDuration().orElseThrow();
    }

    private static List<Channel> connect(String kind, int port, int streams, AtomicLong echoes)
            throws InterruptedException {
        StreamKey key = StreamKey.derive(new byte[32], PoolId.GATEWAY);
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        List<Channel> open = new CopyOnWriteArrayList<>();
        CountDownLatch opened = new CountDownLatch(streams);
        for (int n = 1; n <= streams; n++) {
            Answer.Stream any = new Answer.Stream(PoolId.GATEWAY, null, generation(1, n), NOW.plusSeconds(60), NOW);
            String path = kind.equals("plain")
                    ? "/"
                    : StreamAddress.of(ACME, call(n), any).path(key);
            String start = "{\"event\":\"start\",\"streamSid\":\"MZ1\",\"start\":{\"streamSid\":\"MZ1\",\"callSid\":\""
                    + call(n) + "\",\"customParameters\":{\"tenant\":\"acme\"}}}";
            new Bootstrap()
                    .group(loops)
                    .channel(NioSocketChannel.class)
                    .handler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline()
                                    .addLast(new HttpClientCodec())
                                    .addLast(new HttpObjectAggregator(65_536))
                                    .addLast(new WebSocketClientProtocolHandler(
                                            WebSocketClientHandshakerFactory.newHandshaker(
                                                    URI.create("ws://127.0.0.1:" + port + path),
                                                    WebSocketVersion.V13,
                                                    null,
                                                    false,
                                                    new DefaultHttpHeaders())))
                                    .addLast(new Caller(start, open, opened, echoes));
                        }
                    })
                    .connect("127.0.0.1", port)
                    .sync();
        }
        if (!opened.await(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("only " + open.size() + " of " + streams + " streams opened");
        }
        return open;
    }

    /** One caller: opens, starts, counts what comes back. */
    private static final class Caller extends SimpleChannelInboundHandler<WebSocketFrame> {
        private final String start;
        private final List<Channel> open;
        private final CountDownLatch opened;
        private final AtomicLong echoes;

        Caller(String start, List<Channel> open, CountDownLatch opened, AtomicLong echoes) {
            this.start = start;
            this.open = open;
            this.opened = opened;
            this.echoes = echoes;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                context.writeAndFlush(new TextWebSocketFrame(start));
                open.add(context.channel());
                opened.countDown();
            }
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            echoes.incrementAndGet();
        }
    }
}
