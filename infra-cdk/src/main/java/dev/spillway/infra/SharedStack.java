package dev.spillway.infra;

import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.core.pool.PoolId;
import dev.spillway.lambda.DeployedFunction;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awscdk.CfnOutput;
import software.amazon.awscdk.Fn;
import software.amazon.awscdk.Stack;
import software.amazon.awscdk.StackProps;
import software.amazon.awscdk.services.ecs.Cluster;
import software.amazon.awscdk.services.ecs.ContainerInsights;
import software.amazon.awscdk.services.events.EventBus;
import software.amazon.awscdk.services.lambda.Code;
import software.amazon.awscdk.services.secretsmanager.Secret;
import software.constructs.Construct;

/**
 * Everything that tenants share, and the gateway. It knows no tenant: what tenants need of it is exported under fixed
 * names, so that one more changes nothing here.
 */
final class SharedStack extends Stack {
    /** Below what rules of tenants may have by default, above nothing of ours. */
    static final int GATEWAY_PRIORITY = 50_000;

    SharedStack(Construct scope, Deployment deployment, Artifacts artifacts, StackProps props) {
        super(scope, deployment.names().sharedStack(), props);
        Names names = deployment.names();
        Network network = new Network(this, "Network", deployment.using().vpc(), deployment.zones());
        Entrance entrance = new Entrance(this, "Entrance", names, network, deployment.using());
        String cluster = cluster(names, network, deployment.using().cluster());
        Store store = new Store(this, "Store", names.deployment());
        EventBus bus = EventBus.Builder.create(this, "Bus")
                .eventBusName(names.deployment())
                .build();
        Secret stream = Secrets.stream(this, names);
        DeadLetters letters = new DeadLetters(this, "DeadLetters", names);

        Map<String, String> environment = new TreeMap<>(Map.of(
                "SPILLWAY_TABLE", store.table().getTableName(),
                "SPILLWAY_EVENT_BUS", bus.getEventBusName(),
                "SPILLWAY_PUBLIC_URL", names.publicUrl(),
                "SPILLWAY_CLUSTER", cluster,
                "SPILLWAY_GATEWAY_STREAM_URL", names.streamUrl(PoolId.GATEWAY),
                "SPILLWAY_STREAM_SECRET", names.streamSecret(),
                "SPILLWAY_TENANT_SECRETS", names.tenantSecretPrefix()));
        environment.put(MetricNames.NAMESPACE_SETTING, names.metrics());
        if (!deployment.operatorList().isEmpty()) {
            environment.put("SPILLWAY_OPERATORS", deployment.operatorList());
        }
        Grants grants = new Grants(this, names, cluster, store.table().getTableArn(), bus.getEventBusArn());
        SnapStartFunction.Common common = new SnapStartFunction.Common(
                Code.fromAsset(artifacts.functionsJar().toString()), environment, letters.failures(), grants);
        Map<DeployedFunction, SnapStartFunction> functions = new EnumMap<>(DeployedFunction.class);
        Construct all = new Construct(this, "Functions");
        for (DeployedFunction deployed : DeployedFunction.values()) {
            functions.put(deployed, new SnapStartFunction(all, names, deployed, common));
        }
        PublicApi api = new PublicApi(this, "PublicApi", names, entrance, functions);
        Surroundings around = new Surroundings(
                cluster,
                network.vpc().getVpcId(),
                network.subnetIds(),
                network.containers().getSecurityGroupId(),
                network.hasPublicAddresses(),
                entrance.listenerArn(),
                store.table().getTableArn(),
                bus.getEventBusArn(),
                bus.getEventBusName(),
                store.table().getTableName(),
                Objects.requireNonNull(functions.get(DeployedFunction.REGISTRATION))
                        .alias()
                        .getFunctionArn());
        PoolService gateway = new PoolService(
                this,
                "Gateway",
                names,
                around,
                new PoolService.Plan(
                        PoolId.GATEWAY,
                        TenantPlan.USUAL_CPU,
                        TenantPlan.USUAL_MEMORY,
                        GATEWAY_PRIORITY,
                        Descriptions.ofGateway(names, deployment.gatewayPolicy()),
                        null),
                artifacts.image(deployment.image()));
        // Its stream key is derived from the master, which is referred to by name only.
        gateway.getNode().addDependency(stream);
        Triggers triggers = new Triggers(this, "Triggers", names, bus, cluster, functions, letters);
        // The first minute's rounds find a gateway.
        triggers.getNode().addDependency(gateway);
        Runbook runbook = new Runbook(names.deployment(), deployment.runbookUrl());
        Watch watch = new Watch(this, "Watch", names, runbook, deployment.alarmEmail(), functions, letters);
        new Dashboard(this, "Dashboard", names, runbook, entrance.fullName(), api.apiId());
        export(names, around, watch.topicArn());
        CfnOutput.Builder.create(this, "PublicUrl")
                .value(names.publicUrl())
                .description("The base of the URLs that Twilio is given")
                .build();
        CfnOutput.Builder.create(this, "ApiTarget")
                .value(api.target())
                .description("Without a hosted zone: what " + names.apiHost() + " has to be an alias of")
                .build();
    }

    private String cluster(Names names, Network network, @Nullable String existing) {
        if (existing != null) {
            return existing;
        }
        return Cluster.Builder.create(this, "Cluster")
                .clusterName(names.deployment())
                .vpc(network.vpc())
                .containerInsightsV2(ContainerInsights.ENABLED)
                .enableFargateCapacityProviders(true)
                .build()
                .getClusterName();
    }

    private void export(Names names, Surroundings around, String topicArn) {
        Map<String, String> values = new TreeMap<>(Map.of(
                "Cluster", around.cluster(),
                "Vpc", around.vpcId(),
                "Subnets", Fn.join(",", around.subnetIds()),
                "ContainerGroup", around.containerGroup(),
                "Listener", around.listenerArn(),
                "TableArn", around.tableArn(),
                "BusArn", around.busArn(),
                "Registration", around.registrationArn(),
                "Alarms", topicArn));
        values.forEach((what, value) -> CfnOutput.Builder.create(this, what + "Export")
                .value(value)
                .exportName(names.export(what))
                .build());
    }

    /** The same, as another stack sees it. */
    static Surroundings imported(Names names, boolean publicAddresses) {
        return new Surroundings(
                imported(names, "Cluster"),
                imported(names, "Vpc"),
                Fn.split(",", imported(names, "Subnets")),
                imported(names, "ContainerGroup"),
                publicAddresses,
                imported(names, "Listener"),
                imported(names, "TableArn"),
                imported(names, "BusArn"),
                names.deployment(),
                names.deployment(),
                imported(names, "Registration"));
    }

    static String imported(Names names, String what) {
        return Fn.importValue(names.export(what));
    }
}
