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
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.ecs.model.ClusterNotFoundException;
import software.amazon.awssdk.services.ecs.model.Service;
import software.amazon.awssdk.services.elasticloadbalancingv2.ElasticLoadBalancingV2Client;

/** Reads what the account has of the deployment. */
final class AccountReading implements AutoCloseable {
    private final DeploymentFiles files;
    private final AwsClients clients;
    private final DynamoPools pools;
    private final ElasticLoadBalancingV2Client balancers;

    AccountReading(DeploymentFiles files, AwsClients clients) {
        this.files = files;
        this.clients = clients;
        this.pools = new DynamoPools(clients.dynamoDb(), files.name());
        this.balancers = ElasticLoadBalancingV2Client.builder()
                .region(Region.of(files.region()))
                .build();
    }

    /** Whether the deployment's table is there: before the first deployment nothing else of it is either. */
    boolean isDeployed() {
        try {
            clients.dynamoDb().describeTable(request -> request.tableName(files.name()));
            return true;
        } catch (ResourceNotFoundException e) {
            return false;
        }
    }

    /** Those that the functions look after. */
    Set<TenantId> listed() {
        return Set.copyOf(new DynamoTenants(clients.dynamoDb(), files.name(), InstantSource.system()).all());
    }

    PoolFacts pool(PoolId id, Set<TenantId> listed, Instant now) {
        Optional<PoolView> view = pools.read(id);
        Optional<Service> service = service(id);
        return new PoolFacts(
                id,
                id.tenant().filter(listed::contains).isPresent(),
                view.map(PoolView::pool)
                        .map(pool -> new PoolFacts.Item(pool.policy().minimum(), pool.desired(), pool.service())),
                service.map(AccountReading::facts),
                service.map(this::targets).orElse(List.of()),
                view.map(seen -> seen.claimable(now).map(Container::address).toList())
                        .orElse(List.of()));
    }

    /** What ECS says of the pool's service; empty if there is none, or no cluster. */
    Optional<PoolFacts.Service> serviceFacts(PoolId id) {
        return service(id).map(AccountReading::facts);
    }

    private static PoolFacts.Service facts(Service own) {
        return new PoolFacts.Service(
                own.desiredCount(),
                own.runningCount(),
                own.deployments().size(),
                own.healthCheckGracePeriodSeconds() == null ? 0 : own.healthCheckGracePeriodSeconds());
    }

    private Optional<Service> service(PoolId id) {
        try {
            return clients
                    .ecs()
                    .describeServices(
                            request -> request.cluster(files.cluster()).services(files.service(id)))
                    .services()
                    .stream()
                    .filter(service -> !"INACTIVE".equals(service.status()))
                    .findFirst();
        } catch (ClusterNotFoundException e) {
            return Optional.empty();
        }
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

    /** Where containers are, or will be; empty if the deployment has not made them yet. */
    List<String> subnets() {
        return files.existing().subnets().isEmpty()
                ? service(PoolId.GATEWAY).stream()
                        .filter(service -> service.networkConfiguration() != null)
                        .flatMap(service -> service.networkConfiguration().awsvpcConfiguration().subnets().stream())
                        .distinct()
                        .toList()
                : files.existing().subnets();
    }

    @Override
    public void close() {
        balancers.close();
    }
}
