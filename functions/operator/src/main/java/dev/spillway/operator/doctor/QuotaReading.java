package dev.spillway.operator.doctor;

import dev.spillway.operator.DeploymentFiles;
import dev.spillway.operator.doctor.Quotas.Certificate;
import java.net.URI;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.acm.AcmClient;
import software.amazon.awssdk.services.acm.model.CertificateDetail;
import software.amazon.awssdk.services.acm.model.ResourceNotFoundException;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.Subnet;
import software.amazon.awssdk.services.elasticloadbalancingv2.ElasticLoadBalancingV2Client;
import software.amazon.awssdk.services.elasticloadbalancingv2.model.Limit;
import software.amazon.awssdk.services.elasticloadbalancingv2.model.Rule;
import software.amazon.awssdk.services.lambda.LambdaClient;
import software.amazon.awssdk.services.lambda.model.AccountLimit;
import software.amazon.awssdk.services.lambda.model.GetFunctionConcurrencyResponse;

/** Asks the account for its quotas. What it may not ask is left empty. */
final class QuotaReading implements AutoCloseable {
    private static final String RULES = "rules-per-application-load-balancer";

    /** "Fargate On-Demand vCPU resource count" (AWS Fargate service quotas). */
    private static final String FARGATE_VCPUS = "L-3032A538";

    /** Which reserve concurrency. */
    private static final List<String> RESERVING = List.of("fallback", "continue");

    private final DeploymentFiles files;
    private final ElasticLoadBalancingV2Client balancers;
    private final LambdaClient lambda;
    private final AcmClient certificates;
    private final Ec2Client ec2;
    private final ServiceQuota quotas;

    QuotaReading(DeploymentFiles files) {
        Region region = Region.of(files.region());
        this.files = files;
        this.balancers = ElasticLoadBalancingV2Client.builder().region(region).build();
        this.lambda = LambdaClient.builder().region(region).build();
        this.certificates = AcmClient.builder().region(region).build();
        this.ec2 = Ec2Client.builder().region(region).build();
        this.quotas = new ServiceQuota(
                Stream.of("AWS_ENDPOINT_URL_SERVICE_QUOTAS", "AWS_ENDPOINT_URL")
                        .flatMap(name -> Optional.ofNullable(System.getenv(name)).stream())
                        .map(URI::create)
                        .findFirst(),
                files.region());
    }

    /**
     * @param isDeployed whether what the deployment makes for itself should be there
     * @param subnets of the containers; empty if there are none yet
     */
    Quotas read(boolean isDeployed, Collection<String> subnets) {
        return new Quotas(
                quotas.of("fargate", FARGATE_VCPUS),
                subnets.isEmpty() ? Optional.empty() : asked(() -> addresses(subnets)),
                asked(this::rules).flatMap(found -> found),
                asked(this::functions),
                asked(() -> certificate(isDeployed)));
    }

    private int addresses(Collection<String> subnets) {
        return ec2.describeSubnets(request -> request.subnetIds(subnets)).subnets().stream()
                .mapToInt(Subnet::availableIpAddressCount)
                .sum();
    }

    private Optional<Quotas.Rules> rules() {
        return balancers.describeAccountLimits().limits().stream()
                .filter(limit -> RULES.equals(limit.name()))
                .map(Limit::max)
                .map(Double::parseDouble)
                .findFirst()
                .map(quota -> new Quotas.Rules(
                        quota, files.existing().listener().map(this::others).orElse(0)));
    }

    /** The quota is one of the load balancer: all of its listeners' rules count, but for the default ones. */
    private int others(String listener) {
        String balancer = listener.substring(0, listener.lastIndexOf('/')).replace(":listener/", ":loadbalancer/");
        return (int) balancers.describeListeners(request -> request.loadBalancerArn(balancer)).listeners().stream()
                .flatMap(one ->
                        balancers.describeRules(request -> request.listenerArn(one.listenerArn())).rules().stream())
                .filter(rule -> !Boolean.TRUE.equals(rule.isDefault()))
                .filter(rule -> !isOurs(rule))
                .count();
    }

    private boolean isOurs(Rule rule) {
        return rule.conditions().stream()
                .filter(condition -> condition.hostHeaderConfig() != null)
                .flatMap(condition -> condition.hostHeaderConfig().values().stream())
                .anyMatch(host -> host.endsWith("." + files.domain()));
    }

    private Quotas.Functions functions() {
        AccountLimit limit = lambda.getAccountSettings().accountLimit();
        int own = RESERVING.stream().mapToInt(this::reserved).sum();
        return new Quotas.Functions(limit.concurrentExecutions(), limit.unreservedConcurrentExecutions(), own);
    }

    private int reserved(String function) {
        return asked(() -> lambda.getFunctionConcurrency(request -> request.functionName(files.function(function))))
                .map(GetFunctionConcurrencyResponse::reservedConcurrentExecutions)
                .orElse(0);
    }

    private Certificate certificate(boolean isDeployed) {
        Optional<String> named = files.existing().certificate();
        if (named.isPresent()) {
            try {
                CertificateDetail own = certificates
                        .describeCertificate(request -> request.certificateArn(named.get()))
                        .certificate();
                List<String> names = Stream.concat(
                                Stream.ofNullable(own.domainName()), own.subjectAlternativeNames().stream())
                        .distinct()
                        .toList();
                List<String> uncovered = Certificate.uncovered(names, files.hosts());
                if (!uncovered.isEmpty()) {
                    return new Certificate.OfOthers(names, uncovered);
                }
                // One that nobody has validated yet has no end.
                return own.notAfter() == null ? new Certificate.Missing() : new Certificate.Ends(own.notAfter());
            } catch (ResourceNotFoundException e) {
                return new Certificate.Missing();
            }
        }
        return certificates.listCertificatesPaginator().certificateSummaryList().stream()
                .filter(certificate -> certificate.domainName().equals("*." + files.domain()))
                .flatMap(certificate -> Optional.ofNullable(certificate.notAfter()).stream())
                .max(Instant::compareTo)
                .<Certificate>map(Certificate.Ends::new)
                .orElseGet(isDeployed ? Certificate.Missing::new : Certificate.NotYetMade::new);
    }

    private static <T> Optional<T> asked(Supplier<T> question) {
        try {
            return Optional.ofNullable(question.get());
        } catch (SdkException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        balancers.close();
        lambda.close();
        certificates.close();
        ec2.close();
    }
}
