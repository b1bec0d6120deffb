package dev.spillway.infra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awscdk.Stack;
import software.amazon.awscdk.assertions.Template;

class ExistingInfrastructureTest {
    static final String ALL = """
            {"name": "spillway", "region": "eu-west-1", "domain": "voice.example.com", "image": "%s",
             "runbookUrl": "https://docs.example.com/RUNBOOK.md",
             "existing": {
               "vpc": {"id": "vpc-0123", "zones": ["eu-west-1a", "eu-west-1b"], "subnets": ["subnet-a", "subnet-b"], "publicAddresses": false},
               "cluster": "house",
               "loadBalancer": {"listenerArn": "arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/app/house/1/2",
                                "fullName": "app/house/1", "securityGroup": "sg-0123", "dnsName": "house.example.com", "zone": "Z1"},
               "certificate": "arn:aws:acm:eu-west-1:123456789012:certificate/1",
               "zone": {"id": "Z2", "name": "example.com"}}}
            """.formatted(Synthesis.IMAGE);

    @Test
    void what_is_there_is_used_and_not_made_again() {
        Synthesis made = Synthesis.of("existing", deployment(ALL), Synthesis.tenants("acme"));

        for (String type : new String[] {
            "AWS::EC2::VPC",
            "AWS::EC2::Subnet",
            "AWS::ECS::Cluster",
            "AWS::ElasticLoadBalancingV2::LoadBalancer",
            "AWS::ElasticLoadBalancingV2::Listener",
            "AWS::CertificateManager::Certificate"
        }) {
            assertThat(made.resources("spillway", type)).as(type).isEmpty();
        }
        var service = made.only("spillway", "AWS::ECS::Service");
        assertThat(service.path("Cluster").asText()).isEqualTo("house");
        assertThat(service.at("/NetworkConfiguration/AwsvpcConfiguration/AssignPublicIp")
                        .asText())
                .isEqualTo("DISABLED");
        assertThat(made.only("spillway", "AWS::ElasticLoadBalancingV2::ListenerRule")
                        .path("ListenerArn")
                        .asText())
                .endsWith("listener/app/house/1/2");
        assertThat(made.only("spillway", "AWS::ElasticLoadBalancingV2::ListenerCertificate")
                        .at("/Certificates/0/CertificateArn")
                        .asText())
                .as("pools' names are none of the house's, and neither is their certificate")
                .endsWith("certificate/1");
        assertThat(Synthesis.stream(made.written("spillway").path("Resources"))
                        .filter(resource -> resource.path("Type")
                                .asText()
                                .equals("AWS::ElasticLoadBalancingV2::ListenerCertificate"))
                        .map(resource -> resource.path("DeletionPolicy").asText()))
                .as("others at the house's listener may live on it, too")
                .containsExactly("Retain");
        assertThat(made.findings("spillway")).isEmpty();
    }

    @Test
    void what_only_cloudformation_would_find_wrong_is_told_before() {
        assertThatThrownBy(() -> deployment(ALL.replace("acm:eu-west-1", "acm:us-east-1")))
                .hasMessageContaining("existing.certificate: want an ARN in eu-west-1");
        assertThatThrownBy(() ->
                        deployment(ALL.replace("elasticloadbalancing:eu-west-1", "elasticloadbalancing:eu-west-2")))
                .hasMessageContaining("existing.loadBalancer.listenerArn: want an ARN in eu-west-1");
        assertThatThrownBy(() -> deployment(
                        ALL.replace("\"domain\": \"voice.example.com\"", "\"domain\": \"voice.example.org\"")))
                .hasMessageContaining(
                        "existing.zone is example.com, and no name in voice.example.org can be made in it");
    }

    @Test
    void without_a_zone_a_certificate_has_to_be_named() {
        assertThatThrownBy(() -> deployment("""
                        {"name": "spillway", "region": "eu-west-1", "domain": "voice.example.com",
                         "runbookUrl": "https://docs.example.com/RUNBOOK.md"}
                        """))
                .hasMessageContaining("existing.certificate is missing")
                .hasMessageContaining("*.voice.example.com");
    }

    @Test
    void the_image_is_built_when_it_is_deployed_unless_one_is_named() {
        Deployment unnamed = deployment(ALL.replace("\"image\": \"" + Synthesis.IMAGE + "\",", ""));

        assertThat(unnamed.image()).isNull();
    }

    @Test
    void private_subnets_need_a_load_balancer_of_the_house() {
        String own = ALL.replaceFirst("(?s)\"loadBalancer\": \\{.*?},", "");

        assertThatThrownBy(() -> deployment(own))
                .hasMessageContaining("name one of the house's as existing.loadBalancer");
        assertThat(deployment(own.replace("\"publicAddresses\": false", "\"publicAddresses\": true")))
                .isNotNull();
    }

    @Test
    void one_zone_is_not_enough() {
        assertThatThrownBy(() -> deployment(ALL.replace("eu-west-1b", "eu-west-1a")))
                .hasMessageContaining("want subnets in two zones or more");
    }

    @Test
    void zones_are_of_a_network_that_is_made() {
        String zones = "\"zones\": [\"eu-west-1a\", \"eu-west-1c\"], ";

        assertThatThrownBy(() -> deployment(ALL.replace("\"existing\"", zones + "\"existing\"")))
                .hasMessageContaining("existing.vpc is there already");
        assertThatThrownBy(() -> deployment(
                        Synthesis.DEPLOYMENT.replace("\"existing\"", "\"zones\": [\"a\", \"a\"], \"existing\"")))
                .hasMessageContaining("zones: want two zones or more");
        Stack stack = new Stack();
        new Network(stack, "Network", null, List.of("eu-west-1a", "eu-west-1c"));
        JsonNode written = JsonFile.JSON.valueToTree(Template.fromStack(stack).toJSON());
        assertThat(Synthesis.stream(written.path("Resources"))
                        .filter(resource -> resource.path("Type").asText().equals("AWS::EC2::Subnet"))
                        .map(subnet -> subnet.at("/Properties/AvailabilityZone").asText()))
                .containsExactlyInAnyOrder("eu-west-1a", "eu-west-1c");
    }

    private static Deployment deployment(String json) {
        return JsonFile.parse("deployment.json", json, Deployment.class);
    }
}
