package dev.spillway.adapters.dynamodb;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * One conditional change of one item. In the expressions every attribute is written {@code #name}, since many names are
 * reserved; {@code #name} stands for the attribute {@code name} unless {@link #name} says otherwise.
 */
final class Change {
    private static final Pattern NAME = Pattern.compile("#([A-Za-z]+)");

    private String update;
    private String condition;
    private final Map<String, String> names = new HashMap<>();
    private final Map<String, AttributeValue> values = new HashMap<>();

    private Change(String update, String condition) {
        this.update = update;
        this.condition = condition;
        register(update);
        register(condition);
    }

    private void register(String expression) {
        Matcher matcher = NAME.matcher(expression);
        while (matcher.find()) {
            names.putIfAbsent(matcher.group(), matcher.group(1));
        }
    }

    /** @param update as in UpdateItem; empty for a put or a deletion */
    static Change of(String update, String condition) {
        return new Change(update, condition);
    }

    /** A put or deletion under that condition. */
    static Change onlyIf(String condition) {
        return new Change("", condition);
    }

    /**
     * Sets one attribute more, and requires something more.
     *
     * @param set as in {@code #fence = :fence}; empty for nothing
     */
    Change also(String set, String required) {
        if (!set.isEmpty()) {
            update =
                    update.startsWith("SET ") ? "SET " + set + ", " + update.substring(4) : "SET " + set + " " + update;
        }
        condition = "(" + condition + ") AND (" + required + ")";
        register(update);
        register(condition);
        return this;
    }

    Change name(String placeholder, String attribute) {
        names.put(placeholder, attribute);
        return this;
    }

    Change value(String placeholder, AttributeValue value) {
        values.put(placeholder, value);
        return this;
    }

    Change value(String placeholder, String text) {
        return value(placeholder, Attributes.of(text));
    }

    Change value(String placeholder, long number) {
        return value(placeholder, Attributes.of(number));
    }

    Change value(String placeholder, boolean flag) {
        return value(placeholder, Attributes.of(flag));
    }

    /** In epoch milliseconds. */
    Change value(String placeholder, Instant instant) {
        return value(placeholder, Attributes.millis(instant));
    }

    String update() {
        return update;
    }

    String condition() {
        return condition;
    }

    Map<String, String> names() {
        return names;
    }

    /** Null if there are none: DynamoDB refuses an empty map. */
    @Nullable
    Map<String, AttributeValue> values() {
        return values.isEmpty() ? null : values;
    }
}
