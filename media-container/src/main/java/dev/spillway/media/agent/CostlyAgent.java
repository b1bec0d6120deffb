package dev.spillway.media.agent;

import java.time.Duration;

/**
 * An agent that computes for a while with every frame of 20 ms that it hears, so that it is known beforehand how many calls
 * fill a container: 20 ms divided by that. For the calibration of limits.
 */
final class CostlyAgent implements Agent {
    private final Agent agent;
    private final long nanos;

    CostlyAgent(Agent agent, Duration perFrame) {
        this.agent = agent;
        this.nanos = perFrame.toNanos();
    }

    @Override
    public void begin(Opening opening) {
        agent.begin(opening);
    }

    @Override
    public byte[] conversation() {
        return agent.conversation();
    }

    @Override
    public boolean recall(byte[] kept) {
        return agent.recall(kept);
    }

    @Override
    public void heard(byte[] muLaw) {
        Computing.forNanos(nanos);
        agent.heard(muLaw);
    }

    @Override
    public void pressed(String digit) {
        agent.pressed(digit);
    }

    @Override
    public void played(Utterance utterance) {
        agent.played(utterance);
    }

    @Override
    public void transferRefused() {
        agent.transferRefused();
    }

    @Override
    public boolean isAtTurnBoundary() {
        return agent.isAtTurnBoundary();
    }

    @Override
    public void end() {
        agent.end();
    }
}
