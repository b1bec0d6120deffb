package dev.spillway.localcloud.twilio;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
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
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A small WebSocket server for media streams; what it does on a message is given per path. */
final class StreamServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What a path does; runs on the server's thread. */
    interface Behaviour {
        void message(Connection connection, JsonNode message);
    }

    /** One stream as the server sees it. */
    static final class Connection {
        final List<JsonNode> messages = new CopyOnWriteArrayList<>();
        final @Nullable String signature;
        private final Channel channel;
        private volatile String sid = "";

        Connection(Channel channel, @Nullable String signature) {
            this.channel = channel;
            this.signature = signature;
        }

        List<JsonNode> events(String event) {
            return messages.stream()
                    .filter(message -> message.path("event").asText().equals(event))
                    .toList();
        }

        void audio(byte[] audio) {
            raw("{\"event\":\"media\",\"streamSid\":\"" + sid + "\",\"media\":{\"payload\":\""
                    + Base64.getEncoder().encodeToString(audio) + "\"}}");
        }

        /** So many 20 ms frames of a tone, in one message. */
        void tone(int frames) {
            byte[] frame = Base64.getDecoder().decode(Mulaw.speechPayload(0));
            byte[] audio = new byte[frame.length * frames];
            for (int i = 0; i < frames; i++) {
                System.arraycopy(frame, 0, audio, i * frame.length, frame.length);
            }
            audio(audio);
        }

        void mark(String name) {
            raw("{\"event\":\"mark\",\"streamSid\":\"" + sid + "\",\"mark\":{\"name\":\"" + name + "\"}}");
        }

        void clear() {
            raw("{\"event\":\"clear\",\"streamSid\":\"" + sid + "\"}");
        }

        void raw(String text) {
            channel.writeAndFlush(new TextWebSocketFrame(text));
        }

        void binary() {
            channel.writeAndFlush(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(new byte[] {1, 2})));
        }

        void close(int code) {
            channel.writeAndFlush(new CloseWebSocketFrame(code, "bye")).addListener(ChannelFutureListener.CLOSE);
        }

        void die() {
            channel.close();
        }
    }

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();
    final List<Connection> connections = new CopyOnWriteArrayList<>();
    private final Channel listener;

    StreamServer() {
        listener = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(1 << 16))
                                .addLast(new Upgrade());
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    StreamServer on(String path, Behaviour behaviour) {
        behaviours.put(path, behaviour);
        return this;
    }

    URI url(String path) {
        return URI.create("ws://127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort() + path);
    }

    private final class Upgrade extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            Behaviour behaviour = behaviours.get(request.uri());
            WebSocketServerHandshaker handshaker =
                    new WebSocketServerHandshakerFactory(url("/").toString(), null, false).newHandshaker(request);
            if (behaviour == null || handshaker == null) {
                context.writeAndFlush(new DefaultFullHttpResponse(
                                HttpVersion.HTTP_1_1, HttpResponseStatus.SERVICE_UNAVAILABLE))
                        .addListener(ChannelFutureListener.CLOSE);
                return;
            }
            var connection = new Connection(context.channel(), request.headers().get("x-twilio-signature"));
            connections.add(connection);
            context.pipeline().addLast(new Messages(connection, behaviour));
            handshaker.handshake(context.channel(), request);
        }
    }

    private static final class Messages extends SimpleChannelInboundHandler<WebSocketFrame> {
        private final Connection connection;
        private final Behaviour behaviour;

        Messages(Connection connection, Behaviour behaviour) {
            this.connection = connection;
            this.behaviour = behaviour;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) throws Exception {
            if (frame instanceof TextWebSocketFrame text) {
                JsonNode message = JSON.readTree(text.text());
                if (message.path("event").asText().equals("start")) {
                    connection.sid =
                            Objects.requireNonNull(message.path("streamSid").textValue());
                }
                connection.messages.add(message);
                behaviour.message(connection, message);
            } else if (frame instanceof CloseWebSocketFrame) {
                context.close();
            }
        }
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
