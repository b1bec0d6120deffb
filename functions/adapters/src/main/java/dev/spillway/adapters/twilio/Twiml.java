package dev.spillway.adapters.twilio;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.util.function.Function;

/** Writes answers as TwiML. */
public final class Twiml {
    /** @param targets gives each pool's streams their place; asked only for an {@link Answer.Stream}'s own pool */
    public Twiml(Callbacks callbacks, Function<PoolId, StreamTarget> targets) {}

    /**
     * The TwiML document for a call's answer, as {@code text/xml} in UTF-8.
     *
     * @param hop which hop of the call this answer is: its continue URL carries it
     */
    public String render(TenantId tenant, CallSid call, int hop, Answer answer) {
        if (hop >= 0) {
            throw new UnsupportedOperationException();
        }
        return tenant.value();
    }
}
