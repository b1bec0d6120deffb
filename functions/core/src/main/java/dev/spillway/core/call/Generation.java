package dev.spillway.core.call;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Names one claim: {@code {hop}.{random}}, made by its writer before the write, so that a writer that lost the reply
 * recognises its own write.
 *
 * @param hop which placement of the call it is for, from 1
 * @param random 16 letters or digits
 */
public record Generation(int hop, String random) {
    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,5})\\.([A-Za-z0-9]{16})");

    public Generation {
        if (!FORM.matcher(hop + "." + random).matches()) {
            throw new IllegalArgumentException("not a generation: '" + hop + "." + random + "'");
        }
    }

    public static Optional<Generation> parse(String text) {
        var matcher = FORM.matcher(text);
        return matcher.matches()
                ? Optional.of(new Generation(Integer.parseInt(matcher.group(1)), matcher.group(2)))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return hop + "." + random;
    }
}
