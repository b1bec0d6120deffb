package dev.spillway.core.outbound;

import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.Backlog;
import java.time.Instant;
import java.util.List;

/** Jobs that could be dialled if there were slots: demand, within the outbound limit. */
public final class DueJobs implements Backlog {
    private final Jobs jobs;

    public DueJobs(Jobs jobs) {
        this.jobs = jobs;
    }

    @Override
    public int due(PoolView view, Instant now) {
        Outbound outbound = view.pool().outbound();
        int most = outbound.policy().outboundLimit() - outbound.calls().size();
        if (view.pool().orders().stoppingOutbound(now).isPresent()) {
            return 0;
        }
        if (most <= 0 || outbound.pace().dialsOn(now) >= outbound.policy().dailyCap()) {
            return 0; // without a read: nothing of this is asked for a tenant that makes no calls
        }
        return view.pool()
                .id()
                .tenant()
                .map(tenant -> within(most, outbound.policy(), jobs.atHand(tenant), now))
                .orElse(0);
    }

    private static int within(int most, OutboundPolicy policy, List<Job> jobs, Instant now) {
        long due = jobs.stream()
                .filter(job -> job.isInWindow(now))
                .filter(job -> policy.countryOf(job.to())
                        .filter(country -> country.isOpen(now))
                        .isPresent())
                .count();
        return (int) Math.min(most, due);
    }
}
