package dev.spillway.core.pool;

import java.util.Optional;
import java.util.regex.Pattern;

/** Names a container: the id of its ECS task. */
public record ContainerId(String value) implements Comparable<ContainerId> {
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9-]{1,64}");

    public ContainerId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("not a container id: '" + value + "'");
        }
    }

    public static Optional<ContainerId> parse(String text) {
        return FORM.matcher(text).matches() ? Optional.of(new ContainerId(text)) : Optional.empty();
    }

    @Override
    public int compareTo(ContainerId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
