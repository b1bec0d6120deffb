package dev.spillway.adapters.aws;

import dev.spillway.adapters.Once;
import dev.spillway.adapters.settings.Settings;
import dev.spillway.adapters.settings.SettingsException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.awscore.defaultsmode.DefaultsMode;
import software.amazon.awssdk.awscore.endpoints.AccountIdEndpointMode;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.ecs.EcsClient;
import software.amazon.awssdk.services.eventbridge.EventBridgeClient;
import software.amazon.awssdk.services.secretsmanager.SecretsManagerClient;

/**
 * The AWS clients of one process. Each is built when first asked for, without calling AWS; several may be asked for at
 * once from different threads. Close it to close every connection.
 */
public final class AwsClients implements AutoCloseable {
    /** One try and two repeats: a third repeat would not fit into what a caller waits. */
    private static final int ATTEMPTS = 3;

    /** A heartbeat comes every 10 s at most, so its connection stays warm. */
    private static final Duration IDLE = Duration.ofSeconds(30);

    /** The HTTP client looks for idle connections once a minute. */
    private static final Duration REAPING = Duration.ofSeconds(60);

    private final AwsSettings settings;
    private final AwsTimeouts standard;
    private final Map<Dependency, ConnectionGauge> gauges = new EnumMap<>(Dependency.class);
    private final Once<AwsCredentialsProvider> defaultCredentials = new Once<>(AwsClients::defaultChain);
    private final Once<DynamoDbClient> dynamoDb = new Once<>(this::buildDynamoDb);
    private final Once<EcsClient> ecs = new Once<>(() -> built(Dependency.ECS, EcsClient.builder()));
    private final Once<EventBridgeClient> eventBridge =
            new Once<>(() -> built(Dependency.EVENTBRIDGE, EventBridgeClient.builder()));
    private final Once<SecretsManagerClient> secrets =
            new Once<>(() -> built(Dependency.SECRETS, SecretsManagerClient.builder()));

    private AwsClients(AwsSettings settings, AwsTimeouts standard) {
        this.settings = settings;
        this.standard = standard;
        for (Dependency dependency : Dependency.values()) {
            gauges.put(dependency, new ConnectionGauge(IDLE.plus(REAPING), System::nanoTime));
        }
    }

    public static AwsClients of(AwsSettings settings) {
        return of(settings, AwsTimeouts.STANDARD);
    }

    public static AwsClients of(AwsSettings settings, AwsTimeouts timeouts) {
        return new AwsClients(settings, timeouts);
    }

    /**
     * @param environment as {@link AwsSettings} says
     * @throws SettingsException listing everything that is missing
     */
    public static AwsClients from(Map<String, String> environment) {
        return from(environment, AwsTimeouts.STANDARD);
    }

    public static AwsClients from(Map<String, String> environment, AwsTimeouts timeouts) {
        return new AwsClients(Settings.read(environment, AwsSettings::from), timeouts);
    }

    public DynamoDbClient dynamoDb() {
        return dynamoDb.get();
    }

    public EcsClient ecs() {
        return ecs.get();
    }

    public EventBridgeClient eventBridge() {
        return eventBridge.get();
    }

    public SecretsManagerClient secrets() {
        return secrets.get();
    }

    /**
     * Open connections for each dependency ({@code dynamodb}, {@code ecs}, {@code eventbridge}, {@code secrets}), as of the
     * last call to each.
     */
    public Map<String, Integer> openConnections() {
        Map<String, Integer> open = new TreeMap<>();
        gauges.forEach((dependency, gauge) -> open.put(dependency.text(), gauge.open()));
        return open;
    }

    @Override
    public void close() {
        dynamoDb.ifMade(DynamoDbClient::close);
        ecs.ifMade(EcsClient::close);
        eventBridge.ifMade(EventBridgeClient::close);
        secrets.ifMade(SecretsManagerClient::close);
        gauges.values().forEach(ConnectionGauge::close);
    }

    private DynamoDbClient buildDynamoDb() {
        // Both are questions to AWS or to the profile that a plain regional endpoint does not need.
        return built(
                Dependency.DYNAMODB,
                DynamoDbClient.builder()
                        .endpointDiscoveryEnabled(false)
                        .accountIdEndpointMode(AccountIdEndpointMode.DISABLED));
    }

    /** Everything that the SDK would otherwise look up in profiles, in the environment or on the class path is said here. */
    private <B extends AwsClientBuilder<B, C> & AwsSyncClientBuilder<B, C>, C> C built(
            Dependency dependency, B builder) {
        AwsTimeouts timeouts = standard.times(dependency.patience());
        builder.region(Region.of(settings.region()))
                .credentialsProvider(credentials(dependency))
                .defaultsMode(DefaultsMode.STANDARD)
                .dualstackEnabled(false)
                .fipsEnabled(false)
                .overrideConfiguration(override(dependency, timeouts))
                // A client that is given a builder owns the HTTP client, and closes it with itself.
                .httpClientBuilder(http(dependency, timeouts));
        settings.endpoint(dependency).ifPresent(builder::endpointOverride);
        return builder.build();
    }

    private Apache5HttpClient.Builder http(Dependency dependency, AwsTimeouts timeouts) {
        Apache5HttpClient.Builder http = Apache5HttpClient.builder()
                .connectionTimeout(timeouts.connect())
                .connectionAcquisitionTimeout(timeouts.connect())
                .socketTimeout(timeouts.attempt())
                .connectionMaxIdleTime(IDLE)
                .useIdleConnectionReaper(true)
                .tcpKeepAlive(true)
                .maxConnections(dependency.mostConnections());
        URI endpoint = settings.endpoint(dependency).orElse(null);
        if (endpoint != null && "http".equals(endpoint.getScheme())) {
            // Reading the trusted certificates is half of what making a client takes, and nobody asks for them here.
            http.tlsSocketStrategy((socket, target, port, attachment, context) -> {
                throw new IOException(endpoint + " is plain HTTP");
            });
        }
        return http;
    }

    private AwsCredentialsProvider credentials(Dependency dependency) {
        AwsSettings.Keys keys = settings.keys();
        return keys != null && settings.endpoint(dependency).isPresent()
                ? StaticCredentialsProvider.create(AwsBasicCredentials.create(keys.id(), keys.secret()))
                : defaultCredentials.get();
    }

    private static AwsCredentialsProvider defaultChain() {
        return DefaultCredentialsProvider.builder().build();
    }

    private ClientOverrideConfiguration override(Dependency dependency, AwsTimeouts timeouts) {
        ProfileFile none = ProfileFile.aggregator().build();
        return ClientOverrideConfiguration.builder()
                .apiCallTimeout(timeouts.call())
                .apiCallAttemptTimeout(timeouts.attempt())
                .retryStrategy(retries())
                .defaultProfileFileSupplier(() -> none)
                .defaultProfileName("default")
                .addMetricPublisher(gauges.get(dependency))
                .build();
    }

    /** Standard mode: bounded, with full jitter, and with a token bucket that stops repeating once most calls fail. */
    private static StandardRetryStrategy retries() {
        return AwsRetryStrategy.standardRetryStrategy().toBuilder()
                .maxAttempts(ATTEMPTS)
                .backoffStrategy(BackoffStrategy.exponentialDelay(Duration.ofMillis(25), Duration.ofMillis(300)))
                .throttlingBackoffStrategy(
                        BackoffStrategy.exponentialDelay(Duration.ofMillis(100), Duration.ofMillis(600)))
                .build();
    }
}
