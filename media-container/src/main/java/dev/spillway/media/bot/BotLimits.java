package dev.spillway.media.bot;

import java.time.Duration;

/**
 * How patient a call is with its bot. Whatever runs out ends the stream, and Twilio goes on with the redirect: a caller is
 * never left with a bot that is gone.
 *
 * @param connect for the name, the connection and the handshake together
 * @param firstAnswer from the start message to the first audio; zero for a bot that waits for the caller
 * @param silence how long nothing may come from it, not even the answer to a ping; a third of it is between two pings
 * @param stall how long it may take nothing of what is sent to it
 * @param close how long it may take to answer our close frame
 * @param queueBytes of messages that wait for the connection
 * @param largestMessageBytes of one message of its: a minute of audio in base64 has 640 kB
 */
public record BotLimits(
        Duration connect,
        Duration firstAnswer,
        Duration silence,
        Duration stall,
        Duration close,
        int queueBytes,
        int largestMessageBytes) {
    /** Guesses, but for the connection: with the webhooks of a move before it, it stays within a caller's 3 s. */
    public static final BotLimits STANDARD = new BotLimits(
            Duration.ofMillis(1_500),
            Duration.ofSeconds(10),
            Duration.ofSeconds(15),
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            128 * 1024,
            1024 * 1024);

    public BotLimits {
        if (connect.isNegative() || connect.isZero() || silence.isZero() || stall.isZero() || queueBytes < 1_024) {
            throw new IllegalArgumentException("a bot needs some time and a queue of at least 1 kB");
        }
    }

    public BotLimits withFirstAnswer(Duration next) {
        return new BotLimits(connect, next, silence, stall, close, queueBytes, largestMessageBytes);
    }
}
