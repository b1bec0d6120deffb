package dev.spillway.localcloud;

import java.net.URI;
import java.time.Duration;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.ecs.EcsClient;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/** The real clients, without retries: a test sees each answer as it is. */
final class AwsClients {
    private AwsClients() {}

    static EcsClient ecs(URI url) {
        return at(url, EcsClient.builder()).build();
    }

    static DynamoDbClient dynamoDb(URI url) {
        return at(url, DynamoDbClient.builder()).build();
    }

    static SecretsManagerClient secrets(URI url) {
        return at(url, SecretsManagerClient.builder()).build();
    }

    private static <B extends AwsClientBuilder<B, ?>> B at(URI url, B builder) {
        return builder.endpointOverride(url)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
                .overrideConfiguration(ClientOverrideConfiguration.builder()
                        .retryStrategy(DefaultRetryStrategy.doNotRetry())
                        .apiCallTimeout(Duration.ofSeconds(5))
                        .build());
    }
}
