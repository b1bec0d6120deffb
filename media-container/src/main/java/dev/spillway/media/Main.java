package dev.spillway.media;

import dev.spillway.adapters.RandomGenerations;
import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.eventbridge.EventBridgeAnnouncements;
import dev.spillway.adapters.secrets.SecretTokens;
import dev.spillway.adapters.settings.SettingsException;
import dev.spillway.core.journal.Journal;
import dev.spillway.media.agent.Agents;
import dev.spillway.media.agent.ScriptedAgent;
import dev.spillway.media.host.Host;
import dev.spillway.media.journal.JsonLines;
import dev.spillway.media.life.LaunchException;
import dev.spillway.media.life.MediaContainer;
import dev.spillway.media.life.Ports;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The process in the task. Exits with 0 when it was asked to stop or is no longer counted on, 1 when it could not become
 * READY, 2 when its configuration is wrong.
 */
public final class Main {
    private static final InstantSource CLOCK = InstantSource.system();

    private Main() {}

    /** @param args {@code --train} to warm the paths of a start for an AOT cache, and exit */
    public static void main(String[] args) {
        if (args.length == 1 && args[0].equals("--train")) {
            Training.run();
            System.exit(0);
        }
        System.exit(run(System.getenv()));
    }

    private static int run(Map<String, String> environment) {
        ContainerSettings settings;
        try {
            settings = ContainerSettings.from(environment);
        } catch (SettingsException e) {
            System.err.println(e.getMessage());
            return 2;
        }
        Journal journal = new JsonLines(
                new FileOutputStream(FileDescriptor.out),
                CLOCK,
                Map.of("pool", settings.pool().value()));
        MediaContainer container = container(settings, environment, journal);
        AtomicBoolean exiting = new AtomicBoolean();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (exiting.compareAndSet(false, true)) {
                container.stop();
                // A process that ends by a signal would report the signal, not success.
                Runtime.getRuntime().halt(0);
            }
        }));
        try {
            container.start();
        } catch (LaunchException e) {
            if (exiting.compareAndSet(false, true)) {
                System.err.println("spillway media container: " + e.getMessage());
                container.close();
                return 1;
            }
        }
        container.awaitEnd();
        if (exiting.compareAndSet(false, true)) {
            container.close();
        }
        return 0;
    }

    static MediaContainer container(ContainerSettings settings, Map<String, String> environment, Journal journal) {
        Agents agents = (tenant, line) -> new ScriptedAgent(tenant, line, settings.think());
        return new MediaContainer(
                settings,
                () -> ports(settings, environment, journal),
                new Host(settings.agentUri(), settings.metadataUri()),
                agents,
                journal,
                CLOCK);
    }

    private static Ports ports(ContainerSettings settings, Map<String, String> environment, Journal journal) {
        AwsClients clients = AwsClients.from(environment);
        String table = settings.shared().table();
        return new Ports(
                new DynamoPools(clients.dynamoDb(), table),
                new DynamoContainers(clients.dynamoDb(), table),
                new DynamoCalls(clients.dynamoDb(), table),
                new DynamoTenants(clients.dynamoDb(), table, CLOCK),
                new SecretTokens(clients.secrets(), CLOCK),
                new EventBridgeAnnouncements(
                        clients.eventBridge(), settings.shared().eventBus(), journal),
                new RandomGenerations(),
                clients::openConnections,
                clients::close);
    }
}
