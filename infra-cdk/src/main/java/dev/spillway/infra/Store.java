package dev.spillway.infra;

import java.util.List;
import java.util.Map;
import software.amazon.awscdk.RemovalPolicy;
import software.amazon.awscdk.Stack;
import software.amazon.awscdk.services.dynamodb.Attribute;
import software.amazon.awscdk.services.dynamodb.AttributeType;
import software.amazon.awscdk.services.dynamodb.BillingMode;
import software.amazon.awscdk.services.dynamodb.GlobalSecondaryIndexProps;
import software.amazon.awscdk.services.dynamodb.PointInTimeRecoverySpecification;
import software.amazon.awscdk.services.dynamodb.ProjectionType;
import software.amazon.awscdk.services.dynamodb.Table;
import software.amazon.awscdk.services.dynamodb.TableEncryption;
import software.amazon.awscdk.services.iam.AnyPrincipal;
import software.amazon.awscdk.services.iam.PolicyStatement;
import software.amazon.awscdk.services.kms.Key;
import software.constructs.Construct;

/** The one table, under a key of the customer's own: phone numbers of callees are in it. */
final class Store extends Construct {
    private final Table table;

    Store(Construct scope, String id, String tableName) {
        super(scope, id);
        Key key = Key.Builder.create(this, "Key")
                .description("Encrypts the table " + tableName)
                .enableKeyRotation(true)
                .removalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
                .build();
        Stack stack = Stack.of(this);
        // As the keys that AWS manages do it: whoever may use the table may use the key, through the table only.
        key.addToResourcePolicy(PolicyStatement.Builder.create()
                .sid("ThroughTheTable")
                .principals(List.of(new AnyPrincipal()))
                .actions(List.of(
                        "kms:Encrypt",
                        "kms:Decrypt",
                        "kms:ReEncrypt*",
                        "kms:GenerateDataKey*",
                        "kms:DescribeKey",
                        "kms:CreateGrant"))
                .resources(List.of("*"))
                .conditions(Map.of(
                        "StringEquals",
                        Map.of(
                                "kms:CallerAccount",
                                stack.getAccount(),
                                "kms:ViaService",
                                "dynamodb." + stack.getRegion() + ".amazonaws.com")))
                .build());
        this.table = Table.Builder.create(this, "Table")
                .tableName(tableName)
                .partitionKey(text("pk"))
                .sortKey(text("sk"))
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .timeToLiveAttribute("expiresAt")
                .pointInTimeRecoverySpecification(PointInTimeRecoverySpecification.builder()
                        .pointInTimeRecoveryEnabled(true)
                        .build())
                .encryption(TableEncryption.CUSTOMER_MANAGED)
                .encryptionKey(key)
                // It outlives its stack. Only a first deployment that fails takes it along, which deletion protection
                // would forbid: its name would be in the next one's way.
                .removalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
                .build();
        table.addGlobalSecondaryIndex(GlobalSecondaryIndexProps.builder()
                .indexName("attempts")
                .partitionKey(text("listing"))
                .sortKey(text("listed"))
                .projectionType(ProjectionType.INCLUDE)
                .nonKeyAttributes(dev.spillway.adapters.dynamodb.Table.OUTLINE)
                .build());
    }

    private static Attribute text(String name) {
        return Attribute.builder().name(name).type(AttributeType.STRING).build();
    }

    Table table() {
        return table;
    }
}
