package dev.spillway.media.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import java.net.URI;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks the container that a stream is relayed to, to let its call go at the end of the turn: DELETE on the path that the stream
 * was opened under there (media-container/contract/CONTRACT.md). One of an older version, or in another language, need not know it.
 * Everything runs on one event loop.
 */
final class LeaveRequest {
    /** With its connection. The way out leaves calls 12 s of 120: a second try, and a turn's end after it, fit in. */
    private static final long ANSWER_MILLIS = 3_000;

    private enum State {
        IDLE,
        UNDER_WAY,
        AGREED
    }

    private final EventLoop loop;
    private final URI address;
    private final String path;
    private final Consumer<String> stays;
    private State state = State.IDLE;
    private boolean told;

    /**
     * @param address host and port
     * @param stays told why the call does not leave, the first time
     */
    LeaveRequest(EventLoop loop, String address, String path, Consumer<String> stays) {
        this.loop = loop;
        this.address = URI.create("http://" + address);
        this.path = path;
        this.stays = stays;
    }

    /** Does nothing while an earlier one is under way, and after one that was agreed to. */
    void send() {
        if (state == State.IDLE) {
            state = State.UNDER_WAY;
            new Try().connect();
        }
    }

    /** One connection, for one request. */
    private final class Try extends SimpleChannelInboundHandler<HttpObject> {
        private boolean over;
        private @Nullable Future<?> timer;

        void connect() {
            Channel there = new Bootstrap()
                    .group(loop)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Relay.CONNECT_MILLIS)
                    .handler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(new HttpClientCodec(), Try.this);
                        }
                    })
                    .connect(address.getHost(), address.getPort())
                    .addListener((ChannelFutureListener) connected -> {
                        if (!connected.isSuccess()) {
                            end("the addressee cannot be reached");
                        }
                    })
                    .channel();
            there.closeFuture().addListener(closed -> end("the addressee closed without an answer"));
            timer = loop.schedule(
                    () -> {
                        end("the addressee did not answer within " + ANSWER_MILLIS + " ms");
                        there.close();
                    },
                    ANSWER_MILLIS,
                    TimeUnit.MILLISECONDS);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            var request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.DELETE, path);
            request.headers()
                    .set(HttpHeaderNames.HOST, address.getAuthority())
                    .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            context.writeAndFlush(request);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
            if (message instanceof HttpResponse response) {
                boolean agreed = response.decoderResult().isSuccess()
                        && response.status().codeClass() == HttpStatusClass.SUCCESS;
                end(agreed ? "" : "the addressee answered " + response.status().code());
                context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }

        /** @param reason why the call stays there; empty if it leaves */
        private void end(String reason) {
            if (over) {
                return;
            }
            over = true;
            if (timer != null) {
                timer.cancel(false);
            }
            state = reason.isEmpty() ? State.AGREED : State.IDLE;
            if (!reason.isEmpty() && !told) {
                told = true;
                stays.accept(reason);
            }
        }
    }
}
