package dev.spillway.media.wire;

import dev.spillway.media.agent.Agent;
import dev.spillway.media.agent.Agent.Opening;
import dev.spillway.media.agent.Line;
import dev.spillway.media.agent.Utterance;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An embedded agent talks. */
final class AgentTalk implements Talk, Line {
    private final Channel channel;
    private final Call call;
    private final Function<Line, Agent> agents;
    private final Playback playback;
    private @Nullable Agent agent;
    private boolean over;

    AgentTalk(Channel channel, String streamSid, Call call, Function<Line, Agent> agents) {
        this.channel = channel;
        this.call = call;
        this.agents = agents;
        this.playback = new Playback(channel, streamSid, utterance -> {
            if (agent != null) {
                agent.played(utterance);
            }
        });
    }

    @Override
    public void begin(Opening opening) {
        Agent talking = agents.apply(this);
        agent = talking;
        talking.begin(opening);
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
        then.run();
    }

    @Override
    public void forget() {}

    @Override
    public void end() {
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
