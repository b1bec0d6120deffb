package dev.spillway.media.wire;

import dev.spillway.core.DependencyException;
import dev.spillway.media.agent.Agent;
import dev.spillway.media.agent.Agent.Opening;
import dev.spillway.media.agent.AgentMemory;
import dev.spillway.media.agent.Line;
import dev.spillway.media.agent.Utterance;
import dev.spillway.media.call.Patience;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An embedded agent talks. What it knows of its call is kept whenever something was said to its end, so that another container
 * can go on with it; no caller waits for that but at a hand-off, and then not long.
 */
final class AgentTalk implements Talk, Line {
    /** How long a caller waits for what was kept of his call; its loss is the lesser harm. A guess, well within his 3 s. */
    private static final long RECALL_MILLIS = 500;

    private static final ByteBuffer NOTHING = ByteBuffer.wrap(new byte[0]);

    private final Channel channel;
    private final Call call;
    private final Function<Line, Agent> agents;
    private final @Nullable AgentMemory memory;
    private final Patience patience;
    private final Playback playback;
    private @Nullable Agent agent;
    /** Compared by what is in it. */
    private final @Nullable Keeping<ByteBuffer> keeping;

    private boolean over;
    /** The conversation as it was at the end. */
    private ByteBuffer last = NOTHING;

    /** @param memory null if nothing of the conversation is to be kept */
    AgentTalk(
            Channel channel,
            String streamSid,
            Call call,
            Function<Line, Agent> agents,
            @Nullable AgentMemory memory,
            Patience patience) {
        this.channel = channel;
        this.call = call;
        this.agents = agents;
        this.memory = memory;
        this.patience = patience;
        this.keeping = memory == null
                ? null
                : new Keeping<>(
                        channel.eventLoop(),
                        patience,
                        call,
                        NOTHING,
                        this::conversation,
                        conversation -> saved(memory, conversation));
        this.playback = new Playback(channel, streamSid, utterance -> {
            if (agent != null) {
                agent.played(utterance);
                save();
            }
        });
    }

    private static String saved(AgentMemory memory, ByteBuffer conversation) {
        byte[] bytes = new byte[conversation.remaining()];
        conversation.get(conversation.position(), bytes);
        try {
            return memory.save(bytes) ? "" : "the call has gone on elsewhere";
        } catch (RuntimeException e) {
            return reason(e);
        }
    }

    private void save() {
        if (keeping != null) {
            keeping.save();
        }
    }

    @Override
    public void begin(Opening opening) {
        AgentMemory remembering = memory;
        if (opening == Opening.GREETING || remembering == null) {
            talk(agents.apply(this), opening);
            return;
        }
        Resuming begin = new Resuming(opening);
        patience.later(() -> begin.done(recalled(remembering)));
        channel.eventLoop()
                .schedule(
                        () -> begin.done(
                                new Recalled(null, "the table did not answer within " + RECALL_MILLIS + " ms")),
                        RECALL_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    private void talk(Agent talking, Opening opening) {
        agent = talking;
        talking.begin(opening);
    }

    /** @param why it could not be read; empty if it could */
    private record Recalled(byte @Nullable [] conversation, String why) {}

    private static Recalled recalled(AgentMemory remembering) {
        try {
            return new Recalled(remembering.find().orElse(null), "");
        } catch (RuntimeException e) {
            return new Recalled(null, reason(e));
        }
    }

    private void resume(Opening opening, Recalled recalled) {
        if (over) {
            return;
        }
        Agent talking = agents.apply(this);
        String why = recalled.why();
        byte[] conversation = recalled.conversation();
        if (conversation != null && talking.recall(conversation)) {
            if (keeping != null && conversation.length > 0) {
                keeping.has(ByteBuffer.wrap(conversation));
            }
        } else if (conversation != null) {
            why = "the agent cannot read what was kept";
        }
        if (!why.isEmpty()) {
            call.tell("conversation-lost", why + ": the agent begins anew");
        }
        talk(talking, opening);
    }

    private ByteBuffer conversation() {
        return agent == null || over ? last : ByteBuffer.wrap(agent.conversation());
    }

    private static String reason(RuntimeException broken) {
        return broken instanceof DependencyException
                ? "the table cannot be reached"
                : broken.getClass().getSimpleName();
    }

    /** What was recalled, or that it took too long: whichever comes first, on the event loop. */
    private final class Resuming {
        private final Opening opening;
        private boolean done;

        Resuming(Opening opening) {
            this.opening = opening;
        }

        void done(Recalled recalled) {
            channel.eventLoop().execute(() -> {
                if (!done) {
                    done = true;
                    resume(opening, recalled);
                }
            });
        }
    }

    @Override
    public void received(TwilioMessage message, ByteBuf raw) {
        Agent talking = agent;
        if (talking == null) {
            return;
        }
        switch (message) {
            case TwilioMessage.Media media -> {
                if (media.inbound()) {
                    talking.heard(media.payload());
                }
            }
            case TwilioMessage.Dtmf dtmf -> talking.pressed(dtmf.digit());
            case TwilioMessage.Mark mark -> playback.marked(mark.name());
            case TwilioMessage.Start start -> {}
            case TwilioMessage.Stop stop -> {}
            case TwilioMessage.Other other -> {}
        }
    }

    @Override
    public void readComplete() {}

    @Override
    public void writabilityChanged() {}

    @Override
    public boolean isAtTurnBoundary() {
        return agent == null || agent.isAtTurnBoundary();
    }

    @Override
    public boolean isFinishing() {
        return false; // it tells its call of the end once its last word was heard
    }

    @Override
    public void leave(Runnable then) {
        if (keeping == null || agent == null) {
            then.run();
        } else {
            keeping.leave(then);
        }
    }

    @Override
    public void forget() {
        if (memory != null && keeping != null && keeping.stop()) {
            patience.later(memory::forget);
        }
    }

    @Override
    public void end() {
        if (over) {
            return;
        }
        last = conversation();
        over = true;
        playback.stop();
        if (agent != null) {
            agent.end();
        }
    }

    @Override
    public void say(Utterance utterance) {
        playback.say(utterance);
    }

    @Override
    public void play(byte[] frame) {
        playback.play(frame);
    }

    @Override
    public void clear() {
        playback.clear();
    }

    @Override
    public void hangUp() {
        call.hangUp();
    }

    @Override
    public void transfer(String number) {
        call.transfer(number, () -> {
            if (agent != null && !over) {
                agent.transferRefused();
            }
        });
    }

    @Override
    public Timer after(Duration delay, Runnable action) {
        Future<?> scheduled = channel.eventLoop()
                .schedule(
                        () -> {
                            if (!over) {
                                action.run();
                            }
                        },
                        delay.toNanos(),
                        TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
