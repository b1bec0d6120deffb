package dev.spillway.localcloud.twilio;

import java.nio.charset.StandardCharsets;

/** How a webhook ended. */
sealed interface WebhookAnswer {

    /** The server answered 2xx. */
    record Success(int status, String contentType, byte[] body) implements WebhookAnswer {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /**
     * The server could not be asked, or did not answer 2xx.
     *
     * @param status of the answer; 0 without one
     * @param errorCode Twilio's
     * @param policy the retry policy that covers it: ct, rt, 4xx, 5xx
     */
    record Failure(int status, int errorCode, String policy, String reason) implements WebhookAnswer {}
}
