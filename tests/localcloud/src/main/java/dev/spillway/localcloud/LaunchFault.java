package dev.spillway.localcloud;

import java.time.Duration;

/** How launches of a service go wrong. */
public sealed interface LaunchFault {

    /** The task stops before it ran. */
    record Fails(String stopCode, String stoppedReason) implements LaunchFault {}

    /** The process starts and exits at once. */
    record Crashes(int exitCode) implements LaunchFault {}

    /** The task runs this much later than the launch delay (real time). */
    record Late(Duration by) implements LaunchFault {}

    /** The task stays PENDING until it is stopped. */
    record Never() implements LaunchFault {}

    /** The image does not exist. */
    static LaunchFault imageError() {
        return new Fails(
                "TaskFailedToStart",
                "CannotPullContainerError: pull image manifest has been retried 1 time(s): failed to resolve ref: not found");
    }

    /** Fargate has no room. */
    static LaunchFault capacityError() {
        return new Fails(
                "TaskFailedToStart",
                "Capacity is unavailable at this time. Please try again later or in a different availability zone");
    }
}
