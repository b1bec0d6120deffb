package dev.spillway.adapters.dynamodb;

import java.time.Instant;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Values as attributes. */
final class Attributes {
    private Attributes() {}

    static AttributeValue of(String text) {
        return AttributeValue.fromS(text);
    }

    static AttributeValue of(long number) {
        return AttributeValue.fromN(Long.toString(number));
    }

    static AttributeValue of(boolean flag) {
        return AttributeValue.fromBool(flag);
    }

    static AttributeValue of(Map<String, AttributeValue> map) {
        return AttributeValue.fromM(map);
    }

    /** Epoch milliseconds. What lies beyond them, as {@link Instant#MAX} does, becomes the largest or smallest long. */
    static AttributeValue millis(Instant instant) {
        return of(toMillis(instant));
    }

    static long toMillis(Instant instant) {
        long seconds = instant.getEpochSecond();
        if (seconds >= Long.MAX_VALUE / 1000) {
            return Long.MAX_VALUE;
        }
        if (seconds <= Long.MIN_VALUE / 1000) {
            return Long.MIN_VALUE;
        }
        return instant.toEpochMilli();
    }

    static Instant ofMillis(long millis) {
        if (millis == Long.MAX_VALUE) {
            return Instant.MAX;
        }
        return millis == Long.MIN_VALUE ? Instant.MIN : Instant.ofEpochMilli(millis);
    }
}
