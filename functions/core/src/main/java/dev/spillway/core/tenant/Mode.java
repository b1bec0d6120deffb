package dev.spillway.core.tenant;

/** What a tenant pays for when nobody calls. */
public enum Mode {
    /** Nothing runs without calls. */
    ON_DEMAND(0),
    /** Two containers always run, in two zones. */
    PRODUCTION(2);

    private final int minimum;

    Mode(int minimum) {
        this.minimum = minimum;
    }

    /** The fewest containers of such a pool. */
    public int minimum() {
        return minimum;
    }
}
