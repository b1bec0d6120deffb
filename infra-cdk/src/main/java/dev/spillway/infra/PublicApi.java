package dev.spillway.infra;

import dev.spillway.lambda.DeployedFunction;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awscdk.Duration;
import software.amazon.awscdk.RemovalPolicy;
import software.amazon.awscdk.aws_apigatewayv2_authorizers.HttpIamAuthorizer;
import software.amazon.awscdk.aws_apigatewayv2_integrations.HttpLambdaIntegration;
import software.amazon.awscdk.services.apigatewayv2.AddRoutesOptions;
import software.amazon.awscdk.services.apigatewayv2.CfnApiMapping;
import software.amazon.awscdk.services.apigatewayv2.CfnStage;
import software.amazon.awscdk.services.apigatewayv2.DomainName;
import software.amazon.awscdk.services.apigatewayv2.HttpApi;
import software.amazon.awscdk.services.apigatewayv2.HttpMethod;
import software.amazon.awscdk.services.apigatewayv2.HttpNoneAuthorizer;
import software.amazon.awscdk.services.apigatewayv2.PayloadFormatVersion;
import software.amazon.awscdk.services.logs.LogGroup;
import software.amazon.awscdk.services.logs.RetentionDays;
import software.constructs.Construct;

/**
 * The HTTP API. Twilio's routes are signed and open to the account's maximum; every other needs IAM and is throttled.
 */
final class PublicApi extends Construct {
    /** The account's own maximum unless the quota is raised (API Gateway quotas). Nothing stands behind the fallback. */
    static final int ACCOUNT_RATE = 10_000;

    static final int ACCOUNT_BURST = 5_000;

    /** People and their scripts; a guess. */
    static final int OTHER_RATE = 50;

    static final int OTHER_BURST = 100;

    /** Names neither a path nor a query: job and tenant names are in them, and phone numbers might be. */
    private static final Map<String, String> LOGGED = new java.util.TreeMap<>(Map.of(
            "requestId", "$context.requestId",
            "requestTime", "$context.requestTime",
            "route", "$context.routeKey",
            "status", "$context.status",
            "latencyMillis", "$context.responseLatency",
            "functionMillis", "$context.integrationLatency",
            "caller", "$context.identity.userArn",
            "error", "$context.error.message",
            "functionError", "$context.integration.error"));

    private final HttpApi api;
    private final DomainName domain;

    PublicApi(
            Construct scope,
            String id,
            Names names,
            Entrance entrance,
            Map<DeployedFunction, SnapStartFunction> functions) {
        super(scope, id);
        this.api = HttpApi.Builder.create(this, "Api")
                .apiName(names.deployment())
                .createDefaultStage(false)
                // The one address is that which Twilio signs.
                .disableExecuteApiEndpoint(true)
                .build();
        Map<DeployedFunction, HttpLambdaIntegration> integrations = new LinkedHashMap<>();
        HttpIamAuthorizer iam = new HttpIamAuthorizer();
        HttpNoneAuthorizer none = new HttpNoneAuthorizer();
        for (Route route : Route.ALL) {
            HttpLambdaIntegration integration = integrations.computeIfAbsent(
                    route.function(),
                    function -> HttpLambdaIntegration.Builder.create(
                                    function.id(),
                                    java.util.Objects.requireNonNull(functions.get(function))
                                            .alias())
                            .payloadFormatVersion(PayloadFormatVersion.VERSION_2_0)
                            .timeout(Duration.seconds(29))
                            .build());
            api.addRoutes(AddRoutesOptions.builder()
                    .path(route.path())
                    .methods(List.of(HttpMethod.valueOf(route.method())))
                    .authorizer(route.needsIam() ? iam : none)
                    .integration(integration)
                    .build());
        }
        CfnStage stage = stage(names);
        stage.getNode().addDependency(api);
        this.domain = DomainName.Builder.create(this, "Domain")
                .domainName(names.apiHost())
                .certificate(entrance.certificate())
                .build();
        CfnApiMapping.Builder.create(this, "Mapping")
                .apiId(api.getApiId())
                .domainName(domain.getName())
                .stage(stage.getRef())
                .build();
        entrance.record("Api", names.apiHost(), domain.getRegionalDomainName(), domain.getRegionalHostedZoneId());
    }

    private CfnStage stage(Names names) {
        LogGroup logs = LogGroup.Builder.create(this, "AccessLogs")
                // API Gateway may write to groups of this prefix without a policy for each.
                .logGroupName("/aws/vendedlogs/" + names.deployment() + "-api")
                .retention(RetentionDays.ONE_MONTH)
                .removalPolicy(RemovalPolicy.DESTROY)
                .build();
        Map<String, Object> throttles = new LinkedHashMap<>();
        for (Route route : Route.ALL) {
            throttles.put(
                    route.key(),
                    Map.of(
                            "ThrottlingRateLimit", route.needsIam() ? OTHER_RATE : ACCOUNT_RATE,
                            "ThrottlingBurstLimit", route.needsIam() ? OTHER_BURST : ACCOUNT_BURST,
                            "DetailedMetricsEnabled", true));
        }
        return CfnStage.Builder.create(this, "Stage")
                .apiId(api.getApiId())
                .stageName("$default")
                .autoDeploy(true)
                .accessLogSettings(CfnStage.AccessLogSettingsProperty.builder()
                        .destinationArn(logs.getLogGroupArn())
                        .format(JsonFile.JSON.valueToTree(LOGGED).toString())
                        .build())
                .routeSettings(throttles)
                .build();
    }

    String apiId() {
        return api.getApiId();
    }

    /** What a name for the API has to point at, where there is no hosted zone. */
    String target() {
        return domain.getRegionalDomainName();
    }
}
