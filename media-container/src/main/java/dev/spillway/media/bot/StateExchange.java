package dev.spillway.media.bot;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One request to a bot's state URL, on a connection of its own. All of it is bounded together, from the name to the last byte
 * of the answer, and so is the answer while it is read: a bot that sends headers and then nothing, or without end, holds
 * nobody up. Redirects are not followed.
 */
final class StateExchange {
    /** @param body empty unless the status is 200 */
    record Reply(int status, byte[] body) {}

    private final EventLoop loop;
    private final boolean own;
    private final int mostBytes;

    /**
     * @param own whether it is the bot that the container itself was told of; see {@link BotAddress}
     * @param mostBytes of an answer's body
     */
    StateExchange(EventLoop loop, boolean own, int mostBytes) {
        this.loop = loop;
        this.own = own;
        this.mostBytes = mostBytes;
    }

    /** @throws IOException if there is no whole answer within the time and the size */
    Reply get(URI url, Duration atMost) throws IOException, InterruptedException {
        return send(url, HttpMethod.GET, new byte[0], atMost);
    }

    /** @throws IOException if there is no answer within the time */
    Reply put(URI url, byte[] body, Duration atMost) throws IOException, InterruptedException {
        return send(url, HttpMethod.PUT, body, atMost);
    }

    private Reply send(URI url, HttpMethod method, byte[] body, Duration atMost)
            throws IOException, InterruptedException {
        if (!atMost.isPositive()) {
            throw new IOException("no time is left for it");
        }
        long deadline = System.nanoTime() + atMost.toNanos();
        CompletableFuture<InetAddress> looked = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                looked.complete(BotAddress.of(url.getHost(), own));
            } catch (IOException | RuntimeException e) {
                looked.completeExceptionally(e);
            }
        });
        InetAddress address = await(looked, deadline, atMost);
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        Channel channel = connect(url, address, request(url, method, body), reply, atMost);
        try {
            return await(reply, deadline, atMost);
        } finally {
            channel.close();
        }
    }

    private static <T> T await(CompletableFuture<T> future, long deadlineNanos, Duration atMost)
            throws IOException, InterruptedException {
        try {
            return future.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no whole answer within " + atMost.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException broken ? broken : new IOException(e.getCause());
        }
    }

    private Channel connect(
            URI url, InetAddress address, FullHttpRequest request, CompletableFuture<Reply> reply, Duration atMost) {
        SslContext tls = url.getScheme().equals("https") ? BotTls.get() : null;
        int port = url.getPort() > 0 ? url.getPort() : tls == null ? 80 : 443;
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.max(1, atMost.toMillis()))
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel opening) {
                        if (tls != null) {
                            opening.pipeline().addLast(tls.newHandler(opening.alloc(), url.getHost(), port));
                        }
                        opening.pipeline().addLast(new HttpClientCodec(), new Answer(request.method(), reply));
                    }
                })
                .connect(new InetSocketAddress(address, port));
        connecting.addListener((ChannelFutureListener) connected -> {
            if (connected.isSuccess()) {
                connected.channel().writeAndFlush(request);
            } else {
                request.release();
                reply.completeExceptionally(new IOException("the bot cannot be reached"));
            }
        });
        return connecting.channel();
    }

    private static FullHttpRequest request(URI url, HttpMethod method, byte[] body) {
        String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, method, url.getRawPath() + query, Unpooled.wrappedBuffer(body));
        request.headers()
                .set(HttpHeaderNames.HOST, url.getPort() > 0 ? url.getHost() + ":" + url.getPort() : url.getHost())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        if (method.equals(HttpMethod.PUT)) {
            request.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_OCTET_STREAM)
                    .set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        }
        return request;
    }

    /** Reads no more than is of interest. */
    private final class Answer extends SimpleChannelInboundHandler<HttpObject> {
        private final HttpMethod method;
        private final CompletableFuture<Reply> reply;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private boolean wanted;

        Answer(HttpMethod method, CompletableFuture<Reply> reply) {
            this.method = method;
            this.reply = reply;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
            if (part.decoderResult().isFailure()) {
                fail(context, "the answer is not HTTP");
                return;
            }
            if (part instanceof HttpResponse head && head.status().code() >= 200) {
                wanted = method.equals(HttpMethod.GET) && head.status().code() == 200;
                if (!wanted) {
                    reply.complete(new Reply(head.status().code(), new byte[0]));
                    context.close();
                    return;
                }
            }
            if (wanted && part instanceof HttpContent content) {
                read(context, content.content());
                if (content instanceof LastHttpContent) {
                    reply.complete(new Reply(200, body.toByteArray()));
                    context.close();
                }
            }
        }

        private void read(ChannelHandlerContext context, ByteBuf bytes) {
            if (body.size() + bytes.readableBytes() > mostBytes) {
                fail(context, "more than " + mostBytes + " bytes");
                return;
            }
            byte[] more = new byte[bytes.readableBytes()];
            bytes.readBytes(more);
            body.writeBytes(more);
        }

        private void fail(ChannelHandlerContext context, String why) {
            wanted = false;
            reply.completeExceptionally(new IOException(why));
            context.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            reply.completeExceptionally(new IOException("the bot closed before its answer was whole"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(context, "the connection broke: " + cause.getClass().getSimpleName());
        }
    }
}
