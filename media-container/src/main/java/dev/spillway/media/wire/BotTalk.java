package dev.spillway.media.wire;

import dev.spillway.media.agent.Agent.Opening;
import dev.spillway.media.agent.Turns;
import dev.spillway.media.bot.BotLimits;
import dev.spillway.media.bot.BotMessage;
import dev.spillway.media.bot.BotStart;
import dev.spillway.media.bot.Bots;
import dev.spillway.media.bot.CallMemory;
import dev.spillway.media.call.Patience;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A bot of the tenant's own talks: Twilio's messages go to it as they came, and its messages to Twilio, neither side being
 * read faster than the other takes them. What comes before the bot is connected waits in a bounded queue, and Twilio is not
 * read meanwhile. A bot that cannot be reached, breaks, is never heard, falls silent to pings or takes nothing any more is like a stream
 * that broke: the call is given back, and Twilio goes on with the redirect. A bot that was heard and closes in order has
 * finished the call.
 */
final class BotTalk implements Talk, BotLink.Listener {
    private enum State {
        AWAITING_BEGIN,
        CONNECTING,
        TALKING,
        /** The bot has said its last word; the caller may not have heard it yet. */
        FINISHING,
        OVER
    }

    /** Nobody waits longer for the end of a last sentence. */
    private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(15);
    /** How often the end of a turn is looked for, to save the conversation. */
    private static final long SAVE_MILLIS = 500;

    private final Channel front;
    private final BotLimits limits;
    private final BotStart start;
    private final Call call;
    private final BotLink link;
    private final CallMemory memory;
    private final Patience patience;
    private final @Nullable BotWatch watch;
    private final Turns turns;
    private final Keeping<Integer> keeping;
    private final ArrayDeque<ByteBuf> queue = new ArrayDeque<>();
    private final List<Future<?>> timers = new ArrayList<>();
    private State state = State.AWAITING_BEGIN;
    private int queuedBytes;
    private long sent;
    private boolean stopSent;
    private boolean stranger;
    /** The bot has the call: it was heard, or has ended it itself. That it lives, and even clears, says nothing. */
    private boolean taken;

    private boolean linkOpen;
    private boolean linkLost;
    /** What was kept is being given to the bot, which is connected meanwhile. */
    private boolean restoring;
    /** Turns of the bot that have ended, and times that the call was about to leave: each is worth a save. */
    private int turn;
    /** The bot has spoken since its last turn ended. */
    private boolean spoke;

    private Opening opening = Opening.GREETING;
    private String restored = "";

    /**
     * @param watch told whether the bot was reached; null if nobody watches it
     * @param start Twilio's start message as it came
     */
    BotTalk(
            Channel front,
            Bots.Found bot,
            BotLimits limits,
            CallMemory memory,
            Patience patience,
            @Nullable BotWatch watch,
            String start,
            Call call) {
        this.front = front;
        this.limits = limits;
        this.start = new BotStart(start);
        this.call = call;
        this.memory = memory;
        this.patience = patience;
        this.watch = watch;
        this.link = new BotLink(front.eventLoop(), bot.bot().url(), bot.own(), limits, patience, this);
        this.turns = new Turns(System.nanoTime());
        this.keeping = new Keeping<>(front.eventLoop(), patience, call, 0, () -> turn, ended -> memory.save());
        front.config().setAutoRead(false); // nothing of the caller's is lost: it waits in the kernel
    }

    @Override
    public void begin(Opening beginning) {
        opening = beginning;
        state = State.CONNECTING;
        restoring = opening == Opening.RESUME && memory.isKept();
        link.connect();
        if (restoring) {
            aside(() -> memory.restore(patience), this::restored);
        }
    }

    private void restored(String why) {
        restoring = false;
        restored = why.isEmpty() ? "restored" : "lost";
        if (!why.isEmpty() && state == State.CONNECTING) {
            call.tell("conversation-lost", why + ": the bot begins anew");
        }
        talk();
    }

    /** Works away from the event loop; an empty text means that it was done, another says why not. */
    private void aside(Supplier<String> work, Consumer<String> then) {
        patience.later(() -> {
            String why;
            try {
                why = work.get();
            } catch (RuntimeException e) {
                why = e.getClass().getSimpleName();
            }
            String because = why;
            front.eventLoop().execute(() -> then.accept(because));
        });
    }

    private void saveTurn() {
        if (isAtTurnBoundary()) {
            if (spoke) {
                spoke = false;
                turn++;
            }
            keeping.save();
        }
    }

    @Override
    public void opened() {
        linkOpen = true;
        talk();
    }

    /** Once the bot is there, and knows what it may know of the call. */
    private void talk() {
        if (state != State.CONNECTING || !linkOpen || restoring) {
            return;
        }
        state = State.TALKING;
        link.send(BotStart.CONNECTED);
        link.send(start.with(opening, restored));
        sent = 1;
        for (ByteBuf waiting = queue.poll(); waiting != null; waiting = queue.poll()) {
            forward(waiting);
        }
        link.flush();
        if (!limits.firstAnswer().isZero()) {
            later(limits.firstAnswer(), () -> {
                if (!taken) {
                    broke("the bot said nothing for " + limits.firstAnswer().toMillis() + " ms");
                }
            });
        }
        if (memory.isKept()) {
            timers.add(front.eventLoop()
                    .scheduleAtFixedRate(this::saveTurn, SAVE_MILLIS, SAVE_MILLIS, TimeUnit.MILLISECONDS));
        }
        readOn();
    }

    private void took() {
        if (!taken) {
            taken = true;
            if (watch != null) {
                watch.reached();
            }
        }
    }

    @Override
    public void received(TwilioMessage message, ByteBuf raw) {
        switch (message) {
            case TwilioMessage.Media media -> {
                if (media.inbound()) {
                    turns.heard(media.payload(), System.nanoTime());
                }
            }
            case TwilioMessage.Mark mark -> turns.returned(mark.name());
            case TwilioMessage.Stop stop -> stopSent = true;
            case TwilioMessage.Dtmf dtmf -> {}
            case TwilioMessage.Start repeated -> {}
            case TwilioMessage.Other other -> {}
        }
        switch (state) {
            case AWAITING_BEGIN, CONNECTING -> keep(raw);
            case TALKING -> forward(raw.retain());
            case FINISHING, OVER -> {}
        }
    }

    private void keep(ByteBuf raw) {
        queuedBytes += raw.readableBytes();
        if (queuedBytes > limits.queueBytes()) {
            broke("more than " + limits.queueBytes() + " bytes came before the bot was connected");
            return;
        }
        queue.add(raw.retain());
    }

    /** Takes over the message. */
    private void forward(ByteBuf raw) {
        sent++;
        link.send(new TextWebSocketFrame(raw));
        if (!link.isWritable()) {
            front.config().setAutoRead(false);
        }
    }

    @Override
    public void readComplete() {
        link.flush();
    }

    @Override
    public void writabilityChanged() {
        link.read(front.isWritable());
    }

    @Override
    public void writable() {
        readOn();
    }

    private void readOn() {
        front.config().setAutoRead(state != State.CONNECTING && (state != State.TALKING || link.isWritable()));
    }

    @Override
    public void said(TextWebSocketFrame frame) {
        if (state != State.TALKING) {
            return;
        }
        BotMessage message;
        try {
            message = BotMessage.parse(ByteBufUtil.getBytes(frame.content()));
        } catch (IOException e) {
            strange("a message that is not Twilio's: " + e.getClass().getSimpleName());
            return;
        }
        long now = System.nanoTime();
        switch (message) {
            case BotMessage.Media media -> {
                took();
                turns.said(media.bytes(), now);
                spoke = true;
                back(frame);
            }
            case BotMessage.Mark mark -> {
                turns.marked(mark.name());
                back(frame);
            }
            case BotMessage.Clear clear -> {
                turns.cleared(now);
                back(frame);
            }
            case BotMessage.HangUp hangUp -> {
                took();
                hangUp("the bot hung up");
            }
            case BotMessage.Transfer transfer -> {
                took();
                finish("the bot gives the call to another number", () -> call.transfer(transfer.number(), this::goOn));
            }
            case BotMessage.Other other -> strange("an event that Twilio does not know");
        }
    }

    private void back(TextWebSocketFrame frame) {
        front.write(frame.retain());
        if (!front.isWritable()) {
            link.read(false);
        }
    }

    /** One line for all of them: Twilio, too, complains once a stream (31951). */
    private void strange(String reason) {
        if (!stranger) {
            stranger = true;
            call.tell("bot-message-dropped", reason);
        }
    }

    @Override
    public void saidAll() {
        front.flush();
    }

    /** What was to be its last word was not: the conversation goes on. */
    private void goOn() {
        if (linkLost) {
            call.giveBack("the bot is gone");
        } else if (state == State.FINISHING) {
            state = State.TALKING;
            link.send(BotStart.TRANSFER_REFUSED);
            link.flush();
        }
    }

    @Override
    public void closed(int status) {
        linkLost = true;
        if (state == State.TALKING && taken && (status == 1_000 || status == 1_005)) {
            hangUp("the bot closed with " + status);
        } else if (state == State.TALKING || state == State.CONNECTING) {
            broke("the bot closed with " + status);
        }
    }

    @Override
    public void broke(String reason) {
        linkLost = true;
        if (state == State.AWAITING_BEGIN || state == State.CONNECTING || state == State.TALKING) {
            call.tell("bot-broke", reason);
            if (watch != null && state != State.AWAITING_BEGIN && !taken) {
                watch.refused(reason);
            }
            state = State.FINISHING;
            call.giveBack("the bot is gone");
        }
    }

    private void hangUp(String reason) {
        call.finishing();
        finish(reason, call::hangUp);
    }

    /** Once the caller has heard what was said. */
    private void finish(String reason, Runnable ending) {
        call.tell("bot-finished", reason);
        state = State.FINISHING;
        readOn();
        Duration unheard = turns.unheard(System.nanoTime());
        later(unheard.compareTo(LONGEST_FAREWELL) < 0 ? unheard : LONGEST_FAREWELL, ending);
    }

    @Override
    public boolean isAtTurnBoundary() {
        return state == State.TALKING && turns.isBoundary(System.nanoTime());
    }

    @Override
    public boolean isFinishing() {
        return state == State.FINISHING;
    }

    @Override
    public void leave(Runnable then) {
        if (memory.isKept() && state == State.TALKING) {
            turn++; // the caller may have said something since
            keeping.leave(then);
        } else {
            then.run();
        }
    }

    @Override
    public void forget() {
        if (memory.isKept()) {
            keeping.stop();
            aside(memory::forget, why -> {});
        }
    }

    @Override
    public void end() {
        State before = state;
        state = State.OVER;
        timers.forEach(timer -> timer.cancel(false));
        timers.clear();
        for (ByteBuf waiting = queue.poll(); waiting != null; waiting = queue.poll()) {
            waiting.release();
        }
        if (sent > 0 && !stopSent && before != State.AWAITING_BEGIN) {
            link.send(start.stop(sent + 1));
        }
        link.close();
        front.config().setAutoRead(true); // Twilio's answer to our close frame
    }

    private void later(Duration delay, Runnable action) {
        timers.add(front.eventLoop()
                .schedule(
                        () -> {
                            if (state != State.OVER) {
                                action.run();
                            }
                        },
                        delay.toNanos(),
                        TimeUnit.NANOSECONDS));
    }
}
