package dev.spillway.infra;

import dev.spillway.adapters.aws.ContainerAccess;
import dev.spillway.core.pool.PoolId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awscdk.services.iam.PolicyStatement;
import software.constructs.Construct;

/** What a media container may do: what {@link ContainerAccess} says, each on the narrowest resource there is. */
final class TaskPolicies {
    private TaskPolicies() {}

    static List<PolicyStatement> of(Construct scope, Names names, Surroundings around, PoolId pool) {
        ContainerAccess access = ContainerAccess.of(pool);
        List<PolicyStatement> statements = new ArrayList<>();
        access.table()
                .forEach((keys, actions) -> statements.add(PolicyStatement.Builder.create()
                        .actions(actions)
                        .resources(List.of(around.tableArn()))
                        .conditions(Map.of("ForAllValues:StringLike", Map.of("dynamodb:LeadingKeys", List.of(keys))))
                        .build()));
        for (String action : access.others()) {
            statements.add(other(scope, names, around, pool, action));
        }
        // A task's ARN has no service in it, so these are all tasks of the cluster. The agent asks for its own only; a
        // bot in the same task could ask for another's. A condition on tags might forbid it; decision 58 says why not.
        statements.add(PolicyStatement.Builder.create()
                .sid("ProtectItself")
                .actions(ContainerAccess.PROTECTION)
                .resources(List.of(Arns.of(scope, "ecs", "task/" + around.cluster() + "/*")))
                .build());
        return statements;
    }

    private static PolicyStatement other(
            Construct scope, Names names, Surroundings around, PoolId pool, String action) {
        return switch (action) {
            case ContainerAccess.PUBLISH ->
                PolicyStatement.Builder.create()
                        .sid("Announce")
                        .actions(List.of(action))
                        .resources(List.of(around.busArn()))
                        .conditions(Map.of("StringEquals", Map.of("events:source", "spillway")))
                        .build();
            case ContainerAccess.SECRET ->
                PolicyStatement.Builder.create()
                        .sid("OwnToken")
                        .actions(List.of(action))
                        .resources(List.of(Arns.secret(
                                scope, names.tenantSecret(pool.tenant().orElseThrow()))))
                        .build();
            default ->
                throw new IllegalArgumentException(
                        "pool " + pool + " uses " + action + ", and nobody has said on what resource it may");
        };
    }
}
