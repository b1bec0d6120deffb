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
import java.time.Duration;
import java.util.Arrays;
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
    /** How long a hand-off waits until the last turn is kept. */
    private static final long SAVE_MILLIS = 1_000;

    private final Channel channel;
    private final Call call;
    private final Function<Line, Agent> agents;
    private final @Nullable AgentMemory memory;
    private final Patience patience;
    private final Playback playback;
    private @Nullable Agent agent;
    /** What the table has; null if nobody knows, as after a save that was not acknowledged. */
    private byte @Nullable [] saved = new byte[0];

    private boolean saving;
    /** Who leaves joined a save that was under way: should it fail, another is tried. */
    private boolean again;
    /** Run once nothing is left to be kept, or there is no more time for it. */
    private @Nullable Runnable leaving;
    /** Something of this call may be in the table. */
    private boolean kept;

    private boolean forgotten;
    private boolean over;
    /** The conversation as it was at the end. */
    private byte[] last = new byte[0];

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
        this.playback = new Playback(channel, streamSid, utterance -> {
            if (agent != null) {
                agent.played(utterance);
                save();
            }
        });
    }

    @Override
    public void begin(Opening opening) {
        AgentMemory keeping = memory;
        if (opening == Opening.GREETING || keeping == null) {
            talk(agents.apply(this), opening);
            return;
        }
        Resuming begin = new Resuming(opening);
        patience.later(() -> begin.done(recalled(keeping)));
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

    private static Recalled recalled(AgentMemory keeping) {
        try {
            return new Recalled(keeping.find().orElse(null), "");
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
            saved = conversation;
            kept = conversation.length > 0;
        } else if (conversation != null) {
            why = "the agent cannot read what was kept";
        }
        if (!why.isEmpty()) {
            call.tell("conversation-lost", why + ": the agent begins anew");
        }
        talk(talking, opening);
    }

    /**
     * Keeps what is new. One save after the other: the table takes what comes last for the newest. Whatever is new when one
     * ends is kept by the next.
     */
    private void save() {
        AgentMemory keeping = memory;
        if (keeping == null || saving || forgotten) {
            return;
        }
        byte[] conversation = conversation();
        byte[] known = saved;
        if (known != null && Arrays.equals(conversation, known)) {
            return;
        }
        saving = true;
        kept = true;
        Save begun = new Save(conversation);
        patience.later(() -> {
            String why;
            try {
                why = keeping.save(conversation) ? "" : "the call has gone on elsewhere";
            } catch (RuntimeException e) {
                why = reason(e);
            }
            String because = why;
            channel.eventLoop().execute(() -> begun.ended(because));
        });
        channel.eventLoop().schedule(begun::isLate, SAVE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** One save; event loop only. */
    private final class Save {
        private final byte[] conversation;
        private boolean told;

        Save(byte[] conversation) {
            this.conversation = conversation;
        }

        void isLate() {
            tell("the table did not answer within " + SAVE_MILLIS + " ms");
        }

        void ended(String why) {
            saving = false;
            saved = why.isEmpty() ? conversation : null;
            if (!why.isEmpty()) {
                tell(why);
            }
            told = true;
            if (again || !Arrays.equals(conversation(), conversation)) {
                again = false;
                save();
            }
            if (!saving) {
                left();
            }
        }

        private void tell(String why) {
            if (!told) {
                told = true;
                call.tell("conversation-unsaved", why);
            }
        }
    }

    private byte[] conversation() {
        return agent == null || over ? last : agent.conversation();
    }

    private void left() {
        Runnable then = leaving;
        leaving = null;
        if (then != null) {
            then.run();
        }
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
        if (saving) {
            again = true;
        } else if (agent != null) {
            save();
        }
        if (!saving) {
            then.run();
            return;
        }
        leaving = then;
        channel.eventLoop()
                .schedule(
                        () -> {
                            if (then.equals(leaving)) {
                                left();
                            }
                        },
                        SAVE_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void forget() {
        AgentMemory forgetting = memory;
        forgotten = true;
        if (forgetting != null && kept) {
            patience.later(forgetting::forget);
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
