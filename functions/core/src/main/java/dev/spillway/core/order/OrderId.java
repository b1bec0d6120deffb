package dev.spillway.core.order;

import java.util.regex.Pattern;

/** Names an order; made by whoever gives it, before it is written. */
public record OrderId(String value) {
    private static final Pattern FORM = Pattern.compile("[0-9a-z]{20}");

    public OrderId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("not an order's id (want 20 digits or lower-case letters)");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
