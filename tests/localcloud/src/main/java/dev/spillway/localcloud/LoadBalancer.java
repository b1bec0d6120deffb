package dev.spillway.localcloud;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * An application load balancer on loopback, one listener per target group. Least outstanding requests, an open WebSocket
 * counting as one; a WebSocket stays with its target whatever its health. When no registered target is healthy, all of
 * them get traffic. 503 means no registered target, 502 a target that refuses, or closes without an answer, 504 one that
 * does not accept or answer in time.
 */
public final class LoadBalancer implements TargetRegistry, HealthView, AutoCloseable {

    /** One target as the load balancer sees it. */
    public record TargetView(
            String targetGroup, int port, TargetHealth health, boolean draining, int outstandingRequests) {}

    private record Listener(TargetGroup group, Channel channel) {
        int port() {
            return ((InetSocketAddress) channel.localAddress()).getPort();
        }
    }

    private static final int LOOPS = 2;

    private final LoadBalancerOptions options;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(LOOPS, NioIoHandler.newFactory());
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("load-balancer-timers").daemon().factory());
    private final Map<String, Listener> listeners = new ConcurrentHashMap<>();
    private final Map<String, ChannelGroup> connections = new ConcurrentHashMap<>();

    public LoadBalancer(LoadBalancerOptions options) {
        this.options = options;
    }

    /**
     * Opens a listener for a new target group.
     *
     * @param port 0 for any
     * @return the URL of the listener
     */
    public URI targetGroup(String name, int port) {
        if (listeners.containsKey(name)) {
            throw new IllegalArgumentException("target group " + name + " exists already");
        }
        TargetGroup group = new TargetGroup(name, options, timers);
        ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
        Channel channel = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel client) {
                        client.pipeline()
                                .addLast(new ConnectionCount(open))
                                .addLast(new IdleStateHandler(
                                        0, 0, options.idleTimeout().toMillis(), TimeUnit.MILLISECONDS))
                                .addLast(new HttpServerCodec())
                                .addLast(new OneAtATime())
                                .addLast(new FrontConnection(group));
                    }
                })
                .bind("127.0.0.1", port)
                .syncUninterruptibly()
                .channel();
        connections.put(name, open);
        listeners.put(name, new Listener(group, channel));
        return url(name);
    }

    public URI url(String targetGroup) {
        return URI.create("http://127.0.0.1:" + listener(targetGroup).port());
    }

    public int port(String targetGroup) {
        return listener(targetGroup).port();
    }

    /** The remote ports of the client connections of one listener. */
    public Set<Integer> connectedPorts(String targetGroup) {
        listener(targetGroup);
        return connections.getOrDefault(targetGroup, new DefaultChannelGroup(GlobalEventExecutor.INSTANCE)).stream()
                .map(Channel::remoteAddress)
                // One that is just closing has none any more.
                .filter(InetSocketAddress.class::isInstance)
                .map(address -> ((InetSocketAddress) address).getPort())
                .collect(Collectors.toSet());
    }

    /** All targets, draining ones included. */
    public List<TargetView> targets() {
        return listeners.values().stream()
                .flatMap(listener -> listener.group().view().stream())
                .toList();
    }

    @Override
    public void register(String targetGroup, int port) {
        listener(targetGroup).group().register(port);
    }

    @Override
    public void deregister(String targetGroup, int port) {
        listener(targetGroup).group().deregister(port);
    }

    @Override
    public boolean drained(String targetGroup, int port) {
        return listener(targetGroup).group().drained(port);
    }

    @Override
    public TargetHealth health(String targetGroup, int port) {
        return listener(targetGroup).group().health(port);
    }

    private Listener listener(String targetGroup) {
        Listener listener = listeners.get(targetGroup);
        if (listener == null) {
            throw new IllegalArgumentException("no target group " + targetGroup + ", known are " + listeners.keySet());
        }
        return listener;
    }

    @Override
    public void close() {
        timers.shutdownNow();
        listeners.values().forEach(listener -> listener.channel().close().syncUninterruptibly());
        connections.values().forEach(open -> open.close().awaitUninterruptibly(1_000));
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private static final class ConnectionCount extends ChannelInboundHandlerAdapter {
        private final ChannelGroup open;

        ConnectionCount(ChannelGroup open) {
            this.open = open;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            open.add(context.channel());
            context.fireChannelActive();
        }
    }
}
