package dev.spillway.media.agent;

import dev.spillway.core.tenant.Persona;
import dev.spillway.core.tenant.Tenant;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The embedded agent: greets, listens, thinks for a set time, answers, lets itself be interrupted, and says farewell when
 * the caller presses {@code #}. It thinks from the caller's last sound on, while it waits whether more comes, so an answer
 * begins after the thinking time or the listening pause of 200 ms, whichever is longer.
 */
public final class ScriptedAgent implements Agent {
    private static final String[] ANSWERS = {
        "Let me look that up for you.", "Yes, that works, I have written it down.", "We are open from nine to five.",
    };

    /**
     * What is kept of a conversation: who wrote it, in which version, and how many answers the caller has heard. Later versions
     * may say more behind that.
     */
    private static final Pattern KEPT = Pattern.compile("scripted 1 ([0-9]{1,9})(\\s.*)?", Pattern.DOTALL);

    /** A tenth of a frame. */
    private static final long SLICE_NANOS = 2_000_000;

    private final String tenant;
    private final Persona persona;
    private final Line line;
    private final Duration think;
    private final Rehearsal rehearsal;
    private final Ear ear = new Ear();
    private int turns;
    private @Nullable Utterance saying;
    private Line.@Nullable Timer thinking;
    private boolean leaving;

    public ScriptedAgent(Tenant tenant, Line line, Duration think) {
        this(tenant, line, think, Rehearsal.NONE);
    }

    ScriptedAgent(Tenant tenant, Line line, Duration think, Rehearsal rehearsal) {
        this.tenant = tenant.id().value();
        this.persona = tenant.persona();
        this.line = line;
        this.think = think;
        this.rehearsal = rehearsal;
    }

    @Override
    public void begin(Opening opening) {
        switch (opening) {
            case GREETING -> say("greeting", persona.greeting());
            case RESUME -> say("resume", persona.resume());
        }
    }

    /** An answer that is being said is not counted: should it be cut by a crash, it is the next one again. */
    @Override
    public byte[] conversation() {
        int heard = isAnswering() ? turns - 1 : turns;
        return heard == 0 ? new byte[0] : ("scripted 1 " + heard).getBytes(StandardCharsets.UTF_8);
    }

    private boolean isAnswering() {
        return saying != null && saying.mark().endsWith(":answer");
    }

    @Override
    public boolean recall(byte[] kept) {
        Matcher known = KEPT.matcher(new String(kept, StandardCharsets.UTF_8));
        if (!known.matches()) {
            return false;
        }
        turns = Integer.parseInt(known.group(1));
        return true;
    }

    @Override
    public void heard(byte[] muLaw) {
        if (leaving) {
            return;
        }
        switch (ear.hear(muLaw, line.nanos())) {
            case NOTHING -> {}
            case STARTED -> interrupt();
            case ENDED -> thinkAndAnswer();
        }
    }

    @Override
    public void pressed(String digit) {
        if (digit.equals("#") && !leaving) {
            interrupt();
            leaving = true;
            say("farewell", persona.farewell());
        }
    }

    @Override
    public void played(Utterance utterance) {
        if (utterance.equals(saying)) {
            saying = null;
            if (leaving) {
                line.hangUp();
            }
        }
    }

    @Override
    public boolean isAtTurnBoundary() {
        return saying == null && thinking == null && !leaving && !ear.isSpeaking();
    }

    @Override
    public void end() {
        stopThinking();
        leaving = true;
    }

    private void interrupt() {
        stopThinking();
        if (saying != null) {
            saying = null;
            line.clear();
        }
    }

    private void thinkAndAnswer() {
        stopThinking();
        compute(rehearsal.cpu().toNanos());
    }

    /** In slices: a turn that costs much must not keep the loop's other calls waiting for all of it. */
    private void compute(long nanos) {
        if (nanos <= 0) {
            answerInTime();
            return;
        }
        thinking = line.after(Duration.ZERO, () -> {
            long slice = Math.min(nanos, SLICE_NANOS);
            Computing.forNanos(slice);
            compute(nanos - slice);
        });
    }

    private void answerInTime() {
        Duration sinceSpeech = Duration.ofNanos(line.nanos() - ear.lastLoudNanos());
        Duration left = think.plus(rehearsal.lookUps()).minus(sinceSpeech);
        thinking = line.after(left.isNegative() ? Duration.ZERO : left, () -> {
            thinking = null;
            say("answer", ANSWERS[turns++ % ANSWERS.length]);
        });
    }

    private void stopThinking() {
        if (thinking != null) {
            thinking.cancel();
            thinking = null;
        }
    }

    private void say(String kind, String text) {
        Duration length = kind.equals("answer")
                ? rehearsal.answer().orElseGet(() -> Speech.lengthOf(text))
                : Speech.lengthOf(text);
        Utterance utterance = new Utterance("persona:" + tenant + ":" + kind, Speech.of(persona.voice(), text, length));
        saying = utterance;
        line.say(utterance);
    }
}
