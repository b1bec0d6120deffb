package dev.spillway.load.schedule;

import java.util.Locale;

/** Who calls whom. */
public enum Direction {
    /** Somebody calls the tenant. */
    INBOUND,
    /** The tenant is asked, through {@code POST /calls}, to call somebody. */
    OUTBOUND;

    /** As a schedule writes it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
