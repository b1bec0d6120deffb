package dev.spillway.media.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Plain HTTP answers. */
final class Replies {
    private static final String PLAIN = "text/plain; charset=utf-8";
    /** How long what still comes is read and thrown away after the last answer. */
    private static final long LINGER_MILLIS = 1_000;

    private Replies() {}

    /** Answers and reads on, or closes. */
    static void send(Channel channel, boolean keepAlive, int status, String contentType, String body) {
        var written = write(channel, keepAlive, status, contentType, body);
        if (keepAlive) {
            channel.config().setAutoRead(true);
        } else {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    /**
     * Answers a request that has not come to its end, and closes once the other side has or a moment later: a connection
     * that is closed with bytes unread is reset, and the other side may never see the answer.
     */
    static void lastText(Channel channel, int status, String body) {
        write(channel, false, status, PLAIN, body + "\n").addListener(written -> {
            if (channel instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
            }
            channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        });
    }

    private static ChannelFuture write(
            Channel channel, boolean keepAlive, int status, String contentType, String body) {
        var response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(status),
                Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, contentType);
        response.headers()
                .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
        HttpUtil.setKeepAlive(response, keepAlive);
        return channel.writeAndFlush(response);
    }

    static void text(Channel channel, boolean keepAlive, int status, String body) {
        send(channel, keepAlive, status, PLAIN, body + "\n");
    }
}
