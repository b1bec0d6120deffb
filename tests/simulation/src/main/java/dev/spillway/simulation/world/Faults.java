package dev.spillway.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What goes wrong with single questions: drawn from the seed, from who asks and from how many questions that one asked
 * before. Leaving one fault out leaves the others as they were.
 */
final class Faults {
    /** What becomes of a question. */
    enum Kind {
        NONE,
        /** Refused before anything was changed: throttled, or not reached. */
        BEFORE,
        /** It took effect, and the reply is lost. */
        AFTER,
        /** The answer takes seconds. */
        SLOW,
        /** The process stands still, for longer than a lease perhaps, and asks then. */
        STAND_STILL,
        /** The process dies before the question takes effect. */
        DIE_BEFORE,
        /** The process dies right after it took effect. */
        DIE_AFTER
    }

    /**
     * What the questions of one seed have to bear.
     *
     * @param failing share of questions that fail
     * @param slow share of questions that take seconds
     * @param dying share of a function's questions at which it dies
     * @param standing share of the questions of a holder of a lease before which it stands still
     */
    record Profile(double failing, double slow, double dying, double standing) {
        static final Profile CALM = new Profile(0, 0, 0, 0);
    }

    /**
     * What was drawn for one question.
     *
     * @param requestMicros the way there, and the waiting
     * @param replyMicros the way back
     * @param name empty if nothing goes wrong
     */
    record Drawn(Kind kind, long requestMicros, long replyMicros, String name) {}

    private final long seed;
    private final Set<String> without;
    private final List<String> fired = new ArrayList<>();
    private Profile profile;

    /** @param without names of faults that do not happen */
    Faults(long seed, Profile profile, Set<String> without) {
        this.seed = seed;
        this.profile = profile;
        this.without = without;
    }

    /** From now on nothing fails. */
    void heal() {
        profile = Profile.CALM;
    }

    /** Names of the faults that happened. */
    List<String> fired() {
        return List.copyOf(fired);
    }

    /** Whether this one happens, drawn from its name alone. */
    boolean happens(String name, double probability) {
        if (probability <= 0 || !Chance.of(seed, name).hits(probability) || without.contains(name)) {
            return false;
        }
        fired.add(name);
        return true;
    }

    Drawn draw(Scheduler.Actor who, boolean changes) {
        long number = who.question();
        Chance chance = Chance.of(seed, who.hash(), number);
        double share = chance.share();
        long request = chance.between(500, 6_000);
        long reply = chance.between(500, 4_000);
        Kind kind = kind(chance, share, changes, who.process());
        if (kind == Kind.NONE) {
            return new Drawn(kind, request, reply, "");
        }
        String name = kind + " " + who.name() + " #" + number;
        if (without.contains(name)) {
            return new Drawn(Kind.NONE, request, reply, "");
        }
        fired.add(name);
        return switch (kind) {
            case SLOW -> new Drawn(kind, chance.between(400_000, 4_000_000), reply, name);
            case STAND_STILL -> new Drawn(kind, chance.between(10_000_000, 100_000_000), reply, name);
            case NONE, BEFORE, AFTER, DIE_BEFORE, DIE_AFTER -> new Drawn(kind, request, reply, name);
        };
    }

    private Kind kind(Chance chance, double share, boolean changes, Machine process) {
        double left = share - profile.failing();
        if (left < 0) {
            return changes && chance.hits(0.5) ? Kind.AFTER : Kind.BEFORE;
        }
        left -= profile.slow();
        if (left < 0) {
            return Kind.SLOW;
        }
        if (process.mayDie() && left - profile.dying() < 0) {
            return changes && chance.hits(0.5) ? Kind.DIE_AFTER : Kind.DIE_BEFORE;
        }
        left -= profile.dying();
        return process.mayStandStill() && left - profile.standing() < 0 ? Kind.STAND_STILL : Kind.NONE;
    }
}
