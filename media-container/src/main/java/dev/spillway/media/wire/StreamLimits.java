package dev.spillway.media.wire;

import java.time.Duration;

/**
 * How patient a stream is.
 *
 * @param start how long the {@code start} message may take
 * @param silence how long no frame at all may come
 * @param turnBoundary how long a hand-off waits for the end of a turn
 * @param largestMessageBytes Twilio's own messages are below 1 kB
 */
public record StreamLimits(Duration start, Duration silence, Duration turnBoundary, int largestMessageBytes) {
    public static StreamLimits standard(Duration turnBoundary) {
        return new StreamLimits(Duration.ofSeconds(5), Duration.ofSeconds(30), turnBoundary, 64 * 1024);
    }
}
