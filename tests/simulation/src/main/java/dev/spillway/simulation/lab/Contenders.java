package dev.spillway.simulation.lab;

import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.scaling.Tuning;
import dev.spillway.simulation.lab.Contender.Asking;
import dev.spillway.simulation.lab.Contender.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Those who are compared. */
final class Contenders {
    private Contenders() {}

    static Rules rules(ScaleOutRule out, ScaleInRule in) {
        return rules(out, in, Tuning.STANDARD, out == ScaleOutRule.AHEAD ? Asking.AHEAD : Asking.OVERFLOW_ONLY);
    }

    static Rules rules(ScaleOutRule out, ScaleInRule in, Tuning tuning, Asking asking) {
        String usual = out == Policy.USUAL_SCALE_OUT && in == Policy.USUAL_SCALE_IN ? "; the usual rules" : "";
        return new Rules(text(out) + " / " + text(in), about(out) + "; " + about(in) + usual, out, in, tuning, asking);
    }

    private static String about(ScaleOutRule rule) {
        return switch (rule) {
            case PLUS_ONE -> "the first text's rule, one container more, while calls wait";
            case DEMAND -> "as many containers as the calls at hand need, while calls wait";
            case AHEAD -> "as demand, and free slots for those to come once a container is full";
        };
    }

    private static String about(ScaleInRule rule) {
        return switch (rule) {
            case IDLE -> "the first text's rule, one idle container after each window without a call";
            case CONSOLIDATE -> "the emptiest drains while a container is too much";
        };
    }

    /** Every pair of the core's rules, and the rivals. */
    static List<Contender> all(int limit) {
        List<Contender> all = new ArrayList<>();
        for (ScaleOutRule out : ScaleOutRule.values()) {
            for (ScaleInRule in : ScaleInRule.values()) {
                all.add(rules(out, in));
            }
        }
        all.addAll(Rivals.all(limit));
        return all;
    }

    /** As an option names it: {@code plus-one}. */
    static String text(Enum<?> rule) {
        return rule.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
