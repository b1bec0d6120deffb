package dev.spillway.infra;

import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.core.pool.Fleet;
import dev.spillway.core.pool.PoolId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awscdk.CustomResource;
import software.amazon.awscdk.RemovalPolicy;
import software.amazon.awscdk.Stack;
import software.amazon.awscdk.services.ecs.CfnService;
import software.amazon.awscdk.services.ecs.CfnTaskDefinition;
import software.amazon.awscdk.services.elasticloadbalancingv2.CfnListenerRule;
import software.amazon.awscdk.services.elasticloadbalancingv2.CfnTargetGroup;
import software.amazon.awscdk.services.iam.PolicyDocument;
import software.amazon.awscdk.services.iam.PolicyStatement;
import software.amazon.awscdk.services.iam.Role;
import software.amazon.awscdk.services.iam.ServicePrincipal;
import software.amazon.awscdk.services.logs.LogGroup;
import software.amazon.awscdk.services.logs.RetentionDays;
import software.amazon.awscdk.services.secretsmanager.Secret;
import software.constructs.Construct;

/**
 * A pool's containers: an ECS service, its target group, its rule at the load balancer, and its item in the table. What is
 * set here and why is in DESIGN.md, "What goes wrong in practice".
 */
final class PoolService extends Construct {
    /** The longest there is: a container that drains, or whose bot is gone, fails its health check, and must not die of it. */
    static final int HEALTH_GRACE_SECONDS = 2_147_483_647;

    /** The most that Fargate gives. */
    static final int STOP_TIMEOUT_SECONDS = 120;

    /**
     * Protected tasks of older deployments run on while their calls do: with three of those and the new one there are four
     * deployments' tasks. A fifth deployment is refused by {@code ./spillway deploy}.
     */
    static final int MAXIMUM_PERCENT = 100 * Fleet.MOST_DEPLOYMENTS;

    /** Calls usually end within it; a container without connections does not wait for it. A guess. */
    private static final int DEREGISTRATION_SECONDS = 600;

    private static final String CONTAINER = "media";
    private static final String BOT = "bot";
    private static final Pattern ECR_IMAGE =
            Pattern.compile("(\\d{12})\\.dkr\\.ecr\\.([a-z0-9-]+)\\.amazonaws\\.com/([^:@]+)[:@].*");

    private final CfnTargetGroup targetGroup;

    /** Of one kind of pool: what differs. */
    record Plan(
            PoolId pool,
            int cpu,
            int memory,
            int priority,
            String description,
            @Nullable BotContainer bot) {}

    PoolService(Construct scope, String id, Names names, Surroundings around, Plan plan, MediaImage image) {
        super(scope, id);
        PoolId pool = plan.pool();
        Secret streamKey = Secrets.streamKey(this, names, pool);
        this.targetGroup = targetGroup(around);
        CfnListenerRule rule = rule(names, around, plan);
        CustomResource item = registered("Custom::SpillwayPool", "Item", around, plan.description(), pool);
        item.getNode().addDependency(streamKey);
        CfnService service = service(names, around, pool, definition(names, around, plan, image, streamKey));
        service.getNode().addDependency(rule);
        // The first container reads its pool and gets its key, so both are written before there is one.
        service.getNode().addDependency(item);
        CustomResource listing = registered("Custom::SpillwayListing", "Listing", around, null, pool);
        listing.getNode().addDependency(service);
    }

    private CustomResource registered(
            String type, String id, Surroundings around, @Nullable String description, PoolId pool) {
        return CustomResource.Builder.create(this, id)
                .resourceType(type)
                .serviceToken(around.registrationArn())
                .properties(
                        description == null
                                ? Map.of("Pool", pool.value())
                                : Map.of("Pool", pool.value(), "Description", description))
                .build();
    }

    private CfnTargetGroup targetGroup(Surroundings around) {
        return CfnTargetGroup.Builder.create(this, "Targets")
                .vpcId(around.vpcId())
                .targetType("ip")
                .protocol("HTTP")
                .port(Network.CONTAINER_PORT)
                .healthCheckEnabled(true)
                .healthCheckPath("/target")
                .healthCheckProtocol("HTTP")
                .healthCheckIntervalSeconds(10)
                .healthCheckTimeoutSeconds(5)
                .healthyThresholdCount(2)
                .unhealthyThresholdCount(2)
                .matcher(
                        CfnTargetGroup.MatcherProperty.builder().httpCode("200").build())
                .targetGroupAttributes(List.of(
                        attribute("load_balancing.algorithm.type", "least_outstanding_requests"),
                        attribute("deregistration_delay.timeout_seconds", String.valueOf(DEREGISTRATION_SECONDS)),
                        attribute("stickiness.enabled", "false")))
                .build();
    }

    private static CfnTargetGroup.TargetGroupAttributeProperty attribute(String key, String value) {
        return CfnTargetGroup.TargetGroupAttributeProperty.builder()
                .key(key)
                .value(value)
                .build();
    }

    private CfnListenerRule rule(Names names, Surroundings around, Plan plan) {
        return CfnListenerRule.Builder.create(this, "Rule")
                .listenerArn(around.listenerArn())
                .priority(plan.priority())
                .conditions(List.of(CfnListenerRule.RuleConditionProperty.builder()
                        .field("host-header")
                        .hostHeaderConfig(CfnListenerRule.HostHeaderConfigProperty.builder()
                                .values(List.of(names.host(plan.pool())))
                                .build())
                        .build()))
                .actions(List.of(CfnListenerRule.ActionProperty.builder()
                        .type("forward")
                        .targetGroupArn(targetGroup.getRef())
                        .build()))
                .build();
    }

    private CfnTaskDefinition definition(
            Names names, Surroundings around, Plan plan, MediaImage image, Secret streamKey) {
        PoolId pool = plan.pool();
        LogGroup logs = LogGroup.Builder.create(this, "Logs")
                .logGroupName("/" + names.deployment() + "/pool/" + pool)
                .retention(RetentionDays.ONE_MONTH)
                .removalPolicy(RemovalPolicy.DESTROY)
                .build();
        Map<String, String> settings = new java.util.TreeMap<>(Map.of(
                "AWS_REGION", Stack.of(this).getRegion(),
                "SPILLWAY_POOL", pool.value(),
                "SPILLWAY_TABLE", around.tableName(),
                "SPILLWAY_EVENT_BUS", around.busName(),
                "SPILLWAY_PUBLIC_URL", names.publicUrl(),
                "SPILLWAY_PORT", String.valueOf(Network.CONTAINER_PORT),
                "SPILLWAY_STOP_TIMEOUT_SECONDS", String.valueOf(STOP_TIMEOUT_SECONDS),
                "SPILLWAY_DEREGISTRATION_SECONDS", String.valueOf(DEREGISTRATION_SECONDS)));
        if (!pool.isGateway()) {
            settings.put("SPILLWAY_VOICE_URL", names.voiceUrl(pool));
        }
        BotContainer bot = plan.bot();
        if (bot != null) {
            settings.putAll(bot.settings());
        }
        settings.put(MetricNames.NAMESPACE_SETTING, names.metrics());
        return CfnTaskDefinition.Builder.create(this, "Definition")
                .family(names.service(pool))
                .requiresCompatibilities(List.of("FARGATE"))
                .networkMode("awsvpc")
                .cpu(String.valueOf(plan.cpu()))
                .memory(String.valueOf(plan.memory()))
                .runtimePlatform(CfnTaskDefinition.RuntimePlatformProperty.builder()
                        .cpuArchitecture("ARM64")
                        .operatingSystemFamily("LINUX")
                        .build())
                .taskRoleArn(role("TaskRole", TaskPolicies.of(this, names, around, pool))
                        .getRoleArn())
                .executionRoleArn(role("ExecutionRole", execution(image, bot, logs, streamKey))
                        .getRoleArn())
                .containerDefinitions(
                        bot == null
                                ? List.of(media(image, settings, logs, streamKey, null))
                                : List.of(
                                        media(image, settings, logs, streamKey, plan.memory() - bot.mebibytes()),
                                        beside(bot, logs)))
                .build();
    }

    /**
     * @param memory in MiB; null for the whole task's. The heap is a share of it (media-container/Dockerfile): with the whole
     *     task's as the measure, heap and bot together could need more than there is, and the kernel would end one of them
     */
    private CfnTaskDefinition.ContainerDefinitionProperty media(
            MediaImage image, Map<String, String> settings, LogGroup logs, Secret streamKey, @Nullable Integer memory) {
        return CfnTaskDefinition.ContainerDefinitionProperty.builder()
                .name(CONTAINER)
                .image(image.uri(this))
                .essential(true)
                .memory(memory)
                .stopTimeout(STOP_TIMEOUT_SECONDS)
                .portMappings(List.of(CfnTaskDefinition.PortMappingProperty.builder()
                        .containerPort(Network.CONTAINER_PORT)
                        .protocol("tcp")
                        .build()))
                .environment(pairs(settings))
                .secrets(List.of(CfnTaskDefinition.SecretProperty.builder()
                        .name("SPILLWAY_STREAM_KEY")
                        .valueFrom(streamKey.getSecretArn())
                        .build()))
                .logConfiguration(logging(logs, CONTAINER))
                .build();
    }

    /**
     * The tenant's own bot. The task ends with it, and is replaced: a container whose bot is gone could only pass its calls on.
     * It is given as long to end as the calls are.
     */
    private CfnTaskDefinition.ContainerDefinitionProperty beside(BotContainer bot, LogGroup logs) {
        return CfnTaskDefinition.ContainerDefinitionProperty.builder()
                .name(BOT)
                .image(bot.image())
                .essential(true)
                .stopTimeout(STOP_TIMEOUT_SECONDS)
                .memory(bot.mebibytes())
                .environment(pairs(bot.environment() == null ? Map.of() : bot.environment()))
                .logConfiguration(logging(logs, BOT))
                .build();
    }

    private static List<CfnTaskDefinition.KeyValuePairProperty> pairs(Map<String, String> settings) {
        return settings.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> CfnTaskDefinition.KeyValuePairProperty.builder()
                        .name(entry.getKey())
                        .value(entry.getValue())
                        .build())
                .toList();
    }

    private CfnTaskDefinition.LogConfigurationProperty logging(LogGroup logs, String container) {
        return CfnTaskDefinition.LogConfigurationProperty.builder()
                .logDriver("awslogs")
                .options(Map.of(
                        "awslogs-group",
                        logs.getLogGroupName(),
                        "awslogs-region",
                        Stack.of(this).getRegion(),
                        "awslogs-stream-prefix",
                        container,
                        // Audio never waits for a log line.
                        "mode",
                        "non-blocking",
                        "max-buffer-size",
                        "4m"))
                .build();
    }

    private Role role(String id, List<PolicyStatement> statements) {
        return Role.Builder.create(this, id)
                .assumedBy(new ServicePrincipal("ecs-tasks.amazonaws.com"))
                .inlinePolicies(Map.of(
                        "Pool",
                        PolicyDocument.Builder.create().statements(statements).build()))
                .build();
    }

    private List<PolicyStatement> execution(
            MediaImage image, @Nullable BotContainer bot, LogGroup logs, Secret streamKey) {
        List<PolicyStatement> statements = new ArrayList<>();
        statements.add(PolicyStatement.Builder.create()
                .actions(List.of("logs:CreateLogStream", "logs:PutLogEvents"))
                .resources(List.of(logs.getLogGroupArn()))
                .build());
        statements.add(PolicyStatement.Builder.create()
                .actions(List.of("secretsmanager:GetSecretValue"))
                .resources(List.of(streamKey.getSecretArn()))
                .build());
        List<String> repositories = Stream.concat(
                        image.repositoryArn(this).stream(),
                        bot == null ? Stream.empty() : repositoryArn(this, bot.image()).stream())
                .distinct()
                .toList();
        if (!repositories.isEmpty()) {
            statements.add(PolicyStatement.Builder.create()
                    .actions(List.of(
                            "ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"))
                    .resources(repositories)
                    .build());
            // The only action here that names no resource.
            statements.add(PolicyStatement.Builder.create()
                    .actions(List.of("ecr:GetAuthorizationToken"))
                    .resources(List.of("*"))
                    .build());
        }
        return statements;
    }

    /** No desired count: a deployment would reset what the functions decided. */
    private CfnService service(Names names, Surroundings around, PoolId pool, CfnTaskDefinition definition) {
        return CfnService.Builder.create(this, "Service")
                .serviceName(names.service(pool))
                .cluster(around.cluster())
                .taskDefinition(definition.getRef())
                .launchType("FARGATE")
                .platformVersion("LATEST")
                .availabilityZoneRebalancing("DISABLED")
                .healthCheckGracePeriodSeconds(HEALTH_GRACE_SECONDS)
                .deploymentConfiguration(CfnService.DeploymentConfigurationProperty.builder()
                        .maximumPercent(MAXIMUM_PERCENT)
                        .minimumHealthyPercent(100)
                        .build())
                .enableEcsManagedTags(true)
                .propagateTags("SERVICE")
                .loadBalancers(List.of(CfnService.LoadBalancerProperty.builder()
                        .containerName(CONTAINER)
                        .containerPort(Network.CONTAINER_PORT)
                        .targetGroupArn(targetGroup.getRef())
                        .build()))
                .networkConfiguration(CfnService.NetworkConfigurationProperty.builder()
                        .awsvpcConfiguration(CfnService.AwsVpcConfigurationProperty.builder()
                                .subnets(around.subnetIds())
                                .securityGroups(List.of(around.containerGroup()))
                                .assignPublicIp(around.publicAddresses() ? "ENABLED" : "DISABLED")
                                .build())
                        .build())
                .build();
    }

    /** The repository of an image in ECR. */
    static java.util.Optional<String> repositoryArn(Construct scope, String uri) {
        Matcher ecr = ECR_IMAGE.matcher(uri);
        return ecr.matches()
                ? java.util.Optional.of("arn:" + Stack.of(scope).getPartition() + ":ecr:" + ecr.group(2) + ":"
                        + ecr.group(1) + ":repository/" + ecr.group(3))
                : java.util.Optional.empty();
    }
}
