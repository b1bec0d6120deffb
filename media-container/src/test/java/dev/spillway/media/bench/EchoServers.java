package dev.spillway.media.bench;

import static dev.spillway.core.memory.Sample.NOW;

import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.PoolId;
import dev.spillway.media.agent.Agent;
import dev.spillway.media.agent.Line;
import dev.spillway.media.agent.Utterance;
import dev.spillway.media.rig.HandClock;
import dev.spillway.media.rig.Rig;
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
import java.io.IOException;
import java.net.InetSocketAddress;

/** The two servers of {@link EchoBench}, each in a process of its own; prints its port and runs until its input ends. */
final class EchoServers {
    private EchoServers() {}

    public static void main(String[] args) throws IOException {
        System.out.println(args[0].equals("plain") ? plain() : spillway(Integer.parseInt(args[1])));
        while (System.in.read() >= 0) {
            // The other end closes it.
        }
        System.exit(0);
    }

    private static int spillway(int streams) {
        MemoryTable table = Rig.table();
        Rig rig = Rig.of(table, new HandClock(NOW), PoolId.GATEWAY, "bench")
                .slots(streams)
                .agents((tenant, line) -> new Echo(line))
                .start();
        return Integer.parseInt(rig.address().substring(rig.address().indexOf(':') + 1));
    }

    private static int plain() {
        return ((InetSocketAddress) new ServerBootstrap()
                        .group(new MultiThreadIoEventLoopGroup(
                                Runtime.getRuntime().availableProcessors(), NioIoHandler.newFactory()))
                        .channel(NioServerSocketChannel.class)
                        .childHandler(new ChannelInitializer<SocketChannel>() {
                            @Override
                            protected void initChannel(SocketChannel channel) {
                                channel.pipeline()
                                        .addLast(new HttpServerCodec())
                                        .addLast(new HttpObjectAggregator(65_536))
                                        .addLast(new WebSocketServerProtocolHandler(
                                                "/", null, false, 65_536, false, true))
                                        .addLast(new SimpleChannelInboundHandler<TextWebSocketFrame>() {
                                            @Override
                                            protected void channelRead0(
                                                    ChannelHandlerContext context, TextWebSocketFrame frame) {
                                                context.writeAndFlush(frame.retain());
                                            }
                                        });
                            }
                        })
                        .bind("127.0.0.1", 0)
                        .syncUninterruptibly()
                        .channel()
                        .localAddress())
                .getPort();
    }

    /** Says back what it hears. */
    private record Echo(Line line) implements Agent {
        @Override
        public void begin(Opening opening) {}

        @Override
        public void heard(byte[] muLaw) {
            line.play(muLaw);
        }

        @Override
        public void pressed(String digit) {}

        @Override
        public void played(Utterance utterance) {}

        @Override
        public boolean isAtTurnBoundary() {
            return true;
        }

        @Override
        public void end() {}
    }
}
