package dev.spillway.core.call;

import dev.spillway.core.Pause;
import dev.spillway.core.call.StreamFailure.Kind;
import dev.spillway.core.tenant.Tenant;
import java.time.Duration;

/** Gives the redirect that follows a stream the time to come; if it does not, the call is sent on by Twilio's REST API. */
public final class MissingRedirect {
    /** Three looks, 1.5 s in all: half of the silence that a caller may hear after a crash (DESIGN.md, invariant 3). */
    private static final int LOOKS = 3;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

    private final StreamFailure failure;
    private final Pause pause;

    public MissingRedirect(StreamFailure failure, Pause pause) {
        this.failure = failure;
        this.pause = pause;
    }

    /** Sends the call on IF it still is on that hop after all looks. */
    public void await(Tenant tenant, CallSid call, int hop, Kind kind) {
        for (int i = 0; i < LOOKS; i++) {
            if (!failure.isCurrent(tenant, call, hop, kind)) {
                return;
            }
            if (!pause.isOver(BETWEEN_LOOKS)) {
                break;
            }
        }
        failure.move(tenant, call, hop, kind);
    }
}
