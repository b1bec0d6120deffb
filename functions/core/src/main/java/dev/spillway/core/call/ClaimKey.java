package dev.spillway.core.call;

/**
 * What a claim is kept under on its container's item: the call, or, while Twilio has not named the call yet, the job that
 * is to become one. A claim of a job is renamed to its call when Twilio asks for the TwiML that is pinned to it.
 */
public sealed interface ClaimKey permits CallSid, JobId {
    String value();

    /** @throws IllegalArgumentException if it is neither a CallSid nor a job's id */
    static ClaimKey of(String text) {
        return CallSid.parse(text)
                .<ClaimKey>map(sid -> sid)
                .or(() -> JobId.parse(text))
                .orElseThrow(() -> new IllegalArgumentException("neither a CallSid nor a job's id"));
    }
}
