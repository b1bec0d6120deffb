package dev.spillway.adapters.aws;

import java.time.Duration;

/**
 * How long a call of the table or the secret store may take. ECS, which nobody waits for on the phone, gets four times
 * that; announcements have a limit of their own.
 *
 * @param attempt one try
 * @param call the whole call with its retries
 * @param connect opening a connection
 */
public record AwsTimeouts(Duration attempt, Duration call, Duration connect) {
    /** DynamoDB usually answers within 10 ms; a caller hears nothing while we wait, and is answered anew after 3 s. */
    public static final AwsTimeouts STANDARD =
            new AwsTimeouts(Duration.ofSeconds(1), Duration.ofMillis(2500), Duration.ofMillis(500));

    /**
     * Nobody waits on the phone for background work, and what it breaks off is done again from the start a minute later: it
     * rather waits for a slow table. ECS keeps four times the standard, which is this.
     */
    public static final AwsTimeouts BACKGROUND =
            new AwsTimeouts(Duration.ofSeconds(3), Duration.ofSeconds(10), Duration.ofSeconds(1));

    public AwsTimeouts {
        if (attempt.compareTo(call) > 0) {
            throw new IllegalArgumentException("one attempt of " + attempt + " is longer than the call of " + call);
        }
    }

    /** Each that many times as long. */
    public AwsTimeouts times(int factor) {
        return new AwsTimeouts(attempt.multipliedBy(factor), call.multipliedBy(factor), connect.multipliedBy(factor));
    }
}
