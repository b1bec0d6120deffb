package dev.spillway.adapters.dynamodb;

import dev.spillway.core.DependencyException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * An item, or a map inside one, as it was read. Attributes that nobody asks for are ignored; one that is asked for and
 * is missing or of another kind makes the item unreadable.
 *
 * @param name which item, for messages
 */
record Item(String name, Map<String, AttributeValue> attributes) {
    /** The last layout that this code reads (functions/decisions/0060-versions-run-side-by-side.md). */
    private static final long LAYOUT = 1;

    /**
     * Reads the whole item; whatever its codec cannot accept, or a layout from after this code, makes it unreadable. It is
     * never taken for empty.
     */
    <T> T decode(Function<Item, T> codec) {
        try {
            long layout = optionalNumber("version").orElse(LAYOUT);
            if (layout > LAYOUT) {
                throw new IllegalArgumentException(
                        name + " has layout " + layout + ", and this code knows layouts up to " + LAYOUT);
            }
            return codec.apply(this);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new DependencyException(Table.DEPENDENCY, "item " + name + " is unreadable", e);
        }
    }

    String text(String attribute) {
        return required(attribute, value(attribute).map(AttributeValue::s).orElse(null));
    }

    Optional<String> optionalText(String attribute) {
        return value(attribute).map(AttributeValue::s);
    }

    long number(String attribute) {
        return Long.parseLong(
                required(attribute, value(attribute).map(AttributeValue::n).orElse(null)));
    }

    int smallNumber(String attribute) {
        return Math.toIntExact(number(attribute));
    }

    double fraction(String attribute) {
        return Double.parseDouble(
                required(attribute, value(attribute).map(AttributeValue::n).orElse(null)));
    }

    /** Maps in a list. */
    List<Item> maps(String attribute) {
        return value(attribute).filter(AttributeValue::hasL).map(AttributeValue::l).orElse(List.of()).stream()
                .map(map -> new Item(name + "." + attribute, map.m()))
                .toList();
    }

    boolean flag(String attribute) {
        return required(attribute, value(attribute).map(AttributeValue::bool).orElse(null));
    }

    Optional<Long> optionalNumber(String attribute) {
        return value(attribute).map(AttributeValue::n).map(Long::valueOf);
    }

    Optional<Boolean> optionalFlag(String attribute) {
        return value(attribute).map(AttributeValue::bool);
    }

    /** An attribute in epoch milliseconds. */
    Instant instant(String attribute) {
        return Attributes.ofMillis(number(attribute));
    }

    List<String> texts(String attribute) {
        return value(attribute).filter(AttributeValue::hasL).map(AttributeValue::l).orElse(List.of()).stream()
                .map(AttributeValue::s)
                .toList();
    }

    Item map(String attribute) {
        return optionalMap(attribute).orElseThrow(() -> missing(attribute));
    }

    Optional<Item> optionalMap(String attribute) {
        return value(attribute).filter(AttributeValue::hasM).map(found -> new Item(name + "." + attribute, found.m()));
    }

    Set<String> names() {
        return attributes.keySet();
    }

    private Optional<AttributeValue> value(String attribute) {
        return Optional.ofNullable(attributes.get(attribute));
    }

    private <T> T required(String attribute, @Nullable T value) {
        if (value == null) {
            throw missing(attribute);
        }
        return value;
    }

    private IllegalArgumentException missing(String attribute) {
        return new IllegalArgumentException(name + " has no usable attribute " + attribute);
    }
}
