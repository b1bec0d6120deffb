package dev.spillway.infra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.core.journal.Journal.Metric;
import dev.spillway.lambda.DailyCall;
import dev.spillway.lambda.DeployedFunction;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awscdk.assertions.Match;

class SharedTemplateTest {
    private static final Synthesis MADE = Synthesis.usual();

    @Test
    void there_is_room_for_growth_below_cloudformations_500_resources() {
        assertThat(MADE.written("spillway").path("Resources").size()).isLessThan(400);
    }

    @Test
    void the_table_is_on_demand_encrypted_under_our_own_key_and_recoverable() {
        JsonNode table = MADE.only("spillway", "AWS::DynamoDB::Table");

        assertThat(table.path("BillingMode").asText()).isEqualTo("PAY_PER_REQUEST");
        assertThat(table.path("TimeToLiveSpecification").toString())
                .contains("\"AttributeName\":\"expiresAt\"")
                .contains("\"Enabled\":true");
        assertThat(table.path("PointInTimeRecoverySpecification")
                        .path("PointInTimeRecoveryEnabled")
                        .asBoolean())
                .isTrue();
        assertThat(table.path("SSESpecification").path("SSEType").asText()).isEqualTo("KMS");
        assertThat(table.path("SSESpecification").has("KMSMasterKeyId")).isTrue();
        assertThat(table.path("KeySchema").toString()).contains("pk").contains("sk");
        assertThat(table.path("GlobalSecondaryIndexes")
                        .path(0)
                        .path("IndexName")
                        .asText())
                .isEqualTo("attempts");
    }

    /** What has a name and outlives its stack would be in the way of the next attempt. */
    @Test
    void a_first_deployment_that_fails_takes_what_is_named_along() {
        assertThat(policies("spillway", "AWS::DynamoDB::Table")).containsOnly("RetainExceptOnCreate");
        assertThat(policies("spillway", "AWS::SecretsManager::Secret")).containsOnly("RetainExceptOnCreate", "Delete");
        assertThat(policies("spillway-acme", "AWS::SecretsManager::Secret")).containsOnly("Delete");
        assertThat(MADE.only("spillway", "AWS::DynamoDB::Table")
                        .path("DeletionProtectionEnabled")
                        .asBoolean())
                .isFalse();
        assertThat(MADE.only("spillway", "AWS::ElasticLoadBalancingV2::LoadBalancer")
                        .path("LoadBalancerAttributes")
                        .toString())
                .doesNotContain("deletion_protection.enabled\",\"Value\":\"true");
    }

    private static List<String> policies(String stack, String type) {
        return Synthesis.stream(MADE.written(stack).path("Resources"))
                .filter(resource -> resource.path("Type").asText().equals(type))
                .map(resource -> resource.path("DeletionPolicy").asText())
                .toList();
    }

    @Test
    void calls_come_in_over_https_and_a_name_without_a_pool_is_a_503() {
        JsonNode listener = MADE.only("spillway", "AWS::ElasticLoadBalancingV2::Listener");

        assertThat(listener.path("Port").asInt()).isEqualTo(443);
        assertThat(listener.path("Protocol").asText()).isEqualTo("HTTPS");
        assertThat(listener.path("Certificates")).hasSize(1);
        assertThat(listener.path("DefaultActions")
                        .path(0)
                        .path("FixedResponseConfig")
                        .path("StatusCode")
                        .asText())
                .isEqualTo("503");
    }

    @Test
    void the_load_balancer_gives_up_a_silent_connection_after_a_minute() {
        Map<String, String> attributes = new TreeMap<>();
        Synthesis.stream(MADE.only("spillway", "AWS::ElasticLoadBalancingV2::LoadBalancer")
                        .path("LoadBalancerAttributes"))
                .forEach(attribute -> attributes.put(
                        attribute.path("Key").asText(), attribute.path("Value").asText()));

        assertThat(attributes)
                .containsEntry("idle_timeout.timeout_seconds", "60")
                .containsEntry("access_logs.s3.enabled", "true")
                .containsEntry("routing.http.drop_invalid_header_fields.enabled", "true");
    }

    @ParameterizedTest
    @EnumSource
    void each_function_starts_from_a_snapshot_of_a_published_version(DeployedFunction deployed) {
        MADE.shared()
                .hasResourceProperties(
                        "AWS::Lambda::Function",
                        Match.objectLike(Map.of(
                                "FunctionName", "spillway-" + deployed.id(),
                                "Runtime", "java25",
                                "Architectures", List.of("arm64"),
                                "Handler", deployed.handler(),
                                "SnapStart", Map.of("ApplyOn", "PublishedVersions"),
                                "Environment",
                                        Match.objectLike(Map.of(
                                                "Variables",
                                                Match.objectLike(Map.of("POWERTOOLS_SERVICE_NAME", deployed.id())))))));
    }

    @Test
    void every_alias_is_live_and_keeps_what_its_function_failed_on() {
        int functions = DeployedFunction.values().length;

        assertThat(MADE.resources("spillway", "AWS::Lambda::Version")).hasSize(functions);
        assertThat(MADE.resources("spillway", "AWS::Lambda::Alias").values())
                .hasSize(functions)
                .allSatisfy(alias -> assertThat(alias.path("Name").asText()).isEqualTo("live"));
        assertThat(MADE.resources("spillway", "AWS::Lambda::EventInvokeConfig").values())
                .hasSize(functions)
                .allSatisfy(config -> {
                    assertThat(config.path("DestinationConfig")
                                    .path("OnFailure")
                                    .has("Destination"))
                            .isTrue();
                    assertThat(config.path("MaximumRetryAttempts").asInt()).isEqualTo(2);
                    assertThat(config.path("Qualifier").toString()).contains("Live");
                });
    }

    @ParameterizedTest
    @EnumSource
    void a_function_may_do_what_it_declares_and_nothing_else(DeployedFunction deployed) {
        List<String> allowed = new ArrayList<>();
        for (JsonNode statement : statements(deployed)) {
            actions(statement).stream()
                    .filter(action -> !action.startsWith("logs:"))
                    .map(action -> action + index(statement))
                    .forEach(allowed::add);
            boolean anything = statement.path("Resource").toString().equals("\"*\"");
            assertThat(anything)
                    .as("only ecs:ListTasks knows no resource: " + statement)
                    .isEqualTo(actions(statement).equals(List.of("ecs:ListTasks")));
            if (anything) {
                assertThat(statement.path("Condition").path("ArnEquals").has("ecs:cluster"))
                        .isTrue();
            }
        }

        assertThat(allowed).containsExactlyInAnyOrderElementsOf(deployed.actions());
    }

    /** The checks of the AwsSolutions rules pass over wildcards here, each for one of these reasons and no other. */
    @Test
    void every_wildcard_in_a_policy_is_known() {
        String cluster = "{"
                + MADE.resources("spillway", "AWS::ECS::Cluster")
                        .keySet()
                        .iterator()
                        .next() + "}";

        assertThat(wildcards("spillway"))
                .containsExactlyInAnyOrder(
                        // Neither action knows a resource; the first is held to the cluster by a condition.
                        "ecs:ListTasks on *",
                        "ecr:GetAuthorizationToken on *",
                        "on ecs service/" + cluster + "/spillway-*",
                        "on ecs task/" + cluster + "/*",
                        // Tenants come and go without a deployment of what they share.
                        "on secretsmanager secret:spillway/tenant/*",
                        "on secretsmanager secret:spillway/pool/*",
                        // What Secrets Manager adds to a name.
                        "on secretsmanager secret:spillway/stream-??????");
        assertThat(wildcards("spillway-acme"))
                .containsExactlyInAnyOrder(
                        "ecr:GetAuthorizationToken on *",
                        "on ecs task/{spillway-Cluster}/*",
                        "on secretsmanager secret:spillway/tenant/acme-??????");
    }

    private static Set<String> wildcards(String stack) {
        Set<String> found = new TreeSet<>();
        Stream.concat(
                        MADE.resources(stack, "AWS::IAM::Role").values().stream()
                                .flatMap(role -> Synthesis.stream(role.path("Policies"))),
                        MADE.resources(stack, "AWS::IAM::Policy").values().stream())
                .flatMap(
                        policy -> Synthesis.stream(policy.path("PolicyDocument").path("Statement")))
                .forEach(statement -> {
                    for (String action : actions(statement)) {
                        assertThat(action).doesNotContain("*");
                    }
                    JsonNode resource = statement.path("Resource");
                    (resource.isArray() ? Synthesis.stream(resource) : Stream.of(resource))
                            .map(Synthesis::text)
                            .filter(text -> text.contains("*") || text.contains("?"))
                            .map(text -> text.equals("*")
                                    ? String.join(",", actions(statement)) + " on *"
                                    : text.replaceFirst(
                                                    "^arn:\\{AWS::Partition}:([^:]*):[^:]*:\\{AWS::AccountId}:",
                                                    "on $1 ")
                                            .replaceAll("\\{\"Fn::ImportValue\":\"([^\"]*)\"}", "$1"))
                            .forEach(found::add);
                });
        return found;
    }

    /** A statement about the table is none about its index. */
    private static String index(JsonNode statement) {
        return statement.path("Resource").toString().contains("/index/attempts") ? " attempts" : "";
    }

    private static List<JsonNode> statements(DeployedFunction deployed) {
        Map.Entry<String, JsonNode> function = MADE.resources("spillway", "AWS::Lambda::Function").entrySet().stream()
                .filter(entry -> entry.getValue().path("FunctionName").asText().equals("spillway-" + deployed.id()))
                .findFirst()
                .orElseThrow();
        String role =
                function.getValue().path("Role").path("Fn::GetAtt").path(0).asText();
        JsonNode properties =
                MADE.written("spillway").path("Resources").path(role).path("Properties");
        assertThat(properties.has("ManagedPolicyArns")).isFalse();
        List<JsonNode> statements = new ArrayList<>();
        Synthesis.stream(properties.path("Policies"))
                .flatMap(
                        policy -> Synthesis.stream(policy.path("PolicyDocument").path("Statement")))
                .forEach(statements::add);
        // What other constructs add to a role comes as a policy of its own.
        MADE.resources("spillway", "AWS::IAM::Policy").values().stream()
                .filter(policy -> policy.path("Roles").toString().contains(role))
                .flatMap(
                        policy -> Synthesis.stream(policy.path("PolicyDocument").path("Statement")))
                .filter(statement -> !actions(statement).contains("sqs:SendMessage"))
                .forEach(statements::add);
        return statements;
    }

    private static List<String> actions(JsonNode statement) {
        return Synthesis.texts(statement.path("Action"));
    }

    @Test
    void twilios_routes_are_open_and_all_others_need_iam() {
        Map<String, String> authorization = new TreeMap<>();
        MADE.resources("spillway", "AWS::ApiGatewayV2::Route")
                .values()
                .forEach(route -> authorization.put(
                        route.path("RouteKey").asText(),
                        route.path("AuthorizationType").asText("NONE")));

        assertThat(authorization).hasSize(Route.ALL.size());
        authorization.forEach(
                (route, type) -> assertThat(type).as(route).isEqualTo(route.contains("/twilio/") ? "NONE" : "AWS_IAM"));
    }

    @Test
    void only_what_people_ask_is_throttled_and_twilio_gets_the_accounts_maximum() {
        JsonNode stage = MADE.only("spillway", "AWS::ApiGatewayV2::Stage");

        for (Route route : Route.ALL) {
            JsonNode setting = stage.path("RouteSettings").path(route.key());
            assertThat(setting.path("ThrottlingRateLimit").asInt())
                    .as(route.key())
                    .isEqualTo(route.needsIam() ? 50 : 10_000);
            assertThat(setting.path("ThrottlingBurstLimit").asInt())
                    .as(route.key())
                    .isEqualTo(route.needsIam() ? 100 : 5_000);
        }
    }

    @Test
    void the_access_log_names_neither_paths_nor_numbers() {
        String format = MADE.only("spillway", "AWS::ApiGatewayV2::Stage")
                .path("AccessLogSettings")
                .path("Format")
                .asText();

        assertThat(format)
                .contains("$context.routeKey")
                .contains("$context.status")
                .doesNotContain("context.path");
        assertThat(format).doesNotContain("queryString").doesNotContain("sourceIp");
    }

    @Test
    void a_hundred_callers_at_once_find_the_fallback_reserved_for_them() {
        Map<String, Integer> reserved = new TreeMap<>();
        MADE.resources("spillway", "AWS::Lambda::Function").values().stream()
                .filter(function -> function.has("ReservedConcurrentExecutions"))
                .forEach(function -> reserved.put(
                        function.path("FunctionName").asText(),
                        function.path("ReservedConcurrentExecutions").asInt()));

        assertThat(reserved).containsOnly(Map.entry("spillway-fallback", 200), Map.entry("spillway-continue", 200));
    }

    @Test
    void rules_take_each_announcement_to_its_functions_and_keep_what_they_cannot_deliver() {
        Map<String, JsonNode> rules = new TreeMap<>();
        MADE.resources("spillway", "AWS::Events::Rule")
                .values()
                .forEach(rule -> rules.put(rule.path("Name").asText(), rule));

        for (DeployedFunction deployed : DeployedFunction.values()) {
            JsonNode rule = rules.getOrDefault("spillway-" + deployed.id(), MissingNode.getInstance());
            if (deployed.announcements().isEmpty()) {
                assertThat(rule.isMissingNode()).as(deployed.id()).isTrue();
            } else {
                assertThat(Synthesis.stream(rule.path("EventPattern").path("detail-type"))
                                .map(JsonNode::asText))
                        .containsExactlyElementsOf(deployed.announcements());
            }
        }
        assertThat(rules.getOrDefault("spillway-tasks", MissingNode.getInstance())
                        .path("EventPattern")
                        .toString())
                .contains("ECS Task State Change", "DEACTIVATING", "STOPPED");
        assertThat(rules.values()).allSatisfy(rule -> {
            JsonNode target = rule.path("Targets").path(0);
            assertThat(target.path("DeadLetterConfig").has("Arn")).isTrue();
            assertThat(target.path("RetryPolicy").path("MaximumRetryAttempts").asInt())
                    .isPositive();
        });
        assertThat(MADE.only("spillway", "AWS::Events::Archive")
                        .path("RetentionDays")
                        .asInt())
                .isEqualTo(30);
    }

    private static Map<String, JsonNode> schedules() {
        Map<String, JsonNode> schedules = new TreeMap<>();
        MADE.resources("spillway", "AWS::Scheduler::Schedule")
                .values()
                .forEach(schedule -> schedules.put(schedule.path("Name").asText(), schedule));
        return schedules;
    }

    private static JsonNode input(JsonNode schedule) {
        return JsonFile.parse("input", schedule.path("Target").path("Input").asText(), JsonNode.class);
    }

    @Test
    void every_minute_four_functions_are_asked_with_an_input_that_they_can_read() {
        Map<String, JsonNode> rounds = schedules();
        rounds.values()
                .removeIf(schedule ->
                        !schedule.path("ScheduleExpression").asText().equals("rate(1 minute)"));

        assertThat(rounds)
                .containsOnlyKeys(
                        "spillway-dialer",
                        "spillway-gateway-scaler",
                        "spillway-idle-sweeper",
                        "spillway-zombie-reconciler");
        assertThat(rounds.values()).allSatisfy(schedule -> {
            JsonNode input = input(schedule);
            assertThat(input.path("source").asText()).isEqualTo("aws.scheduler");
            assertThat(input.path("detail").isObject()).isTrue();
        });
    }

    @ParameterizedTest
    @EnumSource
    void no_snapshot_is_laid_by_for_want_of_invocations(DeployedFunction deployed) {
        JsonNode schedule = schedules().getOrDefault("spillway-" + deployed.id(), MissingNode.getInstance());

        assertThat(schedule.path("ScheduleExpression").asText())
                .isEqualTo(deployed.everyMinute() ? "rate(1 minute)" : "rate(1 day)");
        JsonNode target = schedule.path("Target");
        assertThat(target.path("Arn").toString()).contains("Live");
        assertThat(target.path("DeadLetterConfig").has("Arn")).isTrue();
        assertThat(target.path("RetryPolicy").path("MaximumRetryAttempts").asInt())
                .isEqualTo(2);
        if (!deployed.everyMinute()) {
            assertThat(input(schedule)).isEqualTo(JsonFile.JSON.valueToTree(DailyCall.of(deployed)));
        }
    }

    @Test
    void each_alarm_leads_to_a_section_of_the_runbook() throws IOException {
        List<String> sections = Files.readAllLines(Synthesis.HOME.resolve("infra-cdk/RUNBOOK.md")).stream()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3).toLowerCase(Locale.ROOT).replace(' ', '-'))
                .toList();
        List<JsonNode> alarms = new ArrayList<>(
                MADE.resources("spillway", "AWS::CloudWatch::Alarm").values());
        alarms.addAll(MADE.resources("spillway-acme", "AWS::CloudWatch::Alarm").values());

        assertThat(alarms).allSatisfy(alarm -> {
            String description = alarm.path("AlarmDescription").asText();
            assertThat(description).contains("https://docs.example.com/RUNBOOK.md#");
            assertThat(sections).contains(description.substring(description.indexOf('#') + 1));
            assertThat(alarm.path("AlarmActions")).isNotEmpty();
        });
        assertThat(alarms)
                .extracting(alarm -> alarm.path("AlarmName").asText())
                .contains(
                        "spillway-refusals",
                        "spillway-hold-time-acme",
                        "spillway-zombies",
                        "spillway-dead-letters-events",
                        "spillway-errors-fallback",
                        "spillway-gateway-spare");
    }

    private static JsonNode alarm(String stack, String name) {
        return MADE.resources(stack, "AWS::CloudWatch::Alarm").values().stream()
                .filter(alarm -> alarm.path("AlarmName").asText().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no alarm " + name));
    }

    @ParameterizedTest
    @CsvSource({"refusals, REFUSALS", "apologies, APOLOGIES", "zombies, ZOMBIES_FOUND", "alerts, ALERTS"})
    void one_of_them_within_a_minute_is_enough_for_an_alarm(String name, Metric metric) {
        JsonNode alarm = alarm("spillway", "spillway-" + name);

        assertThat(alarm.path("Metrics").path(0).path("Expression").asText())
                .isEqualTo("SELECT SUM(" + MetricNames.of(metric) + ") FROM \"Spillway/spillway\"");
        assertThat(alarm.path("Threshold").asInt()).isZero();
        assertThat(alarm.path("DatapointsToAlarm").asInt()).isEqualTo(1);
    }

    @Test
    void held_calls_are_watched_in_the_series_that_the_journal_writes() {
        JsonNode alarm = alarm("spillway-acme", "spillway-hold-time-acme");

        assertThat(alarm.path("Namespace").asText()).isEqualTo("Spillway/spillway");
        assertThat(alarm.path("MetricName").asText()).isEqualTo(MetricNames.of(Metric.HOLD_SECONDS));
        assertThat(alarm.path("ExtendedStatistic").asText()).isEqualTo("p95");
        assertThat(alarm.path("Threshold").asInt()).isEqualTo(180);
        assertThat(alarm.path("Dimensions").toString())
                .contains(
                        "{\"Name\":\"service\",\"Value\":\"held-calls\"}", "{\"Name\":\"tenant\",\"Value\":\"acme\"}");
    }

    @Test
    void fewer_than_three_spare_slots_alarm_and_so_does_it_when_nobody_measures() {
        JsonNode alarm = alarm("spillway", "spillway-gateway-spare");

        assertThat(alarm.path("MetricName").asText()).isEqualTo(MetricNames.of(Metric.SPARE_SLOTS));
        assertThat(alarm.path("Dimensions").toString()).contains("gateway-scaler");
        assertThat(alarm.path("ComparisonOperator").asText()).isEqualTo("LessThanThreshold");
        assertThat(alarm.path("Threshold").asInt()).isEqualTo(3);
        assertThat(alarm.path("TreatMissingData").asText()).isEqualTo("breaching");
    }

    @ParameterizedTest
    @EnumSource
    void one_error_alarms_where_a_caller_waits_for_the_function(DeployedFunction deployed) {
        JsonNode alarm = alarm("spillway", "spillway-errors-" + deployed.id());
        boolean callersWait = Route.ALL.stream()
                .anyMatch(route -> route.function() == deployed && route.path().startsWith("/twilio/"));

        assertThat(alarm.path("MetricName").asText()).isEqualTo("Errors");
        assertThat(alarm.path("EvaluationPeriods").asInt()).isEqualTo(callersWait ? 1 : 3);
        assertThat(alarm.path("DatapointsToAlarm").asInt()).isEqualTo(callersWait ? 1 : 3);
        assertThat(alarm.path("Period").asInt()).isEqualTo(60);
    }

    @Test
    void the_dashboard_shows_metrics_that_the_journal_writes() {
        JsonNode dashboard = MADE.only("spillway", "AWS::CloudWatch::Dashboard");
        assertThat(dashboard.path("DashboardName").asText()).isEqualTo("spillway");
        String body = dashboard.path("DashboardBody").toString();

        List<String> searched = new ArrayList<>();
        Matcher search = Pattern.compile(
                        "\\{[\\\\]*\"Spillway/spillway[\\\\]*\",service(?:,tenant)?} MetricName=\\(([^)]*)\\)")
                .matcher(body);
        while (search.find()) {
            searched.addAll(List.of(search.group(1).replaceAll("[^A-Za-z ]", "").split(" OR ")));
        }
        assertThat(searched)
                .isSubsetOf(Arrays.stream(Metric.values()).map(MetricNames::of).toList())
                .contains("Refusals", "Alerts", "HoldSeconds", "ZombiesFound")
                .contains("LiveSlots", "ReservedSlots", "CooldownSlots", "ReadySlots", "UsableSlots", "SlotCeiling")
                .contains("OutboundWaitSeconds", "SlotReuseSeconds");
    }

    @Test
    void nothing_breaks_a_rule_of_the_well_architected_checks_without_a_reason() {
        assertThat(MADE.findings("spillway")).isEmpty();
        assertThat(MADE.findings("spillway-acme")).isEmpty();
    }
}
