package dev.spillway.media.wire;

import dev.spillway.core.call.CallSid;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.media.call.Door.Entrance;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Passes a stream on to the container that it is addressed to: opens a connection there, repeats the caller's handshake
 * under the relay's own address, and from then on carries bytes both ways, reading from one side no faster than the other
 * takes them. The addressee answers the handshake, so its refusal reaches Twilio as it is.
 */
final class Relay {
    private static final int CONNECT_MILLIS = 1_500;
    /** Longer than the addressee's own patience with a silent stream, so that it gives the reason. */
    private static final int IDLE_SECONDS = 35;

    private Relay() {}

    /** Runs on the front channel's event loop; both channels then share it. */
    static void start(
            Channel front, FullHttpRequest request, Entrance.Relay to, CallSid call, Streams streams, Runnable refuse) {
        byte[] handshake = handshake(request, to);
        AtomicBoolean over = new AtomicBoolean();
        Runnable ended = () -> {
            if (over.compareAndSet(false, true)) {
                streams.relayEnded();
            }
        };
        URI address = URI.create("tcp://" + to.address());
        new Bootstrap()
                .group(front.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new Pipe(front));
                    }
                })
                .connect(address.getHost(), address.getPort())
                .addListener((ChannelFutureListener) connected -> {
                    if (!connected.isSuccess()) {
                        ended.run();
                        streams.journal()
                                .write(Entry.of("relay-failed")
                                        .with("callSid", call)
                                        .with("addressee", to.address())
                                        .with("reason", "the addressee cannot be reached"));
                        refuse.run();
                        return;
                    }
                    Channel back = connected.channel();
                    front.closeFuture().addListener(closed -> back.close());
                    back.closeFuture().addListener(closed -> ended.run());
                    if (!front.isActive()) {
                        back.close();
                        return;
                    }
                    back.writeAndFlush(Unpooled.wrappedBuffer(handshake));
                    splice(front, back);
                    front.config().setAutoRead(true);
                    back.config().setAutoRead(true);
                });
    }

    private static void splice(Channel front, Channel back) {
        ChannelPipeline pipeline = front.pipeline();
        pipeline.addLast(new IdleStateHandler(IDLE_SECONDS, 0, 0, TimeUnit.SECONDS), new Pipe(back));
        // The codec goes last: what it has read ahead flows on into the pipe.
        pipeline.remove(HttpFront.class);
        pipeline.remove(HttpFront.IDLE);
        pipeline.remove(HttpFront.AGGREGATOR);
        pipeline.remove(HttpFront.CODEC);
    }

    private static byte[] handshake(FullHttpRequest request, Entrance.Relay to) {
        StringBuilder text = new StringBuilder("GET ")
                .append(to.path())
                .append(" HTTP/1.1\r\nHost: ")
                .append(to.address())
                .append("\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n");
        for (CharSequence header : new CharSequence[] {
            HttpHeaderNames.SEC_WEBSOCKET_KEY,
            HttpHeaderNames.SEC_WEBSOCKET_VERSION,
            HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL
        }) {
            String value = request.headers().get(header);
            if (value != null) {
                text.append(header).append(": ").append(value).append("\r\n");
            }
        }
        return text.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** One direction: what is read here is written there. */
    private static final class Pipe extends ChannelDuplexHandler {
        private final Channel there;

        Pipe(Channel there) {
            this.there = there;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (!(message instanceof ByteBuf) || !there.isActive()) {
                ReferenceCountUtil.release(message);
                return;
            }
            there.write(message);
            if (!there.isWritable()) {
                context.channel().config().setAutoRead(false);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            there.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            there.config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            there.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof IdleStateEvent) {
                context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
