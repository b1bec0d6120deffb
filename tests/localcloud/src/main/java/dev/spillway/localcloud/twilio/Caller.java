package dev.spillway.localcloud.twilio;

import dev.spillway.localcloud.twilio.CallHistory.Turn;
import dev.spillway.localcloud.twilio.CallScript.Ending;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The person on the line, in steps of 20 ms: listens to the agent, speaks when the agent has been quiet for 400 ms,
 * and measures how long the answer takes. Confined to the audio thread.
 */
final class Caller {
    /** How long the agent is quiet before the caller takes it as finished; a usual turn-taking pause. */
    private static final int QUIET_FRAMES = 20;

    private enum Phase {
        /** Nothing was heard yet of what the agent is to say. */
        WAITING,
        /** The agent speaks, or paused a moment ago. */
        HEARING,
        /** The agent has finished; the caller draws breath. */
        PAUSING,
        SPEAKING,
        /** No turns left: waiting for the agent to hang up. */
        LISTENING
    }

    /** What a caller can do besides speaking. */
    interface Phone {
        void hangUp();

        void press(String digits);
    }

    private final CallScript script;
    private final CallHistory history;
    private final Phone phone;
    private Phase phase = Phase.WAITING;
    private int frames;
    private int quiet;
    private int sinceUtterance;
    private int heard;
    private int heardWhileSpeaking;
    private int utterancesHeard;
    private int turn;
    private int repeats;
    /** What is being said is said for want of something to hear. */
    private boolean again;

    private boolean bargedIn;
    private boolean corrected;
    private boolean cut;
    private boolean announces;
    private boolean announcedInTurn;
    private int cutMedia;
    private @Nullable Moment startedAt;
    private @Nullable Moment lastSpeechSentAt;
    private @Nullable Moment firstAnswerAt;

    Caller(CallScript script, CallHistory history, Phone phone) {
        this.script = script;
        this.history = history;
        this.phone = phone;
    }

    /** Whether the caller listens for something that has not come yet. */
    boolean waiting() {
        return phase == Phase.WAITING;
    }

    /** Whether the agent owes the caller something to hear: also while the caller asks again for it. */
    boolean isOwed() {
        return waiting() || (speaking() && again);
    }

    boolean speaking() {
        return phase == Phase.SPEAKING;
    }

    /** Lives through 20 ms, having heard something or nothing; answers whether the caller speaks in them. */
    boolean step(boolean audible) {
        frames++;
        sinceUtterance++;
        switch (phase) {
            case WAITING -> waitFor(audible);
            case HEARING -> hear(audible);
            case PAUSING -> pause(audible);
            case SPEAKING -> speak(audible);
            case LISTENING -> {}
        }
        return phase == Phase.SPEAKING;
    }

    private void waitFor(boolean audible) {
        if (correctionIsDue()) {
            correct();
        } else if (audible) {
            enter(Phase.HEARING);
            heard = 1;
            quiet = 0;
        } else if (frames >= framesOf(script.repeatAfter())) {
            if (turn == 0) {
                startTurn(false); // no greeting came: says hello
            } else {
                repeats++;
                enter(Phase.SPEAKING);
            }
            again = true;
        }
    }

    private void hear(boolean audible) {
        quiet = audible ? 0 : quiet + 1;
        heard += audible ? 1 : 0;
        CallScript.BargeIn bargeIn = script.bargeIn().orElse(null);
        Duration patience = script.turn(turn + 1).interruptAfter().orElse(null);
        if (correctionIsDue()) {
            correct();
        } else if (bargeIn != null && bargeIn.utterance() == utterancesHeard && heard >= framesOf(bargeIn.after())) {
            utterancesHeard++;
            startTurn(true);
        } else if (patience != null && heard >= framesOf(patience) && mayTakeAnotherTurn()) {
            utterancesHeard++;
            startTurn(true);
        } else if (quiet >= QUIET_FRAMES) {
            utterancesHeard++;
            enter(nextPhase());
        }
    }

    private Phase nextPhase() {
        return switch (script.ending()) {
            case Ending.After after -> Phase.PAUSING;
            case Ending.AfterTurns(int turns) -> {
                if (turn >= turns) {
                    phone.hangUp();
                    yield Phase.LISTENING;
                }
                yield Phase.PAUSING;
            }
            case Ending.InTurn inTurn -> Phase.PAUSING;
            case Ending.AgentHangsUp(int turns) -> turn >= turns ? Phase.LISTENING : Phase.PAUSING;
        };
    }

    private boolean mayTakeAnotherTurn() {
        return switch (script.ending()) {
            case Ending.After after -> true;
            case Ending.InTurn inTurn -> true;
            case Ending.AfterTurns(int turns) -> turn < turns;
            case Ending.AgentHangsUp(int turns) -> turn < turns;
        };
    }

    private boolean correctionIsDue() {
        if (turn == 0 || corrected) {
            return false;
        }
        Duration after = script.turn(turn).correctAfter().orElse(null);
        return after != null && sinceUtterance >= framesOf(after);
    }

    /** Says it again, differently: what the agent has begun to answer is the old question. */
    private void correct() {
        corrected = true;
        again = false;
        firstAnswerAt = null;
        announcedInTurn = false;
        enter(Phase.SPEAKING);
        record();
    }

    private void pause(boolean audible) {
        if (audible) {
            enter(Phase.HEARING);
            heard = 1;
            quiet = 0;
        } else if (frames >= framesOf(script.pause())) {
            startTurn(false);
        }
    }

    private void startTurn(boolean byInterrupting) {
        turn++;
        repeats = 0;
        again = false;
        corrected = false;
        bargedIn = byInterrupting;
        announcedInTurn = false;
        heardWhileSpeaking = 0;
        cutMedia = 0;
        startedAt = Moment.now();
        lastSpeechSentAt = null;
        firstAnswerAt = null;
        enter(Phase.SPEAKING);
        script.keys().filter(keys -> keys.turn() == turn).ifPresent(keys -> phone.press(keys.digits()));
        String pressed = script.turn(turn).keys();
        if (!pressed.isEmpty()) {
            phone.press(pressed);
        }
    }

    private void speak(boolean audible) {
        heardWhileSpeaking += audible ? 1 : 0;
        long length = framesOf(script.turn(turn).utterance());
        if (script.ending() instanceof Ending.InTurn(int last) && turn >= last && frames >= length / 2) {
            phone.hangUp();
            enter(Phase.LISTENING);
            record();
        } else if (frames >= length) {
            sinceUtterance = 0;
            enter(Phase.WAITING);
            cut = cut && announces; // from here on, audio counts as the answer
            record();
        }
    }

    /** A frame of the caller's speech went to the server. */
    void spoke() {
        lastSpeechSentAt = Moment.now();
    }

    /** An audible media message reached the socket. */
    void agentAudio() {
        if (cut || isOfTheOldGeneration()) {
            cutMedia++;
            record();
        } else if (phase != Phase.SPEAKING && turn > 0 && firstAnswerAt == null) {
            firstAnswerAt = Moment.now();
            record();
        }
    }

    /**
     * The caller has spoken into the agent's speech, and an agent that announces its utterances has not announced another
     * since: what is heard is still the old one, whether the agent will cut it or not.
     */
    private boolean isOfTheOldGeneration() {
        return (bargedIn || corrected) && announces && !announcedInTurn && phase != Phase.SPEAKING && turn > 0;
    }

    /**
     * The agent cut its own speech short; what still comes of it comes too late. If the caller has finished by then,
     * only an agent that announces its utterances lets one tell the rest of the old one from the answer.
     */
    void agentCleared() {
        cut = phase == Phase.SPEAKING || announces;
        if (bargedIn && phase != Phase.SPEAKING && announces && !announcedInTurn) {
            firstAnswerAt = null; // what was heard since was still the old utterance
            record();
            enter(Phase.WAITING);
        }
    }

    /** The agent said who speaks next: this is no longer the speech that was cut. */
    void agentAnnounced() {
        announces = true;
        announcedInTurn = true;
        cut = false;
    }

    private void record() {
        if (startedAt != null) {
            history.turn(new Turn(
                    turn,
                    bargedIn,
                    corrected,
                    repeats,
                    startedAt,
                    lastSpeechSentAt,
                    firstAnswerAt,
                    Duration.ofMillis(heardWhileSpeaking * 20L),
                    cutMedia));
        }
    }

    private void enter(Phase next) {
        phase = next;
        frames = 0;
    }

    private static long framesOf(Duration duration) {
        return duration.toNanos() / Mulaw.FRAME_NANOS;
    }
}
