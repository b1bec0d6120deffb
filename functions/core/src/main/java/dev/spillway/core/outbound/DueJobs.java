package dev.spillway.core.outbound;

import dev.spillway.core.Timing;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.Backlog;
import java.time.Instant;

/** Jobs that could be dialled if there were slots, now or soon: demand, within the outbound limit. */
public final class DueJobs implements Backlog {
    private final Jobs jobs;
    private final Timing timing;

    public DueJobs(Jobs jobs, Timing timing) {
        this.jobs = jobs;
        this.timing = timing;
    }

    @Override
    public Work of(PoolView view, Instant now) {
        Outbound outbound = view.pool().outbound();
        if (view.pool().orders().stoppingOutbound(now).isPresent()) {
            return Work.NONE;
        }
        OutboundPolicy policy = outbound.policy();
        if (policy.outboundLimit() == 0 || outbound.pace().dialsOn(now) >= policy.dailyCap()) {
            return Work.NONE; // without a read: nothing of this is asked for a tenant that makes no calls
        }
        int room = policy.outboundLimit() - outbound.calls().size();
        // A slot for which no provider has a conversation left is not worth a container.
        int sessions = policy.tightestProvider()
                .map(provider -> provider.getValue() - Admission.sessions(view))
                .orElse(room);
        int most = Math.max(0, Math.min(room, sessions));
        return view.pool()
                .id()
                .tenant()
                .map(tenant -> Prewarming.plan(jobs.atHand(tenant), policy, most, timing.coldStart(), now))
                .orElse(Work.NONE);
    }
}
