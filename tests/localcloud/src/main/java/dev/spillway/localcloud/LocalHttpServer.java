package dev.spillway.localcloud;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
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
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * An HTTP/1.1 server on loopback that every stand-in is built on. Each request runs on a virtual thread of its own;
 * each open connection is counted, so that a connection kept from a process that is gone can be found.
 */
public final class LocalHttpServer implements AutoCloseable {

    /** A request: header names are lower-case, repeated headers are joined by a comma; {@code target} is path and query. */
    public record Request(String method, String target, Map<String, String> headers, byte[] body) {
        public String path() {
            int question = target.indexOf('?');
            return question < 0 ? target : target.substring(0, question);
        }

        public String query() {
            int question = target.indexOf('?');
            return question < 0 ? "" : target.substring(question + 1);
        }

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** An answer. A negative status closes the connection without answering, as a dying server would. */
    public record Response(int status, Map<String, String> headers, byte[] body) {
        public static final Response NONE = new Response(-1, Map.of(), new byte[0]);

        public static Response of(int status, String contentType, String text) {
            return new Response(status, Map.of("content-type", contentType), text.getBytes(StandardCharsets.UTF_8));
        }

        public static Response json(int status, String json) {
            return of(status, "application/json", json);
        }
    }

    /** What a server does with a request; may block; an exception becomes a 500. */
    @FunctionalInterface
    public interface Handler {
        Response handle(Request request) throws Exception;
    }

    private static final int LARGEST_BODY_BYTES = 12 * 1024 * 1024;

    private final String name;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final Channel listener;

    /** Listens on the given loopback port; 0 picks a free one. */
    public LocalHttpServer(String name, int port, Handler handler) {
        this.name = name;
        this.listener = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new ConnectionCount())
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(LARGEST_BODY_BYTES))
                                .addLast(new Exchange(handler));
                    }
                })
                .bind("127.0.0.1", port)
                .syncUninterruptibly()
                .channel();
    }

    public String name() {
        return name;
    }

    public int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + port());
    }

    /** The remote ports of all connections this server believes to be open. */
    public Set<Integer> connectedPorts() {
        return connections.stream()
                .map(Channel::remoteAddress)
                // One that is just closing has none any more.
                .filter(InetSocketAddress.class::isInstance)
                .map(address -> ((InetSocketAddress) address).getPort())
                .collect(Collectors.toSet());
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        connections.close().awaitUninterruptibly(1_000);
        workers.shutdownNow();
        loops.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS);
    }

    private final class ConnectionCount extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            connections.add(context.channel());
            context.fireChannelActive();
        }
    }

    private final class Exchange extends SimpleChannelInboundHandler<FullHttpRequest> {
        private final Handler handler;

        Exchange(Handler handler) {
            this.handler = handler;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest message) {
            byte[] body = new byte[message.content().readableBytes()];
            message.content().readBytes(body);
            Map<String, String> headers = new LinkedHashMap<>();
            for (String header : message.headers().names()) {
                List<String> values = message.headers().getAll(header);
                headers.put(header.toLowerCase(Locale.ROOT), String.join(",", values));
            }
            boolean keepAlive = HttpUtil.isKeepAlive(message);
            Request request = new Request(message.method().name(), message.uri(), headers, body);
            workers.execute(() -> answer(context, keepAlive, run(request)));
        }

        private Response run(Request request) {
            try {
                return handler.handle(request);
            } catch (Exception e) {
                System.err.println(name + ": " + request.method() + " " + request.path() + ": " + e);
                return Response.of(500, "text/plain", "internal error of the stand-in " + name + "\n");
            }
        }

        private static void answer(ChannelHandlerContext context, boolean keepAlive, Response response) {
            if (context.executor().isShuttingDown()) {
                return; // the server was closed under the request
            }
            if (response.status() < 0) {
                context.close();
                return;
            }
            var message = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1,
                    HttpResponseStatus.valueOf(response.status()),
                    Unpooled.wrappedBuffer(response.body()));
            response.headers().forEach((header, value) -> message.headers().set(header, value));
            message.headers().set(HttpHeaderNames.CONTENT_LENGTH, response.body().length);
            HttpUtil.setKeepAlive(message, keepAlive);
            var written = context.writeAndFlush(message);
            if (!keepAlive) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
