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
import io.netty.channel.ChannelInboundHandlerAdapter;
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
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes a stream on to the container that it is addressed to: opens a connection there, repeats the caller's handshake
 * under the relay's own address, and once it answers carries bytes both ways, reading from one side no faster than the other
 * takes them. The addressee answers the handshake, so its refusal reaches Twilio as it is. Without an answer in the time
 * that the call's setup has for a container, the relay refuses by itself, and Twilio goes on with the continue URL. Runs on
 * one event loop; only {@link #leaveAtBoundary} and {@link #close} may be called from elsewhere.
 */
final class Relay {
    static final int CONNECT_MILLIS = 1_500;
    /** Longer than the addressee's own patience with a silent stream, so that it gives the reason. */
    private static final int IDLE_SECONDS = 35;
    /**
     * An addressee may well be silent while it listens; one that is frozen or gone shows by taking nothing more. Four seconds of
     * audio fill this, the caller is then not read any more, and the idle time ends the stream: within a minute of the freeze
     * (DESIGN, invariant 3).
     */
    private static final int SEND_BYTES = 64 * 1024;

    private enum State {
        AWAITED,
        ANSWERED,
        FAILED
    }

    private final Channel front;
    private final Entrance.Relay to;
    private final CallSid call;
    private final Streams streams;
    private final Consumer<String> refuse;
    private final LeaveRequest leaving;
    private State state = State.AWAITED;
    private boolean ended;
    private @Nullable Channel back;
    private @Nullable Future<?> timer;

    private Relay(Channel front, Entrance.Relay to, CallSid call, Streams streams, Consumer<String> refuse) {
        this.front = front;
        this.to = to;
        this.call = call;
        this.streams = streams;
        this.refuse = refuse;
        this.leaving = new LeaveRequest(front.eventLoop(), to.address(), to.path(), this::stays);
    }

    /**
     * Runs on the front channel's event loop; both channels then share it.
     *
     * @param refuse told why, when the addressee did not answer and never will
     */
    static void start(
            Channel front,
            FullHttpRequest request,
            Entrance.Relay to,
            CallSid call,
            Streams streams,
            Consumer<String> refuse) {
        new Relay(front, to, call, streams, refuse).connect(handshake(request, to));
    }

    private void connect(byte[] handshake) {
        long millis = to.setup().forContainer(System.nanoTime()).toMillis();
        URI address = URI.create("tcp://" + to.address());
        new Bootstrap()
                .group(front.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_SNDBUF, SEND_BYTES)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new Awaited(), new Pipe(front));
                    }
                })
                .connect(address.getHost(), address.getPort())
                .addListener((ChannelFutureListener) connected -> {
                    if (!connected.isSuccess()) {
                        fail("the addressee cannot be reached");
                        return;
                    }
                    Channel there = connected.channel();
                    back = there;
                    front.closeFuture().addListener(closed -> there.close());
                    there.closeFuture().addListener(closed -> ended());
                    if (state == State.FAILED || !front.isActive()) {
                        there.close();
                        return;
                    }
                    there.writeAndFlush(Unpooled.wrappedBuffer(handshake));
                    there.config().setAutoRead(true);
                });
        // Last: what throws above is ended by the caller, and by nobody else.
        timer = front.eventLoop()
                .schedule(
                        () -> fail("the addressee did not answer within " + millis + " ms"),
                        millis,
                        TimeUnit.MILLISECONDS);
    }

    private void answered(Channel there) {
        if (state == State.AWAITED && front.isActive()) {
            state = State.ANSWERED;
            stopTimer();
            streams.relayed(this);
            splice(front, there);
            front.config().setAutoRead(true);
        }
    }

    private void fail(String reason) {
        if (state != State.AWAITED) {
            return;
        }
        state = State.FAILED;
        stopTimer();
        if (back != null) {
            back.close();
        }
        ended();
        if (!front.isActive()) {
            return; // the caller has gone: nobody waits for a refusal
        }
        tell("relay-failed", reason);
        refuse.accept(reason);
    }

    private void ended() {
        if (!ended) {
            ended = true;
            streams.relayEnded(this);
        }
    }

    /** Asks the addressee to let the call go at the end of its turn, unless it was asked and has agreed or not yet answered. */
    void leaveAtBoundary() {
        front.eventLoop().execute(() -> {
            if (!ended) {
                leaving.send();
            }
        });
    }

    private void stays(String reason) {
        if (!ended) {
            tell("relay-stays", reason);
        }
    }

    /** Ends it on both sides, after what was read was passed on: Twilio goes on with the continue URL. */
    void close() {
        front.eventLoop().execute(() -> {
            if (back != null) {
                back.close();
            }
        });
    }

    private void tell(String event, String reason) {
        streams.journal()
                .write(Entry.of(event)
                        .with("callSid", call)
                        .with("addressee", to.address())
                        .with("reason", reason));
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** Until the addressee's first byte. */
    private final class Awaited extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            answered(context.channel());
            if (state == State.ANSWERED) {
                context.fireChannelRead(message);
                context.pipeline().remove(this);
            } else {
                ReferenceCountUtil.release(message); // too late: the caller has had its refusal
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            fail("the addressee closed without an answer");
            // Not passed on: the refusal is still to be written to the caller.
        }
    }

    private static void splice(Channel front, Channel back) {
        ChannelPipeline pipeline = front.pipeline();
        pipeline.addLast(new IdleStateHandler(IDLE_SECONDS, 0, 0, TimeUnit.SECONDS), new Pipe(back));
        // The codec goes last: what it has read ahead flows on into the pipe.
        pipeline.remove(HttpFront.class);
        pipeline.remove(HttpFront.IDLE);
        pipeline.remove(RequestDeadline.class);
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
