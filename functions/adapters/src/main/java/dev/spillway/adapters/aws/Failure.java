package dev.spillway.adapters.aws;

import dev.spillway.core.DependencyException;
import java.net.SocketTimeoutException;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * What an exception of the AWS SDK means for us.
 *
 * @param code the service's error code, or the kind of client error; never its message, which may repeat our data
 * @param tries how often the SDK tried; with more than one, an earlier try may have taken effect
 */
public record Failure(Kind kind, String code, int tries) {
    /** Codes by which the services say "too fast" without marking it as throttling. */
    private static final Set<String> THROTTLING = Set.of(
            "ProvisionedThroughputExceededException",
            "RequestLimitExceeded",
            "ThrottlingException",
            "Throttling",
            "TooManyRequestsException",
            "LimitExceededException");

    public enum Kind {
        /** Asked too fast. */
        THROTTLED,
        /** No answer in time: the request may have taken effect, and may still. */
        TIMED_OUT,
        /** No connection, or it broke: the request may have taken effect. */
        UNREACHABLE,
        /** The service has trouble of its own: the request may have taken effect. */
        BROKEN,
        /** The service will not do this: missing rights, a missing table, a wrong request. Nothing took effect. */
        REJECTED
    }

    public static Failure of(SdkException exception) {
        // The SDK counts tries on service errors; on its own errors it does not always.
        int tries = exception.numAttempts() == null ? 1 : exception.numAttempts();
        return switch (exception) {
            case ApiCallTimeoutException e -> new Failure(Kind.TIMED_OUT, "ApiCallTimeout", tries);
            case ApiCallAttemptTimeoutException e -> new Failure(Kind.TIMED_OUT, "ApiCallAttemptTimeout", tries);
            case AbortedException e -> new Failure(Kind.TIMED_OUT, "Aborted", tries);
            case AwsServiceException e -> ofService(e, tries);
            default ->
                hasCause(exception, SocketTimeoutException.class)
                        ? new Failure(Kind.TIMED_OUT, "SocketTimeout", tries)
                        : new Failure(Kind.UNREACHABLE, exception.getClass().getSimpleName(), tries);
        };
    }

    private static boolean hasCause(Throwable failure, Class<? extends Throwable> kind) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    private static Failure ofService(AwsServiceException exception, int tries) {
        String code = exception.awsErrorDetails() == null
                        || exception.awsErrorDetails().errorCode() == null
                ? "status " + exception.statusCode()
                : exception.awsErrorDetails().errorCode();
        if (exception.isThrottlingException() || exception.statusCode() == 429 || THROTTLING.contains(code)) {
            return new Failure(Kind.THROTTLED, code, tries);
        }
        return new Failure(exception.statusCode() >= 500 ? Kind.BROKEN : Kind.REJECTED, code, tries);
    }

    /** Whether the request may have taken effect all the same. */
    public boolean isUncertain() {
        return kind != Kind.REJECTED || tries > 1;
    }

    public DependencyException toException(String dependency, String what, SdkException cause) {
        String reason = switch (kind) {
            case THROTTLED -> "throttled";
            case TIMED_OUT -> "timed out";
            case UNREACHABLE -> "cannot be reached";
            case BROKEN -> "is broken";
            case REJECTED -> "rejects the request";
        };
        return new DependencyException(dependency, what + ": " + reason + " (" + code + ")", cause);
    }
}
