package dev.spillway.infra;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.tenant.Principal;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is true for the whole deployment; {@code deployment.schema.json} describes the file.
 *
 * @param name begins the name of everything; lower case
 * @param domain {@code api.}, {@code gateway.} and a name per tenant are made in it
 * @param zones in which the network is made; the region's first two if they are missing. Fargate is not in every zone
 * @param image the media container's image; without it the image is built from the sources when it is deployed
 * @param alarmEmail who is told of alarms; nobody if it is missing
 * @param runbookUrl where the runbook can be read
 * @param operators ARNs of IAM users and roles that may ask the HTTP API about every tenant
 * @param gateway the shared pool
 * @param existing what is there already and is used as it is
 */
record Deployment(
        @JsonProperty("$schema") @Nullable String schema,
        String name,
        String region,
        String domain,
        @Nullable List<String> zones,
        @Nullable String image,
        @Nullable String alarmEmail,
        String runbookUrl,
        @Nullable List<String> operators,
        @Nullable Gateway gateway,
        @Nullable Existing existing) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,20}");

    /** @param spareSlots slots that are kept free beyond the calls at hand */
    record Gateway(int minimum, int maximum, int spareSlots) {
        /** DESIGN.md: at least three containers in two zones; one container's slots to spare, and a maximum that is a guess. */
        static final Gateway USUAL = new Gateway(3, 10, 6);
    }

    /** @param zones one for each of the subnets */
    record ExistingVpc(
            String id,
            List<String> zones,
            List<String> subnets,
            @Nullable Boolean publicAddresses) {
        ExistingVpc {
            zones = List.copyOf(zones);
            subnets = List.copyOf(subnets);
            if (zones.stream().distinct().count() < 2 || zones.size() != subnets.size()) {
                throw new IllegalArgumentException(
                        "existing.vpc: want subnets in two zones or more, and a zone for each" + " subnet, not "
                                + subnets.size() + " subnets and zones " + zones);
            }
        }

        /** Without public addresses the subnets need their own way out: to AWS, and to the agents' providers. */
        boolean hasPublicAddresses() {
            return publicAddresses == null || publicAddresses;
        }
    }

    record ExistingLoadBalancer(
            String listenerArn, String fullName, String securityGroup, String dnsName, String zone) {}

    record ExistingZone(String id, String name) {}

    /** Each is optional. */
    record Existing(
            @Nullable ExistingVpc vpc,
            @Nullable String cluster,
            @Nullable ExistingLoadBalancer loadBalancer,
            @Nullable String certificate,
            @Nullable ExistingZone zone) {
        static final Existing NOTHING = new Existing(null, null, null, null, null);
    }

    Deployment {
        if (name == null || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("name: want " + NAME + ", not '" + name + "'");
        }
        if (region == null || domain == null || runbookUrl == null) {
            throw new IllegalArgumentException("want region, domain and runbookUrl");
        }
        if (zones != null) {
            zones = List.copyOf(zones);
            if (zones.stream().distinct().count() < 2
                    || zones.stream().distinct().count() != zones.size()) {
                throw new IllegalArgumentException("zones: want two zones or more, each once, not " + zones);
            }
            if (existing != null && existing.vpc() != null) {
                throw new IllegalArgumentException(
                        "zones are of a network that is made, and existing.vpc is there already");
            }
        }
        operators = operators == null ? List.of() : List.copyOf(operators);
        for (String operator : operators) {
            if (Principal.parse(operator).isEmpty()) {
                throw new IllegalArgumentException(
                        "operators: want ARNs of IAM users and roles, not '" + operator + "'");
            }
        }
        existing = existing == null ? Existing.NOTHING : existing;
        if (existing.certificate() == null && existing.zone() == null) {
            throw new IllegalArgumentException(
                    "existing.certificate is missing, and without existing.zone none can be made:"
                            + " name a certificate for *." + domain + ", or the hosted zone of " + domain);
        }
        if (existing.vpc() != null && !existing.vpc().hasPublicAddresses() && existing.loadBalancer() == null) {
            throw new IllegalArgumentException(
                    "existing.vpc has no public addresses, and a load balancer that faces the"
                            + " internet cannot be made in private subnets: name one of the house's as existing.loadBalancer");
        }
        if (existing.loadBalancer() != null && existing.vpc() == null) {
            throw new IllegalArgumentException("existing.loadBalancer needs existing.vpc: the VPC in which it is");
        }
        ExistingZone zone = existing.zone();
        if (zone != null && !domain.equals(zone.name()) && !domain.endsWith("." + zone.name())) {
            throw new IllegalArgumentException(
                    "existing.zone is " + zone.name() + ", and no name in " + domain + " can be made in it");
        }
        inRegion("existing.certificate", existing.certificate(), region);
        inRegion(
                "existing.loadBalancer.listenerArn",
                existing.loadBalancer() == null ? null : existing.loadBalancer().listenerArn(),
                region);
    }

    /** A listener takes certificates of its own region only, and a rule is made where its listener is. */
    private static void inRegion(String what, @Nullable String arn, String region) {
        if (arn == null) {
            return;
        }
        String[] parts = arn.split(":", 6);
        if (parts.length < 6 || !parts[0].equals("arn") || !parts[3].equals(region)) {
            throw new IllegalArgumentException(what + ": want an ARN in " + region + ", not '" + arn + "'");
        }
    }

    /** As the functions read them. */
    String operatorList() {
        return operators == null ? "" : String.join(",", operators);
    }

    Names names() {
        return new Names(name, domain);
    }

    Existing using() {
        return Optional.ofNullable(existing).orElse(Existing.NOTHING);
    }

    Policy gatewayPolicy() {
        Gateway wanted = gateway == null ? Gateway.USUAL : gateway;
        if (wanted.minimum() < 3) {
            throw new IllegalArgumentException("gateway.minimum: want 3 containers or more, not " + wanted.minimum()
                    + ": with one lost and one starting, somebody must still answer");
        }
        return new Policy(
                wanted.minimum(),
                wanted.maximum(),
                TenantPlan.USUAL_LIMIT,
                wanted.spareSlots(),
                ScaleOutRule.DEMAND,
                ScaleInRule.IDLE);
    }
}
