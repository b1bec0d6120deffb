package dev.spillway.infra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.adapters.aws.ContainerAccess;
import dev.spillway.core.pool.PoolId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What DESIGN.md's "What goes wrong in practice" asks of a pool's infrastructure, setting by setting. */
class PoolTemplateTest {
    private static final Synthesis MADE = Synthesis.usual();

    private static JsonNode service(String stack) {
        return MADE.only(stack, "AWS::ECS::Service");
    }

    private static JsonNode container(String stack) {
        return MADE.only(stack, "AWS::ECS::TaskDefinition")
                .path("ContainerDefinitions")
                .path(0);
    }

    private static Map<String, String> targetGroupAttributes(String stack) {
        Map<String, String> attributes = new TreeMap<>();
        Synthesis.stream(MADE.only(stack, "AWS::ElasticLoadBalancingV2::TargetGroup")
                        .path("TargetGroupAttributes"))
                .forEach(attribute -> attributes.put(
                        attribute.path("Key").asText(), attribute.path("Value").asText()));
        return attributes;
    }

    @ParameterizedTest
    @ValueSource(strings = {"spillway", "spillway-acme", "spillway-globex"})
    void ecs_never_acts_on_a_health_check(String stack) {
        assertThat(service(stack).path("HealthCheckGracePeriodSeconds").asLong())
                .isEqualTo(2_147_483_647L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"spillway", "spillway-acme", "spillway-globex"})
    void a_container_gets_all_the_time_that_fargate_gives(String stack) {
        assertThat(container(stack).path("StopTimeout").asInt()).isEqualTo(120);
        assertThat(environment(stack))
                .containsEntry("SPILLWAY_STOP_TIMEOUT_SECONDS", "120")
                .containsEntry("SPILLWAY_DEREGISTRATION_SECONDS", "600");
    }

    @ParameterizedTest
    @ValueSource(strings = {"spillway", "spillway-acme", "spillway-globex"})
    void nobody_moves_containers_between_zones(String stack) {
        assertThat(service(stack).path("AvailabilityZoneRebalancing").asText()).isEqualTo("DISABLED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"spillway", "spillway-acme", "spillway-globex"})
    void a_deployment_has_room_beside_three_that_still_have_calls(String stack) {
        JsonNode deployment = service(stack).path("DeploymentConfiguration");

        assertThat(deployment.path("MaximumPercent").asInt()).isEqualTo(400);
        assertThat(deployment.path("MinimumHealthyPercent").asInt()).isEqualTo(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"spillway", "spillway-acme", "spillway-globex"})
    void a_deployment_never_resets_the_desired_count(String stack) {
        assertThat(service(stack).has("DesiredCount")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"spillway", "spillway-acme", "spillway-globex"})
    void a_container_is_one_vcpu_and_two_gigabytes_on_arm(String stack) {
        JsonNode definition = MADE.only(stack, "AWS::ECS::TaskDefinition");

        assertThat(definition.path("Cpu").asText()).isEqualTo("1024");
        assertThat(definition.path("Memory").asText()).isEqualTo("2048");
        assertThat(definition.path("RuntimePlatform").path("CpuArchitecture").asText())
                .isEqualTo("ARM64");
        assertThat(definition.path("RequiresCompatibilities").path(0).asText()).isEqualTo("FARGATE");
    }

    @ParameterizedTest
    @ValueSource(strings = {"spillway", "spillway-acme", "spillway-globex"})
    void the_load_balancer_asks_every_ten_seconds_and_believes_the_second_no(String stack) {
        JsonNode group = MADE.only(stack, "AWS::ElasticLoadBalancingV2::TargetGroup");

        assertThat(group.path("HealthCheckIntervalSeconds").asInt()).isEqualTo(10);
        assertThat(group.path("UnhealthyThresholdCount").asInt()).isEqualTo(2);
        assertThat(group.path("HealthCheckPath").asText()).isEqualTo("/target");
        assertThat(targetGroupAttributes(stack))
                .containsEntry("load_balancing.algorithm.type", "least_outstanding_requests")
                .containsEntry("deregistration_delay.timeout_seconds", "600");
    }

    @ParameterizedTest
    @ValueSource(strings = {"spillway", "spillway-acme", "spillway-globex"})
    void containers_lie_in_two_zones_and_need_no_nat(String stack) {
        JsonNode network = service(stack).path("NetworkConfiguration").path("AwsvpcConfiguration");

        assertThat(network.path("AssignPublicIp").asText()).isEqualTo("ENABLED");
        if (stack.equals("spillway")) {
            assertThat(network.path("Subnets")).hasSize(2);
            assertThat(MADE.resources("spillway", "AWS::EC2::NatGateway")).isEmpty();
            assertThat(MADE.resources("spillway", "AWS::EC2::Subnet").values())
                    .extracting(subnet -> subnet.path("AvailabilityZone").toString())
                    .doesNotHaveDuplicates()
                    .hasSize(2);
        } else {
            assertThat(network.path("Subnets").toString()).contains("Fn::Split").contains("spillway-Subnets");
        }
    }

    @Test
    void each_pool_has_its_name_at_the_load_balancer() {
        assertThat(List.of(host("spillway"), host("spillway-acme"), host("spillway-globex")))
                .containsExactly("gateway.voice.example.com", "acme.voice.example.com", "globex.voice.example.com");
    }

    private static String host(String stack) {
        return MADE.only(stack, "AWS::ElasticLoadBalancingV2::ListenerRule")
                .path("Conditions")
                .path(0)
                .path("HostHeaderConfig")
                .path("Values")
                .path(0)
                .asText();
    }

    @Test
    void the_mode_is_the_minimum() {
        assertThat(description("spillway").path("policy").path("minimum").asInt())
                .isEqualTo(3);
        assertThat(description("spillway-acme").path("policy").path("minimum").asInt())
                .isZero();
        assertThat(description("spillway-globex").path("policy").path("minimum").asInt())
                .isEqualTo(2);
    }

    private static JsonNode description(String stack) {
        String text =
                MADE.only(stack, "Custom::SpillwayPool").path("Description").asText();
        return JsonFile.parse("description", text, JsonNode.class);
    }

    @Test
    void a_pool_is_known_before_its_first_container_and_visited_after_it() {
        for (String stack : List.of("spillway", "spillway-acme")) {
            JsonNode resources = MADE.written(stack).path("Resources");
            String item = MADE.resources(stack, "Custom::SpillwayPool")
                    .keySet()
                    .iterator()
                    .next();
            String service = MADE.resources(stack, "AWS::ECS::Service")
                    .keySet()
                    .iterator()
                    .next();
            String listing = MADE.resources(stack, "Custom::SpillwayListing")
                    .keySet()
                    .iterator()
                    .next();

            assertThat(resources.path(service).path("DependsOn").toString()).contains(item);
            assertThat(resources.path(listing).path("DependsOn").toString()).contains(service);
        }
    }

    private static Map<String, String> environment(String stack) {
        Map<String, String> environment = new TreeMap<>();
        Synthesis.stream(container(stack).path("Environment"))
                .forEach(entry -> environment.put(
                        entry.path("Name").asText(), entry.path("Value").asText()));
        return environment;
    }

    @Test
    void a_container_is_told_what_it_needs_and_its_key_only_by_reference() {
        assertThat(environment("spillway-acme"))
                .containsEntry("AWS_REGION", "us-east-1")
                .containsEntry("SPILLWAY_POOL", "acme")
                .containsEntry("SPILLWAY_VOICE_URL", "https://acme.voice.example.com/voice")
                .containsEntry("SPILLWAY_PUBLIC_URL", "https://api.voice.example.com")
                .containsEntry("SPILLWAY_TABLE", "spillway")
                .containsEntry("SPILLWAY_EVENT_BUS", "spillway")
                .doesNotContainKey("SPILLWAY_STREAM_KEY")
                // callers would say what their calls cost
                .doesNotContainKey("SPILLWAY_AGENT_REHEARSES");
        assertThat(environment("spillway"))
                .containsEntry("SPILLWAY_POOL", "gateway")
                .doesNotContainKey("SPILLWAY_VOICE_URL");
        assertThat(container("spillway-acme")
                        .path("Secrets")
                        .path(0)
                        .path("Name")
                        .asText())
                .isEqualTo("SPILLWAY_STREAM_KEY");
    }

    private static List<JsonNode> taskRole(String stack) {
        JsonNode role = MADE.resources(stack, "AWS::IAM::Role").entrySet().stream()
                .filter(entry -> entry.getKey().contains("TaskRole"))
                .findFirst()
                .orElseThrow()
                .getValue();
        assertThat(role.has("ManagedPolicyArns")).isFalse();
        return Synthesis.stream(
                        role.path("Policies").path(0).path("PolicyDocument").path("Statement"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gateway", "acme", "globex"})
    void a_container_may_do_what_it_uses_on_the_keys_that_it_uses_and_nothing_else(String pool) {
        ContainerAccess access = ContainerAccess.of(new PoolId(pool));
        List<String> allowed = new ArrayList<>();
        for (JsonNode statement : taskRole(pool.equals("gateway") ? "spillway" : "spillway-" + pool)) {
            JsonNode keys = statement.at("/Condition/ForAllValues:StringLike/dynamodb:LeadingKeys");
            for (String action : Synthesis.texts(statement.path("Action"))) {
                assertThat(statement.path("Resource").toString()).as(action).isNotEqualTo("\"*\"");
                assertThat(keys.isMissingNode()).as(action).isNotEqualTo(action.startsWith("dynamodb:"));
                if (keys.isMissingNode()) {
                    allowed.add(action);
                } else {
                    Synthesis.texts(keys).forEach(key -> allowed.add(action + " " + key));
                }
            }
        }

        List<String> wanted = new ArrayList<>(access.actions());
        wanted.addAll(ContainerAccess.PROTECTION);
        assertThat(allowed).containsExactlyInAnyOrderElementsOf(wanted);
    }

    @Test
    void a_tenants_container_reaches_its_own_keys_and_its_own_token_only() {
        assertThat(ContainerAccess.of(new PoolId("acme")).table().keySet()).allMatch(keys -> keys.startsWith("acme#"));
        assertThat(taskRole("spillway-acme").toString())
                .contains("secret:spillway/tenant/acme-??????")
                .doesNotContain("globex");
    }

    @Test
    void the_gateways_container_gets_no_tenants_token() {
        JsonNode role = MADE.resources("spillway", "AWS::IAM::Role").entrySet().stream()
                .filter(entry -> entry.getKey().contains("GatewayTaskRole"))
                .findFirst()
                .orElseThrow()
                .getValue();

        assertThat(role.toString())
                .doesNotContain("secretsmanager")
                .contains("gateway#pool")
                .contains("*#call#*");
    }

    @Test
    void a_tenants_token_is_in_a_secret_of_its_own_and_in_no_template() {
        Map<String, JsonNode> secrets = MADE.resources("spillway-acme", "AWS::SecretsManager::Secret");

        assertThat(secrets.values())
                .extracting(secret -> secret.path("Name").asText())
                .containsExactlyInAnyOrder("spillway/tenant/acme", "spillway/pool/acme/stream-key");
        assertThat(secrets.values()).noneMatch(secret -> secret.has("SecretString"));
    }

    @Test
    void a_bot_of_the_tenants_own_runs_beside_the_container_and_gets_no_secret() {
        JsonNode definition = Synthesis.oneMore().only("spillway-initech", "AWS::ECS::TaskDefinition");
        JsonNode media = definition.path("ContainerDefinitions").path(0);
        JsonNode bot = definition.path("ContainerDefinitions").path(1);

        assertThat(definition.path("ContainerDefinitions").size()).isEqualTo(2);
        assertThat(media.path("Environment").toString())
                .contains("ws://127.0.0.1:8765/ws")
                .contains("http://127.0.0.1:8765/calls");
        assertThat(bot.path("Essential").asBoolean()).isTrue();
        assertThat(bot.path("StopTimeout").asInt()).isEqualTo(120);
        assertThat(bot.path("Memory").asInt()).isEqualTo(1_024);
        assertThat(media.path("Memory").asInt())
                .as("the rest of the task's 2,048, so that the heap is a share of that")
                .isEqualTo(1_024);
        assertThat(MADE.only("spillway-acme", "AWS::ECS::TaskDefinition")
                        .path("ContainerDefinitions")
                        .path(0)
                        .has("Memory"))
                .as("without a bot all of the task's is the media container's")
                .isFalse();
        assertThat(bot.path("Environment").toString()).contains("LANGUAGE").doesNotContain("SPILLWAY");
        assertThat(bot.has("Secrets")).isFalse();
    }
}
