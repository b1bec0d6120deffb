package dev.spillway.operator.doctor;

import dev.spillway.operator.DeploymentFiles;
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
 * @param functions invocations at once
 * @param certificate that of the pools' names
 */
public record Quotas(
        Optional<Double> fargateVcpus,
        Optional<Integer> subnetAddresses,
        Optional<Rules> rules,
        Optional<Functions> functions,
        Optional<Certificate> certificate) {
    /** Of the fallback and continue functions. */
    private static final int RESERVED = 400;

    /** Lambda keeps this much for functions without a reservation, and refuses a reservation that would leave less. */
    private static final int LEAST_UNRESERVED = 100;

    private static final Duration CERTIFICATE = Duration.ofDays(30);

    /** @param others how many rules the load balancer has that are not the deployment's */
    public record Rules(double quota, int others) {}

    /**
     * @param account of all functions together
     * @param unreserved what is left of it for functions without a reservation
     * @param own what the deployment's functions have reserved already
     */
    public record Functions(int account, int unreserved, int own) {}

    /** The certificate of the deployment's names: of {@code *.domain}, or of each of them. */
    public sealed interface Certificate {
        /** The hosts that none of a certificate's names is for; a star stands for one label (RFC 6125, 6.4.3). */
        static List<String> uncovered(List<String> names, List<String> hosts) {
            return hosts.stream()
                    .filter(host -> !names.contains(host) && !names.contains("*" + host.substring(host.indexOf('.'))))
                    .toList();
        }

        record Ends(Instant at) implements Certificate {}

        record Missing() implements Certificate {}

        /**
         * It is there, and lacks names of the deployment: a caller's TLS would fail.
         *
         * @param uncovered the names that it lacks
         */
        record OfOthers(List<String> names, List<String> uncovered) implements Certificate {
            public OfOthers {
                names = List.copyOf(names);
                uncovered = List.copyOf(uncovered);
            }
        }

        /** The deployment makes its own, and there is no deployment yet. */
        record NotYetMade() implements Certificate {}
    }

    List<Mismatch> against(DeploymentFiles files, Instant now) {
        int containers = files.gatewayMaximum()
                + files.tenants().stream().mapToInt(tenant -> tenant.maximum()).sum();
        double vcpus = files.gatewayMaximum()
                + files.tenants().stream()
                        .mapToDouble(tenant -> tenant.maximum() * tenant.vcpus())
                        .sum();
        List<Mismatch> found = new ArrayList<>();
        fargateVcpus
                .filter(quota -> quota < vcpus)
                .ifPresent(quota -> found.add(new Mismatch(
                        "quota: Fargate On-Demand vCPU",
                        number(quota),
                        number(vcpus) + " if every pool is at its maximum at once",
                        "Ask for more in Service Quotas, or lower the tenants' maximum")));
        subnetAddresses
                .filter(free -> free < containers)
                .ifPresent(free -> found.add(new Mismatch(
                        "free addresses in the subnets",
                        String.valueOf(free),
                        containers + ", one for each container",
                        "Add subnets, or larger ones")));
        rules.ifPresent(asked -> compare(asked, files.tenants().size() + 1, found));
        functions.ifPresent(asked -> compare(asked, found));
        certificate.ifPresent(asked -> compare(asked, files, now, found));
        return found;
    }

    private static void compare(Rules asked, int pools, List<Mismatch> found) {
        if (asked.quota() < pools + asked.others()) {
            found.add(new Mismatch(
                    "quota: rules per load balancer",
                    number(asked.quota()),
                    (pools + asked.others()) + ": one for each pool"
                            + (asked.others() == 0 ? "" : ", and " + asked.others() + " that are there already"),
                    "Ask for more in Service Quotas, or make a second deployment"));
        }
    }

    private static void compare(Functions asked, List<Mismatch> found) {
        int needed = RESERVED + LEAST_UNRESERVED;
        String why = needed + ": " + RESERVED + " are reserved for callers, and Lambda keeps " + LEAST_UNRESERVED;
        if (asked.account() < needed) {
            found.add(new Mismatch(
                    "quota: Lambda concurrency",
                    String.valueOf(asked.account()),
                    why,
                    "Ask for more in Service Quotas; a new account has little, and the deployment fails without it"));
        } else if (asked.unreserved() + asked.own() < needed) {
            found.add(
                    new Mismatch(
                            "Lambda concurrency that nobody else reserved",
                            String.valueOf(asked.unreserved() + asked.own()),
                            why,
                            "Other functions of the account reserve too much: lower theirs, or ask for more in Service Quotas"));
        }
    }

    private static void compare(Certificate asked, DeploymentFiles files, Instant now, List<Mismatch> found) {
        switch (asked) {
            case Certificate.NotYetMade none -> {}
            case Certificate.Missing missing ->
                found.add(new Mismatch(
                        "certificate",
                        files.existing()
                                .certificate()
                                .map(arn -> arn + " is not there")
                                .orElse("none"),
                        "one for *." + files.domain(),
                        "Without it nobody's call arrives: deploy, or name another as existing.certificate"));
            case Certificate.OfOthers others ->
                found.add(new Mismatch(
                        "certificate",
                        "one for " + String.join(", ", others.names()),
                        "one for *." + files.domain() + ", or for " + String.join(", ", others.uncovered())
                                + " as well",
                        "Calls to a name that it lacks do not arrive: name another as existing.certificate"));
            case Certificate.Ends ends -> {
                if (ends.at().isBefore(now.plus(CERTIFICATE))) {
                    found.add(
                            new Mismatch(
                                    "certificate",
                                    "ends " + ends.at(),
                                    "more than " + CERTIFICATE.toDays() + " days",
                                    "Twilio refuses calls to an expired one: renew it; ACM does that while its DNS record is there"));
                }
            }
        }
    }

    private static String number(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }

    /** What could not be looked at. */
    List<String> unknown() {
        List<String> names = new ArrayList<>();
        note(names, "Fargate vCPU", fargateVcpus);
        note(names, "subnet addresses", subnetAddresses);
        note(names, "load-balancer rules", rules);
        note(names, "Lambda concurrency", functions);
        note(names, "certificate", certificate);
        return names;
    }

    private static void note(List<String> names, String name, Optional<?> value) {
        if (value.isEmpty()) {
            names.add(name);
        }
    }
}
