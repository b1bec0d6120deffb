package dev.spillway.infra;

import dev.spillway.lambda.DeployedFunction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awscdk.services.iam.PolicyStatement;
import software.constructs.Construct;

/** Turns the actions that {@link DeployedFunction} declares into statements, each on the narrowest resource there is. */
final class Grants {
    private final Construct scope;
    private final Names names;
    private final String cluster;
    private final String tableArn;
    private final String busArn;

    Grants(Construct scope, Names names, String cluster, String tableArn, String busArn) {
        this.scope = scope;
        this.names = names;
        this.cluster = cluster;
        this.tableArn = tableArn;
        this.busArn = busArn;
    }

    /** Actions on the same resources, under the same condition, make one statement. */
    private record Ground(List<String> resources, Map<String, Map<String, String>> condition) {}

    List<PolicyStatement> of(DeployedFunction function) {
        Map<Ground, List<String>> grounds = new LinkedHashMap<>();
        for (String action : function.actions()) {
            grounds.computeIfAbsent(ground(function, action), ground -> new ArrayList<>())
                    .add(action.split(" ", 2)[0]);
        }
        List<PolicyStatement> statements = new ArrayList<>();
        grounds.forEach((ground, actions) -> statements.add(PolicyStatement.Builder.create()
                .actions(actions)
                .resources(ground.resources())
                .conditions(ground.condition())
                .build()));
        return statements;
    }

    private Ground ground(DeployedFunction function, String action) {
        String service = action.substring(0, action.indexOf(':'));
        return switch (service) {
            case "dynamodb" -> on(table(action));
            case "ecs" -> ecs(action);
            case "events" -> on(List.of(busArn));
            case "secretsmanager" -> on(secrets(function, action));
            default ->
                throw new IllegalArgumentException(
                        function.id() + " declares " + action + ", and nobody has said on what resource it may");
        };
    }

    private static Ground on(List<String> resources) {
        return new Ground(resources, Map.of());
    }

    /** The table, or the index whose name follows the action: to IAM neither is part of the other. */
    private List<String> table(String action) {
        String[] parts = action.split(" ", 2);
        return List.of(parts.length == 1 ? tableArn : tableArn + "/index/" + parts[1]);
    }

    private Ground ecs(String action) {
        return switch (action) {
            case "ecs:DescribeServices", "ecs:UpdateService" ->
                on(List.of(Arns.of(scope, "ecs", "service/" + cluster + "/" + names.services())));
            case "ecs:DescribeTasks" -> on(List.of(Arns.of(scope, "ecs", "task/" + cluster + "/*")));
            // It knows no resource for tasks on Fargate, only the condition on the cluster (Service Authorization
            // Reference).
            case "ecs:ListTasks" ->
                new Ground(
                        List.of("*"),
                        Map.of("ArnEquals", Map.of("ecs:cluster", Arns.of(scope, "ecs", "cluster/" + cluster))));
            default ->
                throw new IllegalArgumentException("nobody has said on what resource " + action + " may be done");
        };
    }

    private List<String> secrets(DeployedFunction function, String action) {
        if (function == DeployedFunction.REGISTRATION) {
            return List.of(Arns.secret(
                    scope,
                    action.equals("secretsmanager:PutSecretValue") ? names.streamKeySecrets() : names.streamSecret()));
        }
        return List.of(Arns.secret(scope, names.tenantSecrets()), Arns.secret(scope, names.streamSecret()));
    }
}
