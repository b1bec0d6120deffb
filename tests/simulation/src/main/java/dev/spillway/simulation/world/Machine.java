package dev.spillway.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Something that can die or stand still as a whole: a container, one invocation of a function, Twilio. */
final class Machine {
    private final String name;
    private final long clockErrorMicros;
    private final List<Scheduler.Event> stalled = new ArrayList<>();
    private final List<CompletableFuture<?>> asked = new ArrayList<>();
    private boolean mayDie;
    private boolean mayStandStill;
    private boolean dead;
    private boolean frozen;
    private long cutOffUntilMicros;

    /** @param clockErrorMicros how far its clock is ahead */
    Machine(String name, long clockErrorMicros) {
        this.name = name;
        this.clockErrorMicros = clockErrorMicros;
    }

    String name() {
        return name;
    }

    /** From now on it may die at any of its questions. */
    Machine mortal() {
        mayDie = true;
        return this;
    }

    boolean mayDie() {
        return mayDie;
    }

    /** From now on it may stand still for a while before any of its questions. */
    Machine sluggish() {
        mayStandStill = true;
        return this;
    }

    boolean mayStandStill() {
        return mayStandStill;
    }

    long clockErrorMicros() {
        return clockErrorMicros;
    }

    boolean isDead() {
        return dead;
    }

    boolean isFrozen() {
        return frozen;
    }

    /** Whoever waits for this process hears at once that it is gone. */
    void die() {
        if (dead) {
            return;
        }
        dead = true;
        List<CompletableFuture<?>> waiting = List.copyOf(asked);
        asked.clear();
        waiting.forEach(answer -> answer.completeExceptionally(new Death(name)));
    }

    /** An answer that will not come if this process dies. */
    <T> CompletableFuture<T> owes(CompletableFuture<T> answer) {
        if (dead) {
            answer.completeExceptionally(new Death(name));
        } else {
            asked.removeIf(CompletableFuture::isDone);
            asked.add(answer);
        }
        return answer;
    }

    void freeze() {
        frozen = true;
    }

    /** What should have run meanwhile. */
    List<Scheduler.Event> thaw() {
        frozen = false;
        List<Scheduler.Event> late = List.copyOf(stalled);
        stalled.clear();
        return late;
    }

    void stall(Scheduler.Event event) {
        stalled.add(event);
    }

    /** It cannot reach the table until then. */
    void cutOff(long untilMicros) {
        cutOffUntilMicros = untilMicros;
    }

    boolean isCutOff(long nowMicros) {
        return nowMicros < cutOffUntilMicros;
    }
}
