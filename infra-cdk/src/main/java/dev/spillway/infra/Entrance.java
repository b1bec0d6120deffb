package dev.spillway.infra;

import dev.spillway.infra.Deployment.Existing;
import dev.spillway.infra.Deployment.ExistingLoadBalancer;
import dev.spillway.infra.Deployment.ExistingZone;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awscdk.Duration;
import software.amazon.awscdk.RemovalPolicy;
import software.amazon.awscdk.services.certificatemanager.Certificate;
import software.amazon.awscdk.services.certificatemanager.CertificateValidation;
import software.amazon.awscdk.services.certificatemanager.ICertificate;
import software.amazon.awscdk.services.ec2.ISecurityGroup;
import software.amazon.awscdk.services.ec2.Peer;
import software.amazon.awscdk.services.ec2.Port;
import software.amazon.awscdk.services.ec2.SecurityGroup;
import software.amazon.awscdk.services.ec2.SubnetSelection;
import software.amazon.awscdk.services.elasticloadbalancingv2.ApplicationListener;
import software.amazon.awscdk.services.elasticloadbalancingv2.ApplicationLoadBalancer;
import software.amazon.awscdk.services.elasticloadbalancingv2.ApplicationProtocol;
import software.amazon.awscdk.services.elasticloadbalancingv2.BaseApplicationListenerProps;
import software.amazon.awscdk.services.elasticloadbalancingv2.CfnListenerCertificate;
import software.amazon.awscdk.services.elasticloadbalancingv2.FixedResponseOptions;
import software.amazon.awscdk.services.elasticloadbalancingv2.ListenerAction;
import software.amazon.awscdk.services.elasticloadbalancingv2.ListenerCertificate;
import software.amazon.awscdk.services.elasticloadbalancingv2.SslPolicy;
import software.amazon.awscdk.services.route53.CfnRecordSet;
import software.amazon.awscdk.services.route53.HostedZone;
import software.amazon.awscdk.services.route53.HostedZoneAttributes;
import software.amazon.awscdk.services.route53.IHostedZone;
import software.amazon.awscdk.services.s3.BlockPublicAccess;
import software.amazon.awscdk.services.s3.Bucket;
import software.amazon.awscdk.services.s3.BucketEncryption;
import software.amazon.awscdk.services.s3.LifecycleRule;
import software.constructs.Construct;

/** Where calls come in: the load balancer, its certificate and its names. Each pool adds its own rule. */
final class Entrance extends Construct {
    private final ICertificate certificate;
    private final @Nullable IHostedZone zone;
    private final String listenerArn;
    private final String fullName;
    private final String dnsName;

    Entrance(Construct scope, String id, Names names, Network network, Existing existing) {
        super(scope, id);
        ExistingZone known = existing.zone();
        this.zone = known == null
                ? null
                : HostedZone.fromHostedZoneAttributes(
                        this,
                        "Zone",
                        HostedZoneAttributes.builder()
                                .hostedZoneId(known.id())
                                .zoneName(known.name())
                                .build());
        this.certificate = certificate(names, existing.certificate());
        ExistingLoadBalancer there = existing.loadBalancer();
        if (there == null) {
            ApplicationLoadBalancer made = made(network);
            this.listenerArn = listener(made).getListenerArn();
            this.fullName = made.getLoadBalancerFullName();
            this.dnsName = made.getLoadBalancerDnsName();
            resolve(names, made.getLoadBalancerCanonicalHostedZoneId());
        } else {
            this.listenerArn = there.listenerArn();
            this.fullName = there.fullName();
            this.dnsName = there.dnsName();
            letIn(network, SecurityGroup.fromSecurityGroupId(this, "Gate", there.securityGroup()));
            // The house's listener has the house's certificate. It may have this one as well: adding it twice is no
            // error, but taking it away again would take it from everybody there.
            CfnListenerCertificate added = CfnListenerCertificate.Builder.create(this, "ListenerCertificate")
                    .listenerArn(listenerArn)
                    .certificates(List.of(CfnListenerCertificate.CertificateProperty.builder()
                            .certificateArn(certificate.getCertificateArn())
                            .build()))
                    .build();
            if (existing.certificate() != null) {
                added.applyRemovalPolicy(RemovalPolicy.RETAIN);
            }
            resolve(names, there.zone());
        }
    }

    private ICertificate certificate(Names names, @Nullable String arn) {
        if (arn != null) {
            return Certificate.fromCertificateArn(this, "Certificate", arn);
        }
        return Certificate.Builder.create(this, "Certificate")
                .domainName("*." + names.domain())
                .validation(CertificateValidation.fromDns(zone))
                .build();
    }

    private ApplicationLoadBalancer made(Network network) {
        SecurityGroup gate = SecurityGroup.Builder.create(this, "Gate")
                .vpc(network.vpc())
                .description("The load balancer: HTTPS from anywhere, the carrier has no fixed addresses")
                .allowAllOutbound(false)
                .build();
        gate.addIngressRule(Peer.anyIpv4(), Port.tcp(443), "HTTPS");
        gate.addEgressRule(network.containers(), Port.tcp(Network.CONTAINER_PORT), "containers");
        letIn(network, gate);
        ApplicationLoadBalancer made = ApplicationLoadBalancer.Builder.create(this, "LoadBalancer")
                .vpc(network.vpc())
                .vpcSubnets(SubnetSelection.builder()
                        .subnets(network.vpc().getPublicSubnets())
                        .build())
                .internetFacing(true)
                .securityGroup(gate)
                .dropInvalidHeaderFields(true)
                // Audio flows in both directions every 20 ms while a call lives: a minute of silence is a dead peer.
                .idleTimeout(Duration.seconds(60))
                .build();
        Bucket logs = Bucket.Builder.create(this, "AccessLogs")
                .encryption(BucketEncryption.S3_MANAGED)
                .blockPublicAccess(BlockPublicAccess.BLOCK_ALL)
                .enforceSsl(true)
                .lifecycleRules(List.of(
                        LifecycleRule.builder().expiration(Duration.days(30)).build()))
                .removalPolicy(RemovalPolicy.RETAIN)
                .build();
        made.logAccessLogs(logs);
        return made;
    }

    private static void letIn(Network network, ISecurityGroup gate) {
        network.containers().addIngressRule(gate, Port.tcp(Network.CONTAINER_PORT), "calls");
    }

    private ApplicationListener listener(ApplicationLoadBalancer balancer) {
        return balancer.addListener(
                "Https",
                BaseApplicationListenerProps.builder()
                        .port(443)
                        .protocol(ApplicationProtocol.HTTPS)
                        .open(false)
                        .sslPolicy(SslPolicy.RECOMMENDED_TLS)
                        .certificates(List.of(ListenerCertificate.fromCertificateManager(certificate)))
                        // 503 to a name without a pool: Twilio then asks the fallback URL.
                        .defaultAction(ListenerAction.fixedResponse(
                                503,
                                FixedResponseOptions.builder()
                                        .contentType("text/plain")
                                        .messageBody("no such pool")
                                        .build()))
                        .build());
    }

    /** One record for all pools, so that a tenant's first call does not wait for a name to spread. */
    private void resolve(Names names, String canonicalZone) {
        if (zone != null) {
            record("Pools", "*." + names.domain(), dnsName, canonicalZone);
        }
    }

    /** An alias in the hosted zone; nothing without one. */
    void record(String id, String name, String target, String targetZone) {
        if (zone != null) {
            CfnRecordSet.Builder.create(this, id)
                    .hostedZoneId(zone.getHostedZoneId())
                    .name(name + ".")
                    .type("A")
                    .aliasTarget(CfnRecordSet.AliasTargetProperty.builder()
                            .dnsName(target)
                            .hostedZoneId(targetZone)
                            .build())
                    .build();
        }
    }

    ICertificate certificate() {
        return certificate;
    }

    String listenerArn() {
        return listenerArn;
    }

    /** Its name in metrics. */
    String fullName() {
        return fullName;
    }
}
