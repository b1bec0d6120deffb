package dev.spillway.load.ledger;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an adapter saw of an operation. Times are nanoseconds since the start of the run.
 *
 * @param turns of the caller, in order
 * @param gaps times in which the caller heard nothing although something was due
 * @param requests that the call made of the service: webhooks, or HTTP requests
 * @param handOffs moves of the call from one container to another, that the first had prepared
 * @param call how the phone call went; null if it was none
 */
public record Evidence(
        List<TurnSeen> turns,
        List<Gap> gaps,
        List<Request> requests,
        List<HandOff> handOffs,
        @Nullable CallSeen call) {
    public static final Evidence NONE = new Evidence(List.of(), List.of(), List.of(), null);

    /** Of a call that was never handed over. */
    public Evidence(List<TurnSeen> turns, List<Gap> gaps, List<Request> requests, @Nullable CallSeen call) {
        this(turns, gaps, requests, List.of(), call);
    }

    /**
     * A turn of the caller.
     *
     * @param spoken when the caller's last sound was sent; null while speaking
     * @param answered when the first sound of the answer reached the socket; null without one
     * @param manner speak, interrupt or correct
     * @param repeats how often the caller said it again for want of an answer
     * @param staleFrames frames of the interrupted answer that came after the agent had cut it: speech of a wrong generation
     */
    public record TurnSeen(
            int number, @Nullable Long spoken, @Nullable Long answered, String manner, int repeats, int staleFrames) {}

    /** A silence. */
    public record Gap(long from, long nanos) {}

    /**
     * A hand-off.
     *
     * @param from when the first stream's last frame came
     * @param nanos from there to the next stream's first audible frame, without Twilio's own webhook: what the caller hears of
     *     the hand-off itself
     */
    public record HandOff(long from, long nanos) {}

    /**
     * A request to the service.
     *
     * @param status of the answer; 0 without one
     * @param error Twilio's code, or 0
     */
    public record Request(String name, long at, long nanos, int status, int error) {}

    /**
     * A phone call.
     *
     * @param sid the call's; no number is ever kept
     * @param tenant who was called, or called
     * @param moves streams after the first
     * @param framesSent to the service, of 20 ms each
     * @param framesLate sent more than 5 ms after they were due: the generator's own fault
     * @param worstFrameNanos how much the latest of them was late
     * @param heardBytes of audio received
     * @param wrongPersona utterances in the name of another tenant
     * @param gatewayNanos spent on streams of the shared gateway; null if that cannot be told
     * @param waitNanos of an outbound call, from the request until it was dialled; null for others
     * @param end why it ended
     */
    public record CallSeen(
            String sid,
            String tenant,
            int moves,
            long framesSent,
            long framesLate,
            long worstFrameNanos,
            long heardBytes,
            int wrongPersona,
            @Nullable Long gatewayNanos,
            @Nullable Long waitNanos,
            String end) {}
}
