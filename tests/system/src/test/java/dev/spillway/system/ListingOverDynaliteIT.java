package dev.spillway.system;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoAttempts;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.adapters.dynamodb.Table;
import dev.spillway.core.attempt.Attempts;
import dev.spillway.core.call.Calls;
import dev.spillway.core.contract.AttemptsContract;
import dev.spillway.localcloud.Dynalite;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The list of attempts against the DynamoDB that the local system runs on, with its index. */
@SuppressWarnings("NullAway.Init")
class ListingOverDynaliteIT extends AttemptsContract {
    private static final String TABLE = "attempts";

    private static Dynalite dynalite;
    private static AwsClients clients;

    @BeforeAll
    static void start() {
        dynalite = Dynalite.start();
        clients = AwsClients.from(Map.of(
                "AWS_REGION", "us-east-1",
                "AWS_ACCESS_KEY_ID", "local",
                "AWS_SECRET_ACCESS_KEY", "local",
                "AWS_ENDPOINT_URL_DYNAMODB", dynalite.url().toString()));
        Table.create(clients.dynamoDb(), TABLE);
    }

    @AfterAll
    static void stop() {
        clients.close();
        dynalite.close();
    }

    @Override
    protected Calls calls() {
        return new DynamoCalls(clients.dynamoDb(), TABLE);
    }

    @Override
    protected Attempts attempts() {
        return new DynamoAttempts(clients.dynamoDb(), TABLE);
    }
}
