package dev.spillway.operator.doctor;

import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.PoolId;
import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A pool as the table, ECS and the load balancer show it.
 *
 * @param listed whether it is in the directory of tenants; the gateway need not be
 * @param item what its item says; empty if there is none
 * @param service what ECS says; empty if there is none
 * @param targets addresses in its target group
 * @param containers addresses of its containers that serve
 */
public record PoolFacts(
        PoolId pool,
        boolean listed,
        Optional<Item> item,
        Optional<Service> service,
        List<String> targets,
        List<String> containers) {

    /** Of the table. */
    public record Item(int minimum, int desired, String service) {}

    /** @param deployments that are active */
    public record Service(int desired, int running, int deployments, long graceSeconds) {}

    private static final long LONGEST_GRACE_SECONDS = 2_147_483_647;

    public PoolFacts {
        targets = List.copyOf(targets);
        containers = List.copyOf(containers);
    }

    /** @param tenant as the file says; empty for the gateway */
    List<Mismatch> against(DeploymentFiles files, Optional<TenantEntry> tenant) {
        List<Mismatch> found = new ArrayList<>();
        String stack = "Deploy its stack: ./spillway cdk deploy " + files.service(pool);
        if (tenant.isPresent() && !listed) {
            found.add(new Mismatch("tenant " + pool, "not in the directory", "listed", stack));
        }
        if (item.isEmpty()) {
            found.add(new Mismatch("pool " + pool, "no item in the table", "one", stack));
        }
        if (service.isEmpty()) {
            found.add(new Mismatch("pool " + pool, "no ECS service", files.service(pool), stack));
        }
        item.ifPresent(own -> {
            tenant.filter(entry -> entry.mode().minimum() != own.minimum())
                    .ifPresent(entry -> found.add(new Mismatch(
                            "pool " + pool,
                            "minimum " + own.minimum(),
                            entry.mode().minimum() + " as its mode is " + entry.mode(),
                            stack)));
            if (!own.service().equals(files.service(pool))) {
                found.add(new Mismatch("pool " + pool, "service " + own.service(), files.service(pool), stack));
            }
        });
        service.ifPresent(own -> compare(own, found));
        for (String address : containers) {
            if (!targets.contains(address)) {
                found.add(new Mismatch(
                        "pool " + pool,
                        "container at " + address + " serves and is no target",
                        "registered",
                        "The load balancer sends it nothing; ECS registers targets: look at the service's events"));
            }
        }
        return found;
    }

    private void compare(Service own, List<Mismatch> found) {
        item.filter(table -> table.desired() != own.desired())
                .ifPresent(table -> found.add(new Mismatch(
                        "pool " + pool,
                        "ECS wants " + own.desired() + " containers",
                        table.desired() + " as the table says",
                        "The reconciler corrects it within a minute; if it stays, look at its errors")));
        if (own.graceSeconds() != LONGEST_GRACE_SECONDS) {
            found.add(new Mismatch(
                    "pool " + pool,
                    "health-check grace of " + own.graceSeconds() + " s",
                    LONGEST_GRACE_SECONDS + " s",
                    "ECS would kill containers that are full: somebody changed the service by hand; deploy it again"));
        }
        tooManyDeployments(pool, own).ifPresent(found::add);
    }

    /** ECS bounds how many deployments may wait for old containers' calls. */
    static Optional<Mismatch> tooManyDeployments(PoolId pool, Service own) {
        return own.deployments() < Fleet.MOST_DEPLOYMENTS
                ? Optional.empty()
                : Optional.of(new Mismatch(
                        "pool " + pool,
                        own.deployments() + " active deployments",
                        "fewer than " + Fleet.MOST_DEPLOYMENTS,
                        "Wait until old containers' calls have ended before you deploy again"));
    }
}
