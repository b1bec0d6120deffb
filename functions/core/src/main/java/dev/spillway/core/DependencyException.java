package dev.spillway.core;

/**
 * A dependency (table, ECS, event bus, telephony API) did not do its work: throttled, unreachable, timed out or broken.
 * Whether a write took effect is unknown. An expected refusal is never this exception but a value.
 */
public final class DependencyException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String dependency;

    public DependencyException(String dependency, String message, Throwable cause) {
        super(dependency + ": " + message, cause);
        this.dependency = dependency;
    }

    public String dependency() {
        return dependency;
    }
}
