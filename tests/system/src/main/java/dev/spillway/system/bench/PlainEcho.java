package dev.spillway.system.bench;

import io.netty.bootstrap.ServerBootstrap;
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
import java.net.InetSocketAddress;

/**
 * The reference of both benchmarks, and a process of its own: a WebSocket server on one event loop that sends every text
 * frame back as it came, and knows nothing of calls. Prints its port once it is open.
 */
final class PlainEcho {
    /** What the line with the port begins with. */
    static final String PORT = "port ";

    private static final int LARGEST_BYTES = 65_536;

    private PlainEcho() {}

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
                                .addLast(new WebSocketServerProtocolHandler("/"))
                                .addLast(new Echo());
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
        System.out.println(PORT + ((InetSocketAddress) listening.localAddress()).getPort());
        listening.closeFuture().awaitUninterruptibly();
    }

    private static final class Echo extends SimpleChannelInboundHandler<TextWebSocketFrame> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, TextWebSocketFrame frame) {
            context.writeAndFlush(frame.retain());
        }
    }
}
