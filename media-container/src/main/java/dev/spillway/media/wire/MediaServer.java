package dev.spillway.media.wire;

import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.media.call.DirectCalls;
import dev.spillway.media.call.Door;
import dev.spillway.media.call.Setbacks;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The port that the load balancer and the pool's other containers talk to. */
public final class MediaServer implements AutoCloseable {
    /** A webhook of Twilio's has some 2 kB. */
    private static final int LARGEST_BODY_BYTES = 64 * 1024;
    /** Longer than the load balancer keeps an idle connection (60 s, FACTS 7), so that it is the one to close it. */
    private static final int HTTP_IDLE_SECONDS = 75;

    /** Twilio's webhook and a handshake come in one packet or two. A guess. */
    private static final Duration REQUEST = Duration.ofSeconds(10);

    private final Duration request;
    private final MultiThreadIoEventLoopGroup loops;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private @Nullable Channel listener;

    public MediaServer() {
        this(REQUEST);
    }

    /** @param request how long a request may take from its first byte to its last */
    public MediaServer(Duration request) {
        this.request = request;
        loops = new MultiThreadIoEventLoopGroup(Runtime.getRuntime().availableProcessors(), NioIoHandler.newFactory());
    }

    /**
     * Opens the port.
     *
     * @throws IllegalStateException if it cannot: somebody else in the task's network listens there
     */
    public void listen(
            int port,
            Door door,
            Streams streams,
            TargetCheck targetCheck,
            Liveness liveness,
            Setbacks setbacks,
            @Nullable DirectCalls directCalls) {
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1_024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        connections.add(channel);
                        channel.pipeline()
                                .addLast(
                                        HttpFront.IDLE, new IdleStateHandler(0, 0, HTTP_IDLE_SECONDS, TimeUnit.SECONDS))
                                .addLast(new RequestDeadline(streams, request))
                                .addLast(HttpFront.CODEC, new HttpServerCodec())
                                .addLast(HttpFront.AGGREGATOR, new Aggregator(streams))
                                .addLast(new HttpFront(door, streams, targetCheck, liveness, setbacks, directCalls));
                    }
                })
                .bind(port)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IllegalStateException("port " + port + " cannot be opened: " + bound.cause(), bound.cause());
        }
        listener = bound.channel();
    }

    public int port() {
        if (listener == null) {
            throw new IllegalStateException("the port is not open");
        }
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /** One of its loops, for connections to elsewhere. */
    EventLoop loop() {
        return loops.next();
    }

    /** Open connections from outside. */
    public int connections() {
        return connections.size();
    }

    /** Closes the port and every connection. */
    @Override
    public void close() {
        if (listener != null) {
            listener.close().awaitUninterruptibly(1_000);
        }
        connections.close().awaitUninterruptibly(1_000);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2_000);
    }

    /** Whole requests of a bounded size; a larger one is answered 413 and leaves one line. */
    private static final class Aggregator extends HttpObjectAggregator {
        private final Streams streams;

        Aggregator(Streams streams) {
            super(LARGEST_BODY_BYTES);
            this.streams = streams;
        }

        @Override
        protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
            streams.journal().write(Entry.of("refused").with("status", 413).with("reason", "request too large"));
            Replies.lastText(context.channel(), 413, "request too large");
        }
    }
}
