package dev.spillway.infra;

import dev.spillway.lambda.DeployedFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awscdk.Annotations;
import software.amazon.awscdk.Duration;
import software.amazon.awscdk.RemovalPolicy;
import software.amazon.awscdk.services.iam.PolicyDocument;
import software.amazon.awscdk.services.iam.PolicyStatement;
import software.amazon.awscdk.services.iam.Role;
import software.amazon.awscdk.services.iam.ServicePrincipal;
import software.amazon.awscdk.services.lambda.Alias;
import software.amazon.awscdk.services.lambda.Architecture;
import software.amazon.awscdk.services.lambda.Code;
import software.amazon.awscdk.services.lambda.EventInvokeConfigOptions;
import software.amazon.awscdk.services.lambda.Function;
import software.amazon.awscdk.services.lambda.Runtime;
import software.amazon.awscdk.services.lambda.SnapStartConf;
import software.amazon.awscdk.services.lambda.destinations.SqsDestination;
import software.amazon.awscdk.services.logs.LogGroup;
import software.amazon.awscdk.services.logs.RetentionDays;
import software.amazon.awscdk.services.sqs.IQueue;
import software.constructs.Construct;

/** One function: Java 25 on arm64, started from a snapshot of its published version, reached by the alias {@code live}. */
final class SnapStartFunction extends Construct {
    static final String ALIAS = "live";

    /** One vCPU: what is below it gets a part of one (FACTS 10). */
    private static final int WHOLE_CPU_MEGABYTES = 1769;

    private final Function function;
    private final Alias alias;

    /**
     * @param code the functions' jar
     * @param environment what every function is told
     * @param failures where events go that this function failed on
     */
    record Common(Code code, Map<String, String> environment, IQueue failures, Grants grants) {}

    SnapStartFunction(Construct scope, Names names, DeployedFunction deployed, Common common) {
        super(scope, deployed.id());
        String name = names.function(deployed.id());
        LogGroup logs = LogGroup.Builder.create(this, "Logs")
                .logGroupName("/aws/lambda/" + name)
                .retention(RetentionDays.ONE_MONTH)
                .removalPolicy(RemovalPolicy.DESTROY)
                .build();
        Map<String, String> environment = new java.util.TreeMap<>(common.environment());
        environment.put("POWERTOOLS_SERVICE_NAME", deployed.id());
        Function.Builder builder = Function.Builder.create(this, "Function")
                .functionName(name)
                .runtime(Runtime.JAVA_25)
                .architecture(Architecture.ARM_64)
                .handler(deployed.handler())
                .code(common.code())
                .memorySize(WHOLE_CPU_MEGABYTES)
                .timeout(timeout(deployed))
                .snapStart(SnapStartConf.ON_PUBLISHED_VERSIONS)
                .role(role(deployed, common.grants(), logs))
                .logGroup(logs)
                .environment(environment);
        reserved(deployed).ifPresent(builder::reservedConcurrentExecutions);
        this.function = builder.build();
        Annotations.of(function)
                .acknowledgeWarning(
                        "@aws-cdk/aws-lambda:snapStartRequirePublish", "The alias below is of a published version");
        this.alias = Alias.Builder.create(this, "Live")
                .aliasName(ALIAS)
                .version(function.getCurrentVersion())
                .build();
        alias.configureAsyncInvoke(EventInvokeConfigOptions.builder()
                .onFailure(new SqsDestination(common.failures()))
                // A minute later the schedule asks the same again; what is an hour old would act on a state that is
                // gone.
                .maxEventAge(Duration.hours(1))
                .retryAttempts(2)
                .build());
    }

    private Role role(DeployedFunction deployed, Grants grants, LogGroup logs) {
        List<PolicyStatement> statements = new ArrayList<>(grants.of(deployed));
        statements.add(PolicyStatement.Builder.create()
                .sid("Logs")
                .actions(List.of("logs:CreateLogStream", "logs:PutLogEvents"))
                .resources(List.of(logs.getLogGroupArn()))
                .build());
        return Role.Builder.create(this, "Role")
                .assumedBy(new ServicePrincipal("lambda.amazonaws.com"))
                .inlinePolicies(Map.of(
                        "Function",
                        PolicyDocument.Builder.create().statements(statements).build()))
                .build();
    }

    /** A caller waits for the webhooks: theirs end well before Twilio gives up after 15 s. Rounds take their time. */
    private static Duration timeout(DeployedFunction deployed) {
        return switch (deployed) {
            case FALLBACK, CONTINUE, CALL_STATUS, STREAM_STATUS, DIAL, OUTBOUND_STATUS -> Duration.seconds(12);
            case CALLS, POOL_STATUS, ORDERS, ATTEMPTS, USAGE, CONSOLE -> Duration.seconds(29);
            case OVERFLOW_SCALER, GATEWAY_SCALER, HAND_OFF -> Duration.seconds(60);
            case IDLE_SWEEPER, ZOMBIE_RECONCILER, DIALER, REGISTRATION -> Duration.minutes(5);
        };
    }

    /**
     * Nothing stands behind the fallback: no other function, of ours or of the account, may use up what it needs. The rounds
     * run once at a time, or nearly.
     */
    private static java.util.Optional<Integer> reserved(DeployedFunction deployed) {
        return switch (deployed) {
            case FALLBACK -> java.util.Optional.of(FALLBACK_CONCURRENCY);
            case CONTINUE -> java.util.Optional.of(CONTINUE_CONCURRENCY);
            case CALL_STATUS,
                    STREAM_STATUS,
                    DIAL,
                    OUTBOUND_STATUS,
                    CALLS,
                    POOL_STATUS,
                    ORDERS,
                    ATTEMPTS,
                    USAGE,
                    CONSOLE,
                    OVERFLOW_SCALER,
                    GATEWAY_SCALER,
                    HAND_OFF,
                    IDLE_SWEEPER,
                    ZOMBIE_RECONCILER,
                    DIALER,
                    REGISTRATION -> java.util.Optional.empty();
        };
    }

    /** Twice the hundred callers at once that are tested; an answer takes less than a second. */
    static final int FALLBACK_CONCURRENCY = 200;

    /** As many calls may have to go on at once, when a container or a zone is lost. */
    static final int CONTINUE_CONCURRENCY = 200;

    Function function() {
        return function;
    }

    Alias alias() {
        return alias;
    }
}
