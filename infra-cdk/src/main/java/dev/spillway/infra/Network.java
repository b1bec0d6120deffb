package dev.spillway.infra;

import dev.spillway.infra.Deployment.ExistingVpc;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awscdk.Annotations;
import software.amazon.awscdk.RemovalPolicy;
import software.amazon.awscdk.services.ec2.FlowLogDestination;
import software.amazon.awscdk.services.ec2.FlowLogOptions;
import software.amazon.awscdk.services.ec2.FlowLogTrafficType;
import software.amazon.awscdk.services.ec2.GatewayVpcEndpointAwsService;
import software.amazon.awscdk.services.ec2.GatewayVpcEndpointOptions;
import software.amazon.awscdk.services.ec2.ISecurityGroup;
import software.amazon.awscdk.services.ec2.ISubnet;
import software.amazon.awscdk.services.ec2.IVpc;
import software.amazon.awscdk.services.ec2.IpAddresses;
import software.amazon.awscdk.services.ec2.Port;
import software.amazon.awscdk.services.ec2.SecurityGroup;
import software.amazon.awscdk.services.ec2.SubnetConfiguration;
import software.amazon.awscdk.services.ec2.SubnetType;
import software.amazon.awscdk.services.ec2.Vpc;
import software.amazon.awscdk.services.ec2.VpcAttributes;
import software.amazon.awscdk.services.logs.LogGroup;
import software.amazon.awscdk.services.logs.RetentionDays;
import software.constructs.Construct;

/**
 * Two zones, public subnets and no NAT: containers have public addresses and a security group that lets in nothing but the
 * load balancer and one another. Decision record 20 has the figures.
 */
final class Network extends Construct {
    static final int CONTAINER_PORT = 8080;

    private final IVpc vpc;
    private final SecurityGroup containers;
    private final boolean publicAddresses;

    /** @param zones of a network that is made; null for the region's first two */
    Network(Construct scope, String id, @Nullable ExistingVpc existing, @Nullable List<String> zones) {
        super(scope, id);
        Annotations.of(this)
                .acknowledgeWarning(
                        "@aws-cdk/aws-ec2:noSubnetRouteTableId", "Nothing is routed here in an existing VPC");
        this.vpc = existing == null ? made(zones) : found(existing);
        this.publicAddresses = existing == null || existing.hasPublicAddresses();
        this.containers = SecurityGroup.Builder.create(this, "Containers")
                .vpc(vpc)
                .description("Media containers: from the load balancer and from one another")
                .allowAllOutbound(true)
                .build();
        // A stream that arrives at the wrong container of a pool is relayed to the right one.
        containers.addIngressRule(containers, Port.tcp(CONTAINER_PORT), "relayed streams");
    }

    private IVpc found(ExistingVpc existing) {
        return Vpc.fromVpcAttributes(
                this,
                "Vpc",
                VpcAttributes.builder()
                        .vpcId(existing.id())
                        .availabilityZones(existing.zones())
                        .publicSubnetIds(existing.subnets())
                        .build());
    }

    private Vpc made(@Nullable List<String> zones) {
        Vpc.Builder builder = Vpc.Builder.create(this, "Vpc");
        Vpc made = (zones == null ? builder.maxAzs(2) : builder.availabilityZones(zones))
                .ipAddresses(IpAddresses.cidr("10.0.0.0/16"))
                .natGateways(0)
                .subnetConfiguration(List.of(SubnetConfiguration.builder()
                        .name("public")
                        .subnetType(SubnetType.PUBLIC)
                        // 4,091 addresses in each zone: every container takes one.
                        .cidrMask(20)
                        .build()))
                // Both are free, and keep the table's and the images' traffic off the internet.
                .gatewayEndpoints(Map.of(
                        "Table",
                        GatewayVpcEndpointOptions.builder()
                                .service(GatewayVpcEndpointAwsService.DYNAMODB)
                                .build(),
                        "Images",
                        GatewayVpcEndpointOptions.builder()
                                .service(GatewayVpcEndpointAwsService.S3)
                                .build()))
                .build();
        LogGroup refused = LogGroup.Builder.create(this, "Refused")
                .retention(RetentionDays.ONE_WEEK)
                .removalPolicy(RemovalPolicy.DESTROY)
                .build();
        made.addFlowLog(
                "Refusals",
                FlowLogOptions.builder()
                        .trafficType(FlowLogTrafficType.REJECT)
                        .destination(FlowLogDestination.toCloudWatchLogs(refused))
                        .build());
        return made;
    }

    IVpc vpc() {
        return vpc;
    }

    List<String> subnetIds() {
        return vpc.getPublicSubnets().stream().map(ISubnet::getSubnetId).toList();
    }

    ISecurityGroup containers() {
        return containers;
    }

    boolean hasPublicAddresses() {
        return publicAddresses;
    }
}
