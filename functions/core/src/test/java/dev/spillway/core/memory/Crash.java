package dev.spillway.core.memory;

/** The process that ran a flow is gone: no flow may catch this. */
public final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Crash(String where) {
        super(where);
    }
}
