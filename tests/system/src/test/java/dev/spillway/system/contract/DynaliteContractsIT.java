package dev.spillway.system.contract;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.Table;
import dev.spillway.localcloud.Dynalite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The ports' suites against the DynamoDB that the local system runs on. */
class DynaliteContractsIT extends DynamoDbContracts {
    private static final String TABLE = "contracts";

    private static Dynalite dynalite;
    private static AwsClients clients;

    @BeforeAll
    static void start() {
        dynalite = Dynalite.start();
        clients = Wire.to(dynalite.url(), "DYNAMODB");
        Table.create(clients.dynamoDb(), TABLE);
    }

    @AfterAll
    static void stop() {
        clients.close();
        dynalite.close();
    }

    @Override
    DynamoDbClient dynamoDb() {
        return clients.dynamoDb();
    }

    @Override
    String table() {
        return TABLE;
    }
}
