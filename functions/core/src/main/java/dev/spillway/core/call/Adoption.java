package dev.spillway.core.call;

import dev.spillway.core.attempt.Cause;
import dev.spillway.core.attempt.Slots;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an adoption adds to a call's story. A call that the gateway takes in at a hop which nobody wrote was sent there
 * when the table could not be used: that is a hold, too, and its cause is the dependency.
 */
public final class Adoption {
    private static final String UNWRITTEN = "sent to the gateway when the table could not be used";

    private Adoption() {}

    /**
     * @param known the call as it was; null if it had no record
     * @param here where it is now
     */
    public static List<Step> steps(TenantId tenant, @Nullable Call known, Answer.Stream here) {
        int hop = here.generation().hop();
        Step connected = Step.connected(here, known == null ? Calls.UNKNOWN : Calls.ADOPTED);
        if (!here.pool().isGateway() || (known != null && known.hop() >= hop)) {
            return List.of(connected);
        }
        Slots unseen = Slots.unseen(PoolId.of(tenant));
        Step sent = hop == 1
                ? Step.held(hop, here.container(), Cause.DEPENDENCY, unseen, UNWRITTEN, here.at())
                : Step.movedToGateway(hop, here.container(), Cause.DEPENDENCY, unseen, UNWRITTEN, here.at());
        return List.of(sent, connected);
    }
}
