package dev.spillway.load.study;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
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
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/**
 * A process of its own that answers every webhook with a stream to itself, and says back every frame that it hears: the least
 * that phone calls can be driven against. Prints its port once it is open.
 */
final class EchoSink {
    static final String PORT = "port ";
    private static final int LARGEST_BYTES = 65_536;

    private EchoSink() {}

    public static void main(String[] arguments) {
        var listening = new ServerBootstrap()
                .group(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()))
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(LARGEST_BYTES))
                                .addLast(new Hook())
                                .addLast(new WebSocketServerProtocolHandler("/stream"))
                                .addLast(new Echo());
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
        System.out.println(PORT + ((InetSocketAddress) listening.localAddress()).getPort());
        listening.closeFuture().awaitUninterruptibly();
    }

    private static final class Hook extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            if (request.uri().startsWith("/stream")) {
                context.fireChannelRead(request.retain());
                return;
            }
            String host = request.headers().get(HttpHeaderNames.HOST);
            String twiml = "<Response><Connect><Stream url=\"ws://" + host + "/stream\"/></Connect></Response>";
            var response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.copiedBuffer(twiml, StandardCharsets.UTF_8));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/xml");
            response.headers()
                    .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /** Says each frame back a fifth of a second later, so that an echo outlasts the caller's turn and answers it. */
    private static final class Echo extends SimpleChannelInboundHandler<TextWebSocketFrame> {
        private static final int FRAMES_LATER = 10;
        private final ArrayDeque<TextWebSocketFrame> held = new ArrayDeque<>();

        @Override
        protected void channelRead0(ChannelHandlerContext context, TextWebSocketFrame frame) {
            String text = frame.text();
            if (text.startsWith("{\"event\":\"media\"")) {
                held.addLast(frame.retain());
                if (held.size() > FRAMES_LATER) {
                    context.writeAndFlush(held.removeFirst());
                }
            }
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            held.forEach(TextWebSocketFrame::release);
            held.clear();
        }
    }
}
