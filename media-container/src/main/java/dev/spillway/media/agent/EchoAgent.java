package dev.spillway.media.agent;

/**
 * Says back every frame the moment it is heard, and nothing else: for load tests, and to hear what a line does to audio. It
 * never has a turn, so its calls may move at any time.
 */
final class EchoAgent implements Agent {
    private final Line line;

    EchoAgent(Line line) {
        this.line = line;
    }

    @Override
    public void begin(Opening opening) {}

    @Override
    public void heard(byte[] muLaw) {
        line.play(muLaw);
    }

    @Override
    public void pressed(String digit) {}

    @Override
    public void played(Utterance utterance) {}

    @Override
    public boolean isAtTurnBoundary() {
        return true;
    }

    @Override
    public void end() {}
}
