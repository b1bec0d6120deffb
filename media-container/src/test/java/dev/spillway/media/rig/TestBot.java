package dev.spillway.media.rig;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.core.tenant.Persona.Bot;
import dev.spillway.media.agent.MuLaw;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A bot that speaks Twilio's protocol, on loopback; it does what the test says. */
public final class TestBot implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel listener;
    private final List<JsonNode> received = new CopyOnWriteArrayList<>();
    private final List<Channel> streams = new CopyOnWriteArrayList<>();
    private final List<Integer> closes = new CopyOnWriteArrayList<>();
    private volatile boolean refusing;
    private volatile BiConsumer<TestBot, JsonNode> behaviour = (bot, message) -> {};

    public TestBot() {
        WebSocketServerProtocolConfig protocol = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath("/ws")
                .handleCloseFrames(false)
                .sendCloseFrame(null)
                .maxFramePayloadLength(1 << 20)
                .build();
        listener = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_RCVBUF, 16 * 1024)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (refusing) {
                            channel.close();
                            return;
                        }
                        channel.pipeline()
                                .addLast(
                                        new HttpServerCodec(),
                                        new HttpObjectAggregator(8_192),
                                        new WebSocketServerProtocolHandler(protocol),
                                        new NotFound(),
                                        new Stream());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }

    /** What it does with every message. */
    public TestBot doing(BiConsumer<TestBot, JsonNode> chosen) {
        behaviour = chosen;
        return this;
    }

    /** Answers the start with that many frames and a mark, as a bot that greets. */
    public TestBot greeting(int frames) {
        return doing((bot, message) -> {
            if (message.path("event").asText().equals("start")) {
                bot.say(frames, "greeted");
            }
        });
    }

    public Bot bot() {
        return new Bot(url(), null);
    }

    public URI url() {
        return URI.create("ws://127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort() + "/ws");
    }

    public List<JsonNode> received() {
        return received;
    }

    public List<String> events() {
        return received.stream().map(message -> message.path("event").asText()).toList();
    }

    public long count(String event) {
        return events().stream().filter(event::equals).count();
    }

    /** The statuses with which streams were closed from the other side. */
    public List<Integer> closes() {
        return closes;
    }

    public int streams() {
        return streams.size();
    }

    /** Sends that many frames of 20 ms and a mark. */
    public void say(int frames, String mark) {
        byte[] frame = new byte[MuLaw.FRAME_BYTES];
        Arrays.fill(frame, MuLaw.encode(6_000));
        String payload = Base64.getEncoder().encodeToString(frame);
        for (int i = 0; i < frames; i++) {
            send("{\"event\":\"media\",\"streamSid\":\"MZ1\",\"media\":{\"payload\":\"" + payload + "\"}}");
        }
        send("{\"event\":\"mark\",\"streamSid\":\"MZ1\",\"mark\":{\"name\":\"" + mark + "\"}}");
    }

    public void send(String text) {
        last().writeAndFlush(new TextWebSocketFrame(text));
    }

    /** Whether what was sent is taken by the other side. */
    public boolean isWritable() {
        return last().isWritable();
    }

    /** Takes no further stream, as one that does not listen; or does again. */
    public TestBot refuse(boolean chosen) {
        refusing = chosen;
        return this;
    }

    /** Reads no more and answers no ping, as a frozen process does; or goes on. */
    public void freeze(boolean frozen) {
        last().config().setAutoRead(!frozen);
    }

    public void close(int status) {
        last().writeAndFlush(new CloseWebSocketFrame(status, "the test says so"));
    }

    /** The connection breaks without a word, as when a process is killed. */
    public void kill() {
        last().close();
    }

    private Channel last() {
        return streams.getLast();
    }

    @Override
    public void close() {
        listener.close().awaitUninterruptibly(1_000);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
    }

    /** The answer to every other path. */
    private static final class NotFound extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            context.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NOT_FOUND))
                    .addListener(ChannelFutureListener.CLOSE);
        }
    }

    private final class Stream extends SimpleChannelInboundHandler<WebSocketFrame> {
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof WebSocketServerProtocolHandler.HandshakeComplete) {
                streams.add(context.channel());
            }
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            switch (frame) {
                case TextWebSocketFrame text -> {
                    JsonNode message = parse(text.text());
                    received.add(message);
                    behaviour.accept(TestBot.this, message);
                }
                case CloseWebSocketFrame close -> {
                    closes.add(close.statusCode());
                    context.writeAndFlush(close.retain()).addListener(ChannelFutureListener.CLOSE);
                }
                default -> {}
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, @Nullable Throwable cause) {
            context.close();
        }
    }

    private static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
