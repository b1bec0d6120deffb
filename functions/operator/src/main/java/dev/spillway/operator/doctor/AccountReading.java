package dev.spillway.operator.doctor;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.operator.DeploymentFiles;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.acm.AcmClient;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.Subnet;
import software.amazon.awssdk.services.ecs.model.Service;
import software.amazon.awssdk.services.elasticloadbalancingv2.ElasticLoadBalancingV2Client;
import software.amazon.awssdk.services.elasticloadbalancingv2.model.Limit;
import software.amazon.awssdk.services.lambda.LambdaClient;
import software.amazon.awssdk.services.lambda.model.GetAccountSettingsResponse;

/** Reads what the account has. What it may not ask is left out, and told. */
final class AccountReading implements AutoCloseable {
    private static final String RULES_QUOTA = "rules-per-application-load-balancer";

    private final DeploymentFiles files;
    private final AwsClients clients;
    private final DynamoPools pools;
    private final Set<TenantId> listed;
    private final ElasticLoadBalancingV2Client balancers;
    private final Region region;

    AccountReading(DeploymentFiles files, AwsClients clients) {
        this.files = files;
        this.clients = clients;
        this.pools = new DynamoPools(clients.dynamoDb(), files.name());
        this.listed = Set.copyOf(new DynamoTenants(clients.dynamoDb(), files.name(), InstantSource.system()).all());
        this.region = Region.of(files.region());
        this.balancers = ElasticLoadBalancingV2Client.builder().region(region).build();
    }

    PoolFacts pool(PoolId id, Instant now) {
        Optional<PoolView> view = pools.read(id);
        Optional<Service> service = service(id);
        return new PoolFacts(
                id,
                id.tenant().filter(listed::contains).isPresent(),
                view.map(PoolView::pool)
                        .map(pool -> new PoolFacts.Item(pool.policy().minimum(), pool.desired(), pool.service())),
                service.map(own -> new PoolFacts.Service(
                        own.desiredCount(),
                        own.runningCount(),
                        own.deployments().size(),
                        own.healthCheckGracePeriodSeconds() == null ? 0 : own.healthCheckGracePeriodSeconds())),
                service.map(this::targets).orElse(List.of()),
                view.map(seen -> seen.claimable(now).map(Container::address).toList())
                        .orElse(List.of()));
    }

    private Optional<Service> service(PoolId id) {
        return clients
                .ecs()
                .describeServices(request -> request.cluster(files.name()).services(files.service(id)))
                .services()
                .stream()
                .filter(service -> !"INACTIVE".equals(service.status()))
                .findFirst();
    }

    private List<String> targets(Service service) {
        return service.loadBalancers().stream()
                .flatMap(balancer -> balancers
                        .describeTargetHealth(request -> request.targetGroupArn(balancer.targetGroupArn()))
                        .targetHealthDescriptions()
                        .stream())
                .map(target -> target.target().id())
                .toList();
    }

    /** @param fargateVcpus as Service Quotas tells it to people */
    Quotas quotas(Optional<Double> fargateVcpus) {
        try (LambdaClient lambda = LambdaClient.builder().region(region).build();
                AcmClient certificates = AcmClient.builder().region(region).build();
                Ec2Client ec2 = Ec2Client.builder().region(region).build()) {
            Optional<GetAccountSettingsResponse> settings = asked(lambda::getAccountSettings);
            return new Quotas(
                    fargateVcpus,
                    asked(() -> addresses(ec2)),
                    asked(this::rules).flatMap(value -> value),
                    settings.map(all -> all.accountLimit().concurrentExecutions()),
                    settings.map(all -> all.accountLimit().unreservedConcurrentExecutions()),
                    asked(() -> certificateEnds(certificates)).flatMap(end -> end));
        }
    }

    private Optional<Double> rules() {
        return balancers.describeAccountLimits().limits().stream()
                .filter(limit -> RULES_QUOTA.equals(limit.name()))
                .map(Limit::max)
                .map(Double::parseDouble)
                .findFirst();
    }

    private int addresses(Ec2Client client) {
        Set<String> subnets = service(PoolId.GATEWAY).stream()
                .flatMap(service -> service.networkConfiguration().awsvpcConfiguration().subnets().stream())
                .collect(Collectors.toSet());
        return client.describeSubnets(request -> request.subnetIds(subnets)).subnets().stream()
                .mapToInt(Subnet::availableIpAddressCount)
                .sum();
    }

    private Optional<Instant> certificateEnds(AcmClient client) {
        return client.listCertificatesPaginator().certificateSummaryList().stream()
                .filter(certificate -> certificate.domainName().equals("*." + files.domain()))
                .flatMap(certificate -> Optional.ofNullable(certificate.notAfter()).stream())
                .max(Instant::compareTo);
    }

    private static <T> Optional<T> asked(Supplier<T> question) {
        try {
            return Optional.of(question.get());
        } catch (SdkException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        balancers.close();
    }
}
