package dev.spillway.media.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** Plain HTTP answers. */
final class Replies {
    private Replies() {}

    /** Answers and reads on, or closes. */
    static void send(Channel channel, boolean keepAlive, int status, String contentType, String body) {
        var response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(status),
                Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, contentType);
        response.headers()
                .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
        HttpUtil.setKeepAlive(response, keepAlive);
        var written = channel.writeAndFlush(response);
        if (keepAlive) {
            channel.config().setAutoRead(true);
        } else {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    static void text(Channel channel, boolean keepAlive, int status, String body) {
        send(channel, keepAlive, status, "text/plain; charset=utf-8", body + "\n");
    }
}
