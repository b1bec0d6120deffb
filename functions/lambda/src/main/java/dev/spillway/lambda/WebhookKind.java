package dev.spillway.lambda;

/** Twilio's four ways to call the functions: {@code POST /twilio/{segment}/{tenant}[/{hop}]}. */
enum WebhookKind {
    /** A number's primary URL failed, or points here. */
    FALLBACK("fallback", false, true),
    /** The stream of a hop is over, and the call goes on. */
    CONTINUE("continue", true, true),
    /** The call's own status changed. */
    STATUS("status", true, true),
    /** A stream's status changed; says neither From nor To (FACTS 3). */
    STREAM_STATUS("stream-status", true, false);

    private final String segment;
    private final boolean hop;
    private final boolean numbers;

    WebhookKind(String segment, boolean hop, boolean numbers) {
        this.segment = segment;
        this.hop = hop;
        this.numbers = numbers;
    }

    String segment() {
        return segment;
    }

    /** Whether the path names the hop. */
    boolean hasHop() {
        return hop;
    }

    /** Whether the form names the phone numbers. */
    boolean hasNumbers() {
        return numbers;
    }
}
