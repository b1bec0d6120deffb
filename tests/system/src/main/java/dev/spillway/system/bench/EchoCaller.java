package dev.spillway.system.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * One stream of the load. Each frame's first nine bytes of audio carry when it was sent (12 letters of base64), so that
 * whatever comes back tells its own round trip. Event loop only.
 */
final class EchoCaller extends SimpleChannelInboundHandler<WebSocketFrame> {
    private static final int FRAME_BYTES = 160;
    private static final int STAMP_BYTES = 9;
    private static final int STAMP_LETTERS = 12;
    private static final byte[] PAYLOAD = "\"payload\":\"".getBytes(StandardCharsets.US_ASCII);
    /** As long as a frame of Twilio's in the middle of a call. */
    private static final byte[] BEFORE =
            ("{\"event\":\"media\",\"sequenceNumber\":\"1000\",\"media\":{\"track\":\"inbound\","
                            + "\"chunk\":\"1000\",\"timestamp\":\"20000\",\"payload\":\"")
                    .getBytes(StandardCharsets.US_ASCII);

    private static final byte[] AFTER =
            "\"},\"streamSid\":\"MZ00000000000000000000000000000000\"}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] AUDIO = audio();

    private final EchoLoad.Stream stream;
    private final EchoTally tally;
    private final ByteBuffer stamp = ByteBuffer.allocate(STAMP_BYTES);
    private final byte[] letters = new byte[STAMP_LETTERS];
    private Runnable whenHeard = () -> {};
    private volatile @Nullable Channel channel;
    private boolean talking;
    private boolean heard;
    /** Where the payload begins in what comes back: the same place every time. */
    private int payloadAt = -1;

    EchoCaller(EchoLoad.Stream stream, EchoTally tally) {
        this.stream = stream;
        this.tally = tally;
    }

    private static byte[] audio() {
        byte[] frame = new byte[FRAME_BYTES];
        Arrays.fill(frame, (byte) 0x95);
        return Base64.getEncoder().encode(frame);
    }

    EchoLoad.Stream stream() {
        return stream;
    }

    /** @param told when the first frame has come back; set before the stream is opened */
    void whenHeard(Runnable told) {
        whenHeard = told;
    }

    @Nullable
    Channel channel() {
        return channel;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        context.fireChannelActive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
            stream.start().forEach(message -> context.write(new TextWebSocketFrame(message)));
            context.flush();
            talking = true;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        talking = false;
    }

    /** Sends one frame, if the stream is open. */
    void speak(long nowNanos, long dueNanos) {
        Channel open = channel;
        if (open == null || !talking) {
            return;
        }
        Base64.getEncoder().encode(stamp.putLong(0, nowNanos).array(), letters);
        ByteBuf text = open.alloc().buffer(BEFORE.length + AUDIO.length + AFTER.length);
        text.writeBytes(BEFORE)
                .writeBytes(letters)
                .writeBytes(AUDIO, STAMP_LETTERS, AUDIO.length - STAMP_LETTERS)
                .writeBytes(AFTER);
        open.writeAndFlush(new TextWebSocketFrame(text));
        tally.sent(nowNanos, dueNanos);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        if (!(frame instanceof TextWebSocketFrame)) {
            return;
        }
        ByteBuf text = frame.content();
        if (payloadAt < 0) {
            int found =
                    text.toString(StandardCharsets.US_ASCII).indexOf(new String(PAYLOAD, StandardCharsets.US_ASCII));
            if (found < 0) {
                return;
            }
            payloadAt = found + PAYLOAD.length;
        }
        text.getBytes(text.readerIndex() + payloadAt, letters);
        long sentNanos = ByteBuffer.wrap(Base64.getDecoder().decode(letters)).getLong();
        tally.returned(sentNanos, System.nanoTime());
        if (!heard) {
            heard = true;
            whenHeard.run();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
