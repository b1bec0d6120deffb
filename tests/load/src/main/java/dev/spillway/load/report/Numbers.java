package dev.spillway.load.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** Numbers for people. */
final class Numbers {
    private Numbers() {}

    /** Four digits at most after rounding, without an exponent; "unavailable" for what was not observed. */
    static String plain(@Nullable Double value) {
        if (value == null) {
            return "unavailable";
        }
        if (value == Math.rint(value) && Math.abs(value) < 1e12) {
            return Long.toString(value.longValue());
        }
        return new BigDecimal(value)
                .round(new MathContext(4, RoundingMode.HALF_UP))
                .stripTrailingZeros()
                .toPlainString();
    }

    static @Nullable Double rounded(@Nullable Double value, int places) {
        return value == null
                ? null
                : BigDecimal.valueOf(value)
                        .setScale(places, RoundingMode.HALF_UP)
                        .doubleValue();
    }
}
