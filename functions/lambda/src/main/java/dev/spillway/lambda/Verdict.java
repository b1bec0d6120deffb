package dev.spillway.lambda;

/** What came of the check of a webhook. */
sealed interface Verdict {
    record Accepted(Webhook webhook) implements Verdict {}

    /** Surely wrong. The caller learns the fixed text of its status and nothing else. */
    record Refused(Refusal refusal, String reason) implements Verdict {}

    /** Nobody can say: the tokens cannot be read. Nothing is granted. */
    record Unknowable(String reason) implements Verdict {}

    /** The fixed answers to wrong requests. */
    enum Refusal {
        BAD_REQUEST(400, "bad request"),
        FORBIDDEN(403, "forbidden"),
        NOT_FOUND(404, "not found"),
        METHOD_NOT_ALLOWED(405, "method not allowed"),
        TOO_LARGE(413, "request too large"),
        UNSUPPORTED_TYPE(415, "unsupported content type");

        private final int status;
        private final String text;

        Refusal(int status, String text) {
            this.status = status;
            this.text = text;
        }

        int status() {
            return status;
        }

        String text() {
            return text;
        }
    }
}
