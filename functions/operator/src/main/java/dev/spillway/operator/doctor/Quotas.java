package dev.spillway.operator.doctor;

import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.DeploymentFiles.TenantEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the account lets us have; each is empty if it could not be asked.
 *
 * @param fargateVcpus at once in the region
 * @param subnetAddresses free in all of the deployment's subnets
 * @param rules of one load balancer
 * @param concurrency of all functions of the account
 * @param unreserved what is left of it for functions without a reservation
 * @param certificateEnds when the certificate ends
 */
public record Quotas(
        Optional<Double> fargateVcpus,
        Optional<Integer> subnetAddresses,
        Optional<Double> rules,
        Optional<Integer> concurrency,
        Optional<Integer> unreserved,
        Optional<Instant> certificateEnds) {
    /** Of the fallback and continue functions. */
    private static final int RESERVED = 400;

    /** Lambda keeps this much for functions without a reservation. */
    private static final int LEAST_UNRESERVED = 100;

    private static final Duration CERTIFICATE = Duration.ofDays(30);

    /** @param gatewayMaximum containers of the gateway at most */
    List<Mismatch> against(DeploymentFiles files, int gatewayMaximum, Instant now) {
        int containers = gatewayMaximum
                + files.tenants().stream().mapToInt(TenantEntry::maximum).sum();
        List<Mismatch> found = new ArrayList<>();
        fargateVcpus
                .filter(quota -> quota < containers)
                .ifPresent(quota -> found.add(new Mismatch(
                        "quota: Fargate On-Demand vCPU",
                        String.valueOf(quota.intValue()),
                        containers + " if every pool is at its maximum at once",
                        "Ask for more in Service Quotas, or lower the tenants' maximum")));
        subnetAddresses
                .filter(free -> free < containers)
                .ifPresent(free -> found.add(new Mismatch(
                        "free addresses in the subnets",
                        String.valueOf(free),
                        containers + ", one for each container",
                        "Add subnets, or larger ones")));
        int rulesNeeded = files.tenants().size() + 1;
        rules.filter(quota -> quota < rulesNeeded)
                .ifPresent(quota -> found.add(new Mismatch(
                        "quota: rules per load balancer",
                        String.valueOf(quota.intValue()),
                        rulesNeeded + ", one for each pool",
                        "Ask for more in Service Quotas, or make a second deployment")));
        concurrency
                .filter(quota -> quota < RESERVED + LEAST_UNRESERVED)
                .ifPresent(quota -> found.add(new Mismatch(
                        "quota: Lambda concurrency",
                        String.valueOf(quota),
                        RESERVED + LEAST_UNRESERVED + ": " + RESERVED + " are reserved for callers",
                        "Ask for more in Service Quotas")));
        unreserved
                .filter(left -> left < LEAST_UNRESERVED)
                .ifPresent(left -> found.add(new Mismatch(
                        "Lambda concurrency that nobody reserved",
                        String.valueOf(left),
                        String.valueOf(LEAST_UNRESERVED),
                        "Other functions of the account reserve too much")));
        certificateEnds
                .filter(end -> end.isBefore(now.plus(CERTIFICATE)))
                .ifPresent(
                        end -> found.add(
                                new Mismatch(
                                        "certificate",
                                        "ends " + end,
                                        "more than " + CERTIFICATE.toDays() + " days",
                                        "Twilio refuses calls to an expired one: renew it; ACM does that while its DNS record is there")));
        return found;
    }

    /** What could not be looked at. */
    List<String> unknown() {
        List<String> names = new ArrayList<>();
        note(names, "Fargate vCPU", fargateVcpus);
        note(names, "subnet addresses", subnetAddresses);
        note(names, "load-balancer rules", rules);
        note(names, "Lambda concurrency", concurrency);
        note(names, "certificate", certificateEnds);
        return names;
    }

    private static void note(List<String> names, String name, Optional<?> value) {
        if (value.isEmpty()) {
            names.add(name);
        }
    }
}
