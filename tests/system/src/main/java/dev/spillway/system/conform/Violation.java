package dev.spillway.system.conform;

/** What was found instead of what a rule asks for. */
final class Violation extends Exception {
    private static final long serialVersionUID = 1;

    Violation(String found) {
        super(found, null, false, false);
    }
}
