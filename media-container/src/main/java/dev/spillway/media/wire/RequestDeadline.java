package dev.spillway.media.wire;

import dev.spillway.core.journal.Journal.Entry;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long a request may take from its first byte to its last: who sends it drop by drop is answered 408 and does not keep a
 * connection for ever. Stands before the decoder, so that any byte counts. What the answer takes is not its business.
 */
final class RequestDeadline extends ChannelInboundHandlerAdapter {
    private final Streams streams;
    private final Duration limit;
    private @Nullable Future<?> timer;
    private boolean missed;

    RequestDeadline(Streams streams, Duration limit) {
        this.streams = streams;
        this.limit = limit;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
        if (missed) {
            ReferenceCountUtil.release(bytes); // nothing of this request is taken any more
            return;
        }
        if (timer == null) {
            timer = context.executor().schedule(() -> miss(context), limit.toMillis(), TimeUnit.MILLISECONDS);
        }
        super.channelRead(context, bytes);
    }

    /** The request is whole. */
    void met() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void miss(ChannelHandlerContext context) {
        missed = true;
        streams.journal()
                .write(Entry.of("refused")
                        .with("status", 408)
                        .with("reason", "no whole request within " + limit.toMillis() + " ms"));
        Replies.lastText(context.channel(), 408, "request timeout");
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        met();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        met();
        super.channelInactive(context);
    }
}
