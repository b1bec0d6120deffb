package dev.spillway.localcloud.twilio;

import dev.spillway.localcloud.twilio.MediaMessages.FromServer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.ssl.SslContextBuilder;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Twilio's end of one bidirectional media stream. Confined to its event loop, on which every method but
 * {@link #connect} is called; ends exactly once.
 */
final class MediaStream {
    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;
    private static final int HANDSHAKE_TIMEOUT_MILLIS = 5_000;
    private static final int LARGEST_MESSAGE_BYTES = 1024 * 1024;
    private static final int CLOSE_WAIT_MILLIS = 1_000;

    /** Who hears of it. */
    interface Listener {
        void opened(MediaStream stream);

        void media(MediaStream stream, byte[] audio, boolean audible);

        void mark(MediaStream stream, String name);

        /** Everything before that mark was played to the caller. */
        void played(MediaStream stream, String name);

        void cleared(MediaStream stream);

        void badMessage(MediaStream stream);

        void ended(MediaStream stream, StreamEnding ending, String detail);
    }

    private final EventLoop loop;
    private final MediaMessages messages;
    private final Map<String, String> parameters;
    private final StreamHistory history;
    private final Listener listener;
    private final Playout playout = new Playout();
    private @Nullable Channel channel;
    private boolean open;
    private boolean over;
    private long sent;
    private long received;
    private int clears;
    private int bad;

    MediaStream(
            EventLoop loop,
            MediaMessages messages,
            Map<String, String> parameters,
            StreamHistory history,
            Listener listener) {
        this.loop = loop;
        this.messages = messages;
        this.parameters = parameters;
        this.history = history;
        this.listener = listener;
    }

    StreamHistory history() {
        return history;
    }

    /** Connects; from any thread. */
    void connect(@Nullable String signature) {
        URI url = history.url();
        boolean secure = "wss".equals(url.getScheme());
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.set("User-Agent", "Twilio.TmeWs/1.0");
        if (signature != null) {
            headers.set("X-Twilio-Signature", signature);
        }
        var config = WebSocketClientProtocolConfig.newBuilder()
                .webSocketUri(url)
                .customHeaders(headers)
                .handleCloseFrames(false)
                .maxFramePayloadLength(LARGEST_MESSAGE_BYTES)
                .handshakeTimeoutMillis(HANDSHAKE_TIMEOUT_MILLIS)
                .build();
        int port = url.getPort() >= 0 ? url.getPort() : secure ? 443 : 80;
        new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel fresh) throws SSLException {
                        channel = fresh;
                        if (secure) {
                            fresh.pipeline()
                                    .addLast(SslContextBuilder.forClient()
                                            .build()
                                            .newHandler(fresh.alloc(), url.getHost(), port));
                        }
                        fresh.pipeline()
                                .addLast(new HttpClientCodec())
                                .addLast(new HttpObjectAggregator(64 * 1024))
                                .addLast(new WebSocketClientProtocolHandler(config))
                                .addLast(new WebSocketFrameAggregator(LARGEST_MESSAGE_BYTES))
                                .addLast(new Frames());
                    }
                })
                .connect(url.getHost(), port)
                .addListener((io.netty.channel.ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        boolean late = connected.cause() instanceof ConnectTimeoutException;
                        end(late ? StreamEnding.CONNECT_TIMEOUT : StreamEnding.CONNECT_REFUSED, "no connection");
                    }
                });
    }

    /** Plays 20 ms of what the server sent; answers whether the caller heard something. */
    boolean play() {
        Playout.Played played = playout.next();
        for (String mark : played.marks()) {
            write(messages.mark(mark));
            listener.played(this, mark);
        }
        return played.audible();
    }

    /** Sends 20 ms of the caller's audio, which was due then. */
    void send(String payload, long dueNanos) {
        if (open) {
            write(messages.media(payload));
            history.sent(++sent, System.nanoTime() - dueNanos);
        }
    }

    void press(String digits) {
        digits.chars().forEach(digit -> write(messages.dtmf((char) digit)));
    }

    boolean isOpen() {
        return open;
    }

    /** Ends the stream from Twilio's side. */
    void stop() {
        if (open) {
            write(messages.stop());
        }
        boolean wasOpen = open;
        end(StreamEnding.STOPPED, "");
        Channel current = channel;
        if (current != null && wasOpen) {
            current.writeAndFlush(new CloseWebSocketFrame(1000, ""));
            loop.schedule(() -> current.close(), CLOSE_WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } else if (current != null) {
            current.close();
        }
    }

    private void write(String text) {
        Channel current = channel;
        if (open && current != null) {
            current.writeAndFlush(new TextWebSocketFrame(text));
        }
    }

    private void end(StreamEnding ending, String detail) {
        if (!over) {
            over = true;
            open = false;
            history.ended(ending, detail);
            listener.ended(this, ending, detail);
        }
    }

    private void begin() {
        if (over) {
            return; // stopped during the handshake
        }
        open = true;
        history.opened();
        write(messages.connected());
        write(messages.start(parameters));
        listener.opened(this);
    }

    private void receive(FromServer message) {
        switch (message) {
            case FromServer.Media(byte[] audio) -> {
                boolean audible = Mulaw.audible(audio);
                playout.audio(audio);
                history.audio(audio, audible, ++received);
                listener.media(this, audio, audible);
            }
            case FromServer.Mark(String name) -> {
                history.mark(name);
                playout.mark(name);
                listener.mark(this, name);
            }
            case FromServer.Clear() -> {
                history.cleared(++clears);
                playout.clear().forEach(mark -> write(messages.mark(mark)));
                listener.cleared(this);
            }
        }
    }

    private void notUnderstood() {
        history.bad(++bad);
        if (bad == 1) {
            listener.badMessage(this);
        }
    }

    private final class Frames extends SimpleChannelInboundHandler<WebSocketFrame> {
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == WebSocketClientProtocolHandler.ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                begin();
            } else if (event == WebSocketClientProtocolHandler.ClientHandshakeStateEvent.HANDSHAKE_TIMEOUT) {
                end(StreamEnding.CONNECT_TIMEOUT, "no answer to the handshake");
            }
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            if (frame instanceof CloseWebSocketFrame close) {
                end(StreamEnding.SERVER_CLOSED, close.statusCode() + " " + close.reasonText());
                context.writeAndFlush(new CloseWebSocketFrame(1000, "")).addListener(ChannelFutureListener.CLOSE);
            } else if (over) {
                return; // sent before the server saw our close
            } else if (frame instanceof TextWebSocketFrame text) {
                messages.read(text.text()).ifPresentOrElse(MediaStream.this::receive, MediaStream.this::notUnderstood);
            } else {
                notUnderstood();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (open) {
                end(StreamEnding.ABRUPT, "the connection died");
            } else {
                end(StreamEnding.HANDSHAKE_REFUSED, "closed during the handshake");
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (cause instanceof WebSocketClientHandshakeException refused) {
                var response = refused.response();
                end(
                        StreamEnding.HANDSHAKE_REFUSED,
                        response == null
                                ? String.valueOf(refused.getMessage())
                                : "HTTP status " + response.status().code());
            } else if (cause instanceof CorruptedWebSocketFrameException) {
                end(StreamEnding.PROTOCOL_ERROR, String.valueOf(cause.getMessage()));
            } else {
                end(open ? StreamEnding.ABRUPT : StreamEnding.HANDSHAKE_REFUSED, cause.toString());
            }
            context.close();
        }
    }
}
