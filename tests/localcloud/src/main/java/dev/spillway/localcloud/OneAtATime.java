package dev.spillway.localcloud;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Gives the handlers behind it one message for each read they ask for, although a decoder before it may make several of
 * one piece of input. What is left when the channel ends is given in one go: there is no later.
 */
final class OneAtATime extends ChannelDuplexHandler {
    private final Deque<Object> queue = new ArrayDeque<>();
    private boolean wanted;
    private boolean giving;

    @Override
    public void read(ChannelHandlerContext context) {
        wanted = true;
        give(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        queue.add(message);
        give(context);
    }

    private void give(ChannelHandlerContext context) {
        if (giving) {
            // Asked for the next one while taking this one: the loop below sees it.
            return;
        }
        giving = true;
        try {
            while (wanted && !queue.isEmpty()) {
                wanted = false;
                context.fireChannelRead(queue.remove());
            }
        } finally {
            giving = false;
        }
        if (wanted) {
            context.read();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        while (!queue.isEmpty()) {
            context.fireChannelRead(queue.remove());
        }
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        queue.forEach(ReferenceCountUtil::release);
        queue.clear();
    }
}
