package dev.spillway.infra;

import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awscdk.services.iam.PolicyStatement;
import software.constructs.Construct;

/** What a media container may do. A tenant's reaches that tenant's keys in the table and no others. */
final class TaskPolicies {
    private TaskPolicies() {}

    static List<PolicyStatement> of(Construct scope, Names names, Surroundings around, PoolId pool) {
        List<PolicyStatement> statements = new ArrayList<>();
        pool.tenant()
                .ifPresentOrElse(
                        tenant -> statements.addAll(ofTenant(scope, names, around, tenant)),
                        () -> statements.addAll(ofGateway(around)));
        statements.add(PolicyStatement.Builder.create()
                .sid("Announce")
                .actions(List.of("events:PutEvents"))
                .resources(List.of(around.busArn()))
                .conditions(Map.of("StringEquals", Map.of("events:source", "spillway")))
                .build());
        statements.add(PolicyStatement.Builder.create()
                .sid("ProtectItself")
                .actions(List.of("ecs:GetTaskProtection", "ecs:UpdateTaskProtection"))
                .resources(List.of(Arns.of(scope, "ecs", "task/" + around.cluster() + "/*")))
                .build());
        return statements;
    }

    private static List<PolicyStatement> ofTenant(Construct scope, Names names, Surroundings around, TenantId tenant) {
        return List.of(
                keys(
                        "OwnKeys",
                        around,
                        List.of("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"),
                        List.of(tenant + "#pool", tenant + "#call#*")),
                PolicyStatement.Builder.create()
                        .sid("OwnToken")
                        .actions(List.of("secretsmanager:GetSecretValue"))
                        .resources(List.of(Arns.secret(scope, names.tenantSecret(tenant))))
                        .build());
    }

    /** The gateway answers for everybody: it reads every tenant, writes their calls, and gives back slots offered to them. */
    private static List<PolicyStatement> ofGateway(Surroundings around) {
        return List.of(
                keys(
                        "OwnKeys",
                        around,
                        List.of("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"),
                        List.of("gateway#pool")),
                keys(
                        "Tenants",
                        around,
                        List.of("dynamodb:GetItem", "dynamodb:Query"),
                        List.of("spillway#tenants", "*#pool")),
                keys("OfferedSlots", around, List.of("dynamodb:UpdateItem"), List.of("*#pool")),
                keys(
                        "Calls",
                        around,
                        List.of("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"),
                        List.of("*#call#*")));
    }

    private static PolicyStatement keys(String sid, Surroundings around, List<String> actions, List<String> keys) {
        return PolicyStatement.Builder.create()
                .sid(sid)
                .actions(actions)
                .resources(List.of(around.tableArn()))
                .conditions(Map.of("ForAllValues:StringLike", Map.of("dynamodb:LeadingKeys", keys)))
                .build();
    }
}
