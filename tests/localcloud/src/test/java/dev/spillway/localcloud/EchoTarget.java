package dev.spillway.localcloud;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** A target that tells what it was asked, and echoes over WebSockets. */
final class EchoTarget implements AutoCloseable {
    private static final int LARGEST_BYTES = 8 * 1024 * 1024;

    volatile boolean healthy = true;
    volatile boolean full;

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final ChannelGroup streams = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Channel listener = new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    connections.add(channel);
                    channel.pipeline()
                            .addLast(new HttpServerCodec())
                            .addLast(new HttpObjectAggregator(LARGEST_BYTES))
                            .addLast(new Requests());
                }
            })
            .bind("127.0.0.1", 0)
            .syncUninterruptibly()
            .channel();

    int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    int streams() {
        return streams.size();
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        connections.close().awaitUninterruptibly(1_000);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            switch (request.uri()) {
                case "/target" ->
                    answer(context, healthy ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE, "");
                case "/silence" -> {}
                case "/hang-up" -> context.close();
                case "/stream" -> stream(context, request);
                case "/mirror" ->
                    answer(context, HttpResponseStatus.OK, request.content().toString(StandardCharsets.UTF_8));
                default -> answer(context, HttpResponseStatus.OK, describe(request));
            }
        }

        private String describe(FullHttpRequest request) {
            StringBuilder text = new StringBuilder(port() + " " + request.method() + " " + request.uri() + " "
                    + request.content().toString(StandardCharsets.UTF_8) + "\n");
            request.headers()
                    .forEach(header -> text.append(header.getKey().toLowerCase(java.util.Locale.ROOT))
                            .append('=')
                            .append(header.getValue())
                            .append('\n'));
            return text.toString();
        }

        private void stream(ChannelHandlerContext context, FullHttpRequest request) {
            if (full) {
                answer(context, HttpResponseStatus.SERVICE_UNAVAILABLE, "full");
                return;
            }
            streams.add(context.channel());
            context.pipeline().addLast(new Echo());
            new WebSocketServerHandshakerFactory("ws://127.0.0.1/stream", null, false, LARGEST_BYTES)
                    .newHandshaker(request)
                    .handshake(context.channel(), request);
        }

        private static void answer(ChannelHandlerContext context, HttpResponseStatus status, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            var answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(bytes));
            answer.headers().set("content-length", bytes.length);
            context.writeAndFlush(answer);
        }
    }

    private static final class Echo extends SimpleChannelInboundHandler<WebSocketFrame> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            // The first part of a message and its continuations; control frames are answered elsewhere or not at all.
            if (frame instanceof TextWebSocketFrame || frame instanceof ContinuationWebSocketFrame) {
                context.writeAndFlush(frame.retain());
            }
        }
    }
}
