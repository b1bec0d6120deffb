package dev.spillway.media.wire;

import dev.spillway.media.bot.BotAddress;
import dev.spillway.media.bot.BotLimits;
import dev.spillway.media.bot.BotTls;
import dev.spillway.media.call.Patience;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The WebSocket to a bot, on its call's event loop, and its time-outs. */
final class BotLink {
    /** Some three seconds of audio: past it the caller's side is not read any more. */
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(16 * 1024, 48 * 1024);
    /** What the kernel may hold back: another four seconds, so that a bot that takes nothing is soon seen. */
    private static final int SEND_BYTES = 64 * 1024;

    private static final int LARGEST_ANSWER_BYTES = 8 * 1024;

    /** Told on the event loop. */
    interface Listener {
        void opened();

        /** The frame is released afterwards. */
        void said(TextWebSocketFrame frame);

        /** Nothing more has come for now. */
        void saidAll();

        /** It takes data again. */
        void writable();

        /** The bot closed in order; 1005 if it gave no status. */
        void closed(int status);

        /** The link is of no use any more; told once or more often, also after {@link #closed}. */
        void broke(String reason);
    }

    private final EventLoop loop;
    private final URI url;
    private final boolean own;
    private final BotLimits limits;
    private final Patience patience;
    private final Listener listener;
    private @Nullable Channel channel;
    private @Nullable Future<?> timer;
    private boolean isOpen;
    private boolean over;
    private boolean paused;
    private long heardNanos;
    private long unwritableNanos;
    private long pingedNanos;

    /** @param own whether it is the bot that the container itself was told of; see {@link BotAddress} */
    BotLink(EventLoop loop, URI url, boolean own, BotLimits limits, Patience patience, Listener listener) {
        this.loop = loop;
        this.url = url;
        this.own = own;
        this.limits = limits;
        this.patience = patience;
        this.listener = listener;
    }

    /** The name is looked up aside, and the first time the trusted certificates are read: both may block. */
    void connect() {
        timer = loop.schedule(
                () -> fail(
                        "the bot was not connected within " + limits.connect().toMillis() + " ms"),
                limits.connect().toMillis(),
                TimeUnit.MILLISECONDS);
        String host = url.getHost();
        patience.later(() -> {
            try {
                InetAddress address = BotAddress.of(host, own);
                SslContext tls = url.getScheme().equals("wss") ? BotTls.get() : null;
                loop.execute(() -> connect(address, tls));
            } catch (UnknownHostException e) {
                loop.execute(() -> fail("the bot's host has no address that may be asked"));
            }
        });
    }

    private void connect(InetAddress address, @Nullable SslContext tls) {
        if (over) {
            return;
        }
        int port = url.getPort() > 0 ? url.getPort() : tls == null ? 80 : 443;
        new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        limits.connect().toMillis())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_SNDBUF, SEND_BYTES)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel opening) {
                        if (tls != null) {
                            opening.pipeline().addLast(tls.newHandler(opening.alloc(), url.getHost(), port));
                        }
                        opening.pipeline()
                                .addLast(
                                        new HttpClientCodec(),
                                        new HttpObjectAggregator(LARGEST_ANSWER_BYTES),
                                        new WebSocketClientProtocolHandler(protocol()),
                                        new WebSocketFrameAggregator(limits.largestMessageBytes()),
                                        new BotSide());
                    }
                })
                .connect(new InetSocketAddress(address, port))
                .addListener((ChannelFutureListener) connected -> {
                    if (!connected.isSuccess()) {
                        fail("the bot cannot be reached");
                    } else if (over) {
                        connected.channel().close();
                    } else {
                        channel = connected.channel();
                    }
                });
    }

    private WebSocketClientProtocolConfig protocol() {
        return WebSocketClientProtocolConfig.newBuilder()
                .webSocketUri(url)
                .version(WebSocketVersion.V13)
                .allowExtensions(false)
                .maxFramePayloadLength(limits.largestMessageBytes())
                .handshakeTimeoutMillis(limits.connect().toMillis())
                .handleCloseFrames(false)
                .sendCloseFrame(null)
                .dropPongFrames(false)
                .build();
    }

    void send(String text) {
        send(new TextWebSocketFrame(text));
    }

    /** Takes over the frame; whoever sends looks at {@link #isWritable} afterwards. */
    void send(TextWebSocketFrame frame) {
        Channel there = channel;
        if (isOpen && !over && there != null) {
            there.write(frame);
        } else {
            ReferenceCountUtil.release(frame);
        }
    }

    void flush() {
        if (isOpen && channel != null) {
            channel.flush();
        }
    }

    boolean isWritable() {
        return channel != null && channel.isWritable();
    }

    /** Whether the bot is read; while it is not, its silence is nobody's fault. */
    void read(boolean reading) {
        if (paused && reading) {
            heardNanos = System.nanoTime();
        }
        paused = !reading;
        if (isOpen && channel != null) {
            channel.config().setAutoRead(reading);
        }
    }

    /** Says goodbye, and does not wait long for the answer. */
    void close() {
        if (over) {
            return;
        }
        over = true;
        stopTimer();
        Channel there = channel;
        if (there == null) {
            return;
        }
        if (!isOpen) {
            there.close();
            return;
        }
        there.config().setAutoRead(true);
        there.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE, "the stream is over"));
        loop.schedule(() -> there.close(), limits.close().toMillis(), TimeUnit.MILLISECONDS);
    }

    private void opened(Channel there) {
        if (over || isOpen) {
            return;
        }
        channel = there;
        isOpen = true;
        stopTimer();
        heardNanos = System.nanoTime();
        pingedNanos = heardNanos;
        long period =
                Math.max(1, Math.min(limits.silence().toNanos(), limits.stall().toNanos()) / 6);
        timer = loop.scheduleAtFixedRate(this::look, period, period, TimeUnit.NANOSECONDS);
        listener.opened();
    }

    /** Whether the bot still answers and still takes what is sent. */
    private void look() {
        Channel there = channel;
        if (over || there == null) {
            return;
        }
        long now = System.nanoTime();
        if (there.isWritable()) {
            unwritableNanos = now;
        } else if (now - unwritableNanos > limits.stall().toNanos()) {
            fail("the bot took nothing for " + limits.stall().toMillis() + " ms");
            return;
        }
        if (paused) {
            return;
        }
        if (now - heardNanos > limits.silence().toNanos()) {
            fail("the bot answered no ping for " + limits.silence().toMillis() + " ms");
        } else if (now - pingedNanos > limits.silence().toNanos() / 3) {
            pingedNanos = now;
            there.writeAndFlush(new PingWebSocketFrame());
        }
    }

    private void fail(String reason) {
        if (over) {
            return;
        }
        over = true;
        stopTimer();
        if (channel != null) {
            channel.close();
        }
        listener.broke(reason);
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private final class BotSide extends SimpleChannelInboundHandler<WebSocketFrame> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            heardNanos = System.nanoTime();
            switch (frame) {
                case TextWebSocketFrame text -> {
                    if (!over) {
                        listener.said(text);
                    }
                }
                case CloseWebSocketFrame close -> {
                    if (over) {
                        context.close();
                        return;
                    }
                    int status = close.statusCode() < 0 ? 1_005 : close.statusCode();
                    // The answer, and then nothing more is of interest.
                    over = true;
                    stopTimer();
                    context.writeAndFlush(close.retain()).addListener(ChannelFutureListener.CLOSE);
                    listener.closed(status);
                }
                default -> {}
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            listener.saidAll();
            context.fireChannelReadComplete();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (context.channel().isWritable()) {
                listener.writable();
            } else {
                unwritableNanos = System.nanoTime();
            }
            context.fireChannelWritabilityChanged();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                opened(context.channel());
            } else if (event == ClientHandshakeStateEvent.HANDSHAKE_TIMEOUT) {
                fail("the bot did not answer the handshake");
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            fail(isOpen ? "the connection to the bot broke" : "the bot closed during the handshake");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail((isOpen ? "the connection to the bot broke: " : "the bot refused the handshake: ")
                    + cause.getClass().getSimpleName());
            context.close();
        }
    }
}
