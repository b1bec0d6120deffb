package dev.spillway.media.wire;

import dev.spillway.core.call.Generation;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.media.admission.Seat;
import dev.spillway.media.agent.Agent.Opening;
import dev.spillway.media.call.Origin;
import dev.spillway.media.call.Seating.Transfer;
import dev.spillway.media.call.Seating.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.timeout.IdleStateEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call's media stream, from the upgrade to its end: awaits the start, has it checked, then carries frames between Twilio
 * and the call's agent. Everything of a call is in its own handler, and nothing of another's. Runs on the channel's event
 * loop; only {@link #isTalkUnder}, {@link #leaveAtBoundary} and {@link #giveBack} may be called from elsewhere.
 */
final class StreamHandler extends SimpleChannelInboundHandler<WebSocketFrame> implements Talk.Call {
    private enum State {
        AWAITING_START,
        CHECKING,
        LIVE,
        CLOSED
    }

    private static final long BOUNDARY_POLL_MILLIS = 40;
    /** How long the other side may take to answer our close frame. */
    private static final long CLOSE_GRACE_MILLIS = 1_000;
    /** How long the end of a conversation may wait for its record. */
    private static final long FINISH_GRACE_MILLIS = 1_500;
    /** How long a caller waits until it is known whether he was given to another number; within his 3 s. */
    private static final long TRANSFER_GRACE_MILLIS = 2_500;

    private final Streams streams;
    private final Seat seat;
    private final Origin origin;
    private final Tenant tenant;
    private final Generation addressed;
    private final EventLoop loop;
    private final Channel channel;
    private State state = State.AWAITING_START;
    /** The table is being asked about this stream's start. */
    private boolean answerDue;

    /** It is to go at the end of its turn. */
    private boolean leaving;

    private boolean callEnded;
    /** The agent has ended the conversation: the call is over for good, and not only this stream of it. */
    private boolean hungUp;
    /** It is being written that the call is another number's. */
    private boolean transferring;

    private @Nullable Future<?> transferTimer;
    /** Whether this stream's silence has been told: once is enough. */
    private boolean toldSilent;

    private boolean putAway;
    private @Nullable Future<?> startTimer;
    private @Nullable Talk talk;

    /** @param addressed the generation in the stream's address */
    StreamHandler(Channel channel, Streams streams, Seat seat, Origin origin, Tenant tenant, Generation addressed) {
        this.channel = channel;
        this.streams = streams;
        this.seat = seat;
        this.origin = origin;
        this.tenant = tenant;
        this.addressed = addressed;
        this.loop = channel.eventLoop();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        streams.opened(seat, this);
        Duration patience = streams.limits().start();
        startTimer = loop.schedule(
                () -> {
                    if (state == State.AWAITING_START) {
                        fellSilent("no start within " + patience.toMillis() + " ms");
                    }
                },
                patience.toMillis(),
                TimeUnit.MILLISECONDS);
        if (!added.channel().isActive()) {
            gone();
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext reading, WebSocketFrame frame) {
        switch (frame) {
            case TextWebSocketFrame text -> {
                try {
                    received(TwilioMessage.parse(ByteBufUtil.getBytes(text.content())), text.content());
                } catch (IOException e) {
                    close(WebSocketCloseStatus.INVALID_PAYLOAD_DATA, "malformed message");
                }
            }
            case PingWebSocketFrame ping ->
                reading.writeAndFlush(new PongWebSocketFrame(ping.content().retain()));
            case PongWebSocketFrame pong -> {}
            case CloseWebSocketFrame close -> {
                if (state == State.CLOSED) {
                    reading.close(); // the answer to our own: each side sends one
                    return;
                }
                log("closed by the other side");
                gone();
                reading.writeAndFlush(close.retain()).addListener(written -> reading.close());
            }
            default -> close(WebSocketCloseStatus.INVALID_MESSAGE_TYPE, "binary frame");
        }
    }

    private void received(TwilioMessage message, ByteBuf raw) {
        if (state == State.CLOSED) {
            return;
        }
        if (message instanceof TwilioMessage.Start start) {
            start(start, raw);
            return;
        }
        if (state == State.AWAITING_START && message instanceof TwilioMessage.Media) {
            close(WebSocketCloseStatus.POLICY_VIOLATION, "media before start");
            return;
        }
        if (talk != null) {
            talk.received(message, raw);
        }
        if (message instanceof TwilioMessage.Stop) {
            callEnded = true;
            close(WebSocketCloseStatus.NORMAL_CLOSURE, "the call ended");
        }
    }

    private void start(TwilioMessage.Start start, ByteBuf raw) {
        String wrong = wrongIn(start);
        if (!wrong.isEmpty()) {
            close(WebSocketCloseStatus.POLICY_VIOLATION, wrong);
            return;
        }
        state = State.CHECKING;
        Talk answering = streams.talk(tenant, seat, channel, start, raw.toString(StandardCharsets.UTF_8), this);
        talk = answering;
        answerDue = true;
        streams.patience().later(() -> {
            Verdict verdict;
            try {
                verdict = streams.seating().connect(seat, origin);
            } catch (RuntimeException e) {
                verdict = new Verdict.Refused("internal error");
            }
            Verdict reached = verdict;
            loop.execute(() -> decided(reached, answering));
        });
    }

    private String wrongIn(TwilioMessage.Start start) {
        if (state != State.AWAITING_START) {
            return "a second start";
        }
        if (!start.callSid().equals(seat.sid().value())) {
            return "a start for another call";
        }
        if (!start.parameters().getOrDefault("tenant", "").equals(seat.tenant().value())) {
            return "a start for another tenant";
        }
        String generation = start.parameters().getOrDefault("generation", addressed.toString());
        return generation.equals(addressed.toString()) ? "" : "a start for another claim";
    }

    private void decided(Verdict verdict, Talk answering) {
        answerDue = false;
        if (state == State.CLOSED) {
            putAway();
            return;
        }
        switch (verdict) {
            case Verdict.Refused refused -> close(WebSocketCloseStatus.POLICY_VIOLATION, refused.reason());
            case Verdict.Welcome welcome -> {
                if (!streams.admission().connected(seat, streams.clock().instant())) {
                    close(WebSocketCloseStatus.POLICY_VIOLATION, "the seat is gone");
                    return;
                }
                state = State.LIVE;
                streams.journal()
                        .write(seat.entry(
                                "connected", origin.getClass().getSimpleName().toLowerCase(Locale.ROOT)));
                answering.begin(welcome.resumed() ? Opening.RESUME : Opening.GREETING);
            }
        }
    }

    /** Whether somebody talks here on a stream that came under that address; from any thread. */
    boolean isTalkUnder(Generation named) {
        return addressed.equals(named) && streams.admission().isLive(seat);
    }

    /** Waits for the end of the turn, then closes the stream; the first reason stays. */
    void leaveAtBoundary(String reason) {
        loop.execute(() -> {
            if (!leaving && state == State.LIVE) {
                leaving = true;
                long deadline =
                        System.nanoTime() + streams.limits().turnBoundary().toNanos();
                awaitBoundary(reason, deadline);
            }
        });
    }

    private void awaitBoundary(String reason, long deadlineNanos) {
        Talk answering = talk;
        if (state != State.LIVE || answering == null) {
            return;
        }
        if (mayLeave(answering, deadlineNanos)) {
            answering.leave(() -> {
                if (mayLeave(answering, deadlineNanos)) {
                    close(WebSocketCloseStatus.NORMAL_CLOSURE, reason);
                } else {
                    awaitBoundary(reason, deadlineNanos); // somebody spoke meanwhile, or said goodbye
                }
            });
            return;
        }
        loop.schedule(() -> awaitBoundary(reason, deadlineNanos), BOUNDARY_POLL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private boolean mayLeave(Talk answering, long deadlineNanos) {
        boolean due = answering.isAtTurnBoundary() || System.nanoTime() - deadlineNanos >= 0;
        return due && !isEnding(answering);
    }

    /** Whoever is saying goodbye is not moved for it: the call would be taken up again elsewhere. */
    private boolean isEnding(Talk answering) {
        return hungUp || transferring || answering.isFinishing();
    }

    @Override
    public void giveBack(String reason) {
        loop.execute(() -> close(WebSocketCloseStatus.ENDPOINT_UNAVAILABLE, reason));
    }

    @Override
    public void hangUp() {
        if (state != State.LIVE) {
            return;
        }
        callEnded = true;
        hungUp = true;
        Runnable end = () -> close(WebSocketCloseStatus.NORMAL_CLOSURE, "the conversation is finished");
        streams.patience().later(() -> {
            streams.seating().finish(seat);
            loop.execute(end);
        });
        loop.schedule(end, FINISH_GRACE_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void finishing() {
        if (state == State.LIVE) {
            streams.patience().later(() -> streams.seating().finish(seat));
        }
    }

    @Override
    public void transfer(String number, Runnable refused) {
        if (state != State.LIVE || transferring) {
            return;
        }
        if (!streams.mayTransferTo(number)) {
            tell("transfer-refused", "not a number in E.164 that SPILLWAY_TRANSFER_TO allows");
            refused.run();
            return;
        }
        transferring = true;
        transferTimer = loop.schedule(
                () -> transferred(Transfer.UNKNOWN, refused), TRANSFER_GRACE_MILLIS, TimeUnit.MILLISECONDS);
        streams.patience().later(() -> {
            Transfer came;
            try {
                came = streams.seating().transfer(seat, number);
            } catch (RuntimeException e) {
                came = Transfer.UNKNOWN;
            }
            Transfer result = came;
            loop.execute(() -> transferred(result, refused));
        });
    }

    /**
     * An agent that went on talking after an unknown answer could be left in mid-sentence for a number that is dialled after
     * all. So the stream is closed then, too: the webhook that follows finds either the number, or an agent (decision 45).
     */
    private void transferred(Transfer came, Runnable refused) {
        if (transferTimer != null) {
            transferTimer.cancel(false); // or it would judge the next one
        }
        if (state != State.LIVE || !transferring) {
            return;
        }
        transferring = false;
        switch (came) {
            case WRITTEN -> close(WebSocketCloseStatus.NORMAL_CLOSURE, "given to another number");
            case REFUSED -> {
                tell("transfer-refused", "the call's record does not allow it");
                refused.run();
            }
            case UNKNOWN -> {
                tell("transfer-unknown", "the table did not say whether it was written: the next webhook knows");
                close(WebSocketCloseStatus.ENDPOINT_UNAVAILABLE, "given to another number, or not");
            }
        }
    }

    @Override
    public void tell(String event, String reason) {
        streams.journal().write(seat.entry(event, reason));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext complete) {
        if (talk != null) {
            talk.readComplete();
        }
        complete.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (talk != null) {
            talk.writabilityChanged();
        }
        changed.fireChannelWritabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext triggered, Object event) {
        if (event instanceof IdleStateEvent) {
            fellSilent("no frame for " + streams.limits().silence().toMillis() + " ms");
        } else {
            triggered.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        if (state != State.CLOSED) {
            log("the connection is gone");
        }
        gone();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        switch (cause) {
            case TooLongFrameException tooLong -> close(WebSocketCloseStatus.MESSAGE_TOO_BIG, "message too big");
            case CorruptedWebSocketFrameException corrupted -> {
                // The decoder has sent the close frame already.
                log("protocol violation: " + corrupted.closeStatus().code());
                gone();
                caught.close();
            }
            case IOException io -> {
                log("connection broken");
                gone();
                caught.close();
            }
            default -> close(WebSocketCloseStatus.INTERNAL_SERVER_ERROR, "internal error: " + cause.getClass());
        }
    }

    /** Somebody between the caller and us is frozen or gone: this side's close frame will hardly reach Twilio. */
    private void fellSilent(String reason) {
        if (state != State.CLOSED) {
            toldSilent = true;
            streams.fellSilent(seat);
            close(WebSocketCloseStatus.POLICY_VIOLATION, reason);
        }
    }

    private void close(WebSocketCloseStatus status, String reason) {
        if (state == State.CLOSED) {
            return;
        }
        log(reason);
        gone();
        channel.writeAndFlush(new CloseWebSocketFrame(status, reason)).addListener(written -> {
            if (written.isSuccess()) {
                loop.schedule(this::leave, CLOSE_GRACE_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                channel.close();
            }
        });
    }

    /** A close frame that nobody answered may have reached nobody, and then Twilio does not go on by itself. */
    private void leave() {
        if (channel.isActive()) {
            if (!callEnded && !toldSilent) {
                streams.fellSilent(seat);
            }
            channel.close();
        }
    }

    /** The stream is over; its claim is put away, once the table has answered what it was being asked. */
    private void gone() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        if (startTimer != null) {
            startTimer.cancel(false);
        }
        if (talk != null) {
            talk.end();
        }
        if (!answerDue) {
            putAway();
        }
    }

    private void putAway() {
        if (!putAway) {
            putAway = true;
            // A stream's own end may be a move that Twilio was asked for; the call's end is told by its status.
            if (hungUp && talk != null) {
                talk.forget();
            }
            streams.closed(seat, callEnded);
        }
    }

    private void log(String reason) {
        if (state != State.CLOSED) {
            streams.journal().write(seat.entry("stream-closed", reason));
        }
    }
}
