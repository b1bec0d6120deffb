package dev.spillway.lambda;

/** Twilio's ways to call the functions: {@code POST /twilio/{segment}/{tenant}} and what the kind adds to it. */
enum WebhookKind {
    /** A number's primary URL failed, or points here. */
    FALLBACK("fallback", Adds.NOTHING, true),
    /** The stream of a hop is over, and the call goes on. */
    CONTINUE("continue", Adds.HOP, true),
    /** The call's own status changed. */
    STATUS("status", Adds.HOP, true),
    /** A stream's status changed; says neither From nor To (FACTS 3). */
    STREAM_STATUS("stream-status", Adds.HOP, false),
    /** The person whom we dialled picked up. */
    DIAL("dial", Adds.DIAL, true),
    /** The status of a call that we made changed. */
    OUTBOUND_STATUS("outbound-status", Adds.DIAL, true);

    /** What the path says beyond the tenant. */
    enum Adds {
        NOTHING,
        /** {@code /{hop}}. */
        HOP,
        /** {@code /{job}/{generation}}. */
        DIAL
    }

    private final String segment;
    private final Adds adds;
    private final boolean numbers;

    WebhookKind(String segment, Adds adds, boolean numbers) {
        this.segment = segment;
        this.adds = adds;
        this.numbers = numbers;
    }

    String segment() {
        return segment;
    }

    Adds adds() {
        return adds;
    }

    /** The parts of a path of this kind, the empty one before the first slash included. */
    int parts() {
        return switch (adds) {
            case NOTHING -> 4;
            case HOP -> 5;
            case DIAL -> 6;
        };
    }

    /** Whether the form names the phone numbers. */
    boolean hasNumbers() {
        return numbers;
    }
}
