package dev.spillway.infra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TenantsFileTest {
    @Test
    void one_more_tenant_changes_neither_the_others_nor_what_they_share() {
        Synthesis before = Synthesis.usual();
        Synthesis after = Synthesis.oneMore();

        for (String stack : new String[] {"spillway", "spillway-acme", "spillway-globex"}) {
            assertThat(after.written(stack)).as(stack).isEqualTo(before.written(stack));
        }
        assertThat(after.written("spillway-initech").path("Resources").size()).isPositive();
    }

    @Test
    void a_hundredth_tenant_is_refused_and_told_where_to_go() {
        assertThatThrownBy(() -> file(100))
                .hasMessageContaining("100 tenants are too many for one load balancer")
                .hasMessageContaining("99 and the gateway")
                .hasMessageContaining("put the other 1 into a second deployment");
        assertThat(file(99).tenants()).hasSize(99);
    }

    /** 100 rules and 100 target groups at a load balancer, the default rule and its fixed answer aside. */
    @Test
    void ninety_nine_tenants_and_the_gateway_are_exactly_what_one_load_balancer_takes() {
        for (String type :
                new String[] {"AWS::ElasticLoadBalancingV2::ListenerRule", "AWS::ElasticLoadBalancingV2::TargetGroup"
                }) {
            int shared = Synthesis.usual().resources("spillway", type).size();
            int ofEach = Synthesis.usual().resources("spillway-acme", type).size();

            assertThat(shared + TenantsFile.MOST_TENANTS * ofEach).as(type).isEqualTo(100);
        }
        JsonNode gateway = Synthesis.usual().only("spillway", "AWS::ElasticLoadBalancingV2::ListenerRule");
        assertThat(file(99).tenants().stream().map(TenantPlan::rulePriority))
                .as("a rule of its own for each, between 1 and 50,000, and none is the gateway's")
                .doesNotHaveDuplicates()
                .allMatch(priority -> priority >= 1 && priority < 50_000)
                .doesNotContain(gateway.path("Priority").asInt());
    }

    private static TenantsFile file(int tenants) {
        String lines = IntStream.range(0, tenants)
                .mapToObj(i -> Synthesis.tenant("t" + i, i, "on-demand"))
                .collect(Collectors.joining(","));
        return parse(lines);
    }

    private static TenantsFile parse(String lines) {
        return JsonFile.parse("tenants.json", "{\"tenants\": [" + lines + "]}", TenantsFile.class);
    }

    @Test
    void mistakes_are_told_before_anything_is_deployed() {
        String good = Synthesis.tenant("acme", 1, "on-demand");

        assertThatThrownBy(() -> parse(good + "," + good)).hasMessageContaining("tenant acme is there twice");
        assertThatThrownBy(() -> parse(good + "," + Synthesis.tenant("globex", 1, "production")))
                .hasMessageContaining("acme and globex have a number in common")
                .hasMessageNotContaining("+1500555");
        assertThatThrownBy(() -> parse(good.replace("on-demand", "sometimes")))
                .hasMessageContaining("tenant acme: want mode on-demand or production, not 'sometimes'");
        assertThatThrownBy(() -> parse(good.replace("AC000", "XX000")))
                .hasMessageContaining("tenant acme: want the accountSid");
        assertThatThrownBy(() -> parse(good.replace("\"acme\"", "\"gateway\"")))
                .hasMessageContaining("not a tenant id");
        assertThatThrownBy(() -> parse(good.replace("\"acme\"", "\"api\"")))
                .hasMessageContaining("not a tenant id: 'api'")
                .hasMessageContaining("the HTTP API's");
        assertThatThrownBy(() -> parse(good.replace(
                        "\"mode\"", "\"botContainer\": {\"image\": \"bot:3\", \"memory\": 512}, \"mode\"")))
                .hasMessageContaining("a botContainer answers nobody unless the persona's agent is upstream");
        String upstream = good.replace("scripted", "upstream");
        assertThatThrownBy(
                        () -> parse(upstream.replace("\"mode\"", "\"botContainer\": {\"image\": \"bot:3\"}, \"mode\"")))
                .hasMessageContaining("a botContainer needs its memory");
        assertThatThrownBy(() -> parse(upstream.replace(
                        "\"mode\"", "\"botContainer\": {\"image\": \"bot:3\", \"memory\": 1537}, \"mode\"")))
                .hasMessageContaining("1537 MiB of the task's 2048, and the media container beside it needs 512");
        for (String url : List.of("ws://127.0.0.1:8080/ws", "ws://localhost:8080", "ws://[::1]:8080/ws")) {
            assertThatThrownBy(() -> parse(upstream.replace(
                            "\"mode\"",
                            "\"botContainer\": {\"image\": \"bot:3\", \"memory\": 512, \"url\": \"" + url
                                    + "\"}, \"mode\"")))
                    .hasMessageContaining("url is " + url + ", but port 8080 is the media container's")
                    .hasMessageContaining("8765 for instance");
        }
        assertThatThrownBy(() -> parse(good.replace("\"mode\"", "\"mood\": 1, \"mode\"")))
                .hasMessageContaining("mood");
    }

    @Test
    void a_tenant_has_the_usual_rules_unless_it_names_others() {
        String acme = Synthesis.tenant("acme", 1, "on-demand");
        String texts = acme.replace("\"mode\"", "\"scaleOut\": \"plus-one\", \"scaleIn\": \"idle\", \"mode\"");

        Policy usual = parse(acme).tenants().getFirst().policy();
        assertThat(usual.scaleOut()).isEqualTo(ScaleOutRule.AHEAD);
        assertThat(usual.scaleIn()).isEqualTo(ScaleInRule.CONSOLIDATE);
        Policy named = parse(texts).tenants().getFirst().policy();
        assertThat(named.scaleOut()).isEqualTo(ScaleOutRule.PLUS_ONE);
        assertThat(named.scaleIn()).isEqualTo(ScaleInRule.IDLE);
    }

    @Test
    void rules_with_the_same_priority_are_refused_with_what_to_write() {
        String acme = Synthesis.tenant("acme", 1, "on-demand").replace("\"mode\"", "\"priority\": 7, \"mode\"");
        String globex = Synthesis.tenant("globex", 2, "on-demand").replace("\"mode\"", "\"priority\": 7, \"mode\"");

        assertThatThrownBy(() -> parse(acme + "," + globex))
                .hasMessageContaining("acme and globex would both have priority 7")
                .hasMessageContaining("give globex a \"priority\" of its own");
        assertThatThrownBy(() -> parse(acme.replace("\"priority\": 7", "\"priority\": 50000")))
                .as("the gateway's")
                .hasMessageContaining("tenant acme: want a priority from 1 to 49999, not 50000");
    }

    @Test
    void the_schemas_name_every_field_that_is_read() {
        assertFields("tenants.schema.json", "/properties/tenants/items/properties", TenantPlan.class);
        assertFields("deployment.schema.json", "/properties", Deployment.class);
    }

    private static void assertFields(String schema, String at, Class<? extends Record> type) {
        JsonNode properties = JsonFile.read(Synthesis.HOME.resolve("infra-cdk").resolve(schema), JsonNode.class)
                .at(at);
        for (var component : type.getRecordComponents()) {
            if (!component.getName().equals("schema")) {
                assertThat(properties.has(component.getName()))
                        .as(schema + ": " + component.getName())
                        .isTrue();
            }
        }
    }

    @Test
    void the_committed_files_can_be_read() {
        assertThat(JsonFile.read(Synthesis.HOME.resolve("infra-cdk/tenants.json"), TenantsFile.class)
                        .tenants())
                .extracting(TenantPlan::id)
                .containsExactly("acme", "globex");
        assertThat(JsonFile.read(Synthesis.HOME.resolve("infra-cdk/deployment.json"), Deployment.class)
                        .image())
                .isNull();
    }
}
