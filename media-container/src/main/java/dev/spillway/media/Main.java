package dev.spillway.media;

import dev.spillway.adapters.Once;
import dev.spillway.adapters.RandomGenerations;
import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoConversations;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.eventbridge.EventBridgeAnnouncements;
import dev.spillway.adapters.journal.JsonLines;
import dev.spillway.adapters.journal.MetricNames;
import dev.spillway.adapters.secrets.SecretTokens;
import dev.spillway.adapters.settings.SettingsException;
import dev.spillway.core.event.Announcements;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TwilioTokens;
import dev.spillway.media.agent.AnswerableTenants;
import dev.spillway.media.agent.EmbeddedAgents;
import dev.spillway.media.host.EcsHost;
import dev.spillway.media.life.LaunchException;
import dev.spillway.media.life.MediaContainer;
import dev.spillway.media.life.Ports;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

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
            System.exit(train());
        }
        System.exit(run(System.getenv()));
    }

    private static int train() {
        try {
            Training.run();
            return 0;
        } catch (IOException | LaunchException e) {
            System.err.println("the rehearsal failed: " + e.getMessage());
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    private static int run(Map<String, String> environment) {
        // Netty reports what nobody else catches; without a logger of its own it would be lost.
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
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
                Map.of(
                        MetricNames.SERVICE,
                        "media-container",
                        "pool",
                        settings.pool().value()),
                MetricNames.namespace(environment));
        MediaContainer container = container(settings, environment, journal);
        AtomicBoolean exiting = new AtomicBoolean();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (exiting.compareAndSet(false, true)) {
                container.stop();
                // A process that ends by a signal would report the signal, not success.
                Runtime.getRuntime().halt(0);
            }
        }));
        return run(container, exiting);
    }

    /** @param exiting set by whoever sees to the end: here, or where the process was asked to stop */
    static int run(MediaContainer container, AtomicBoolean exiting) {
        try {
            container.start();
        } catch (Exception | Error e) {
            // Whatever it is: a process that stays without being registered is a task that counts and takes no call,
            // for ever.
            if (exiting.compareAndSet(false, true)) {
                String what = e instanceof LaunchException ? e.getMessage() : "the start failed: " + e;
                System.err.println(
                        "spillway media container: " + String.valueOf(what).replaceAll("\\s*\\R\\s*", " "));
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

    /** A container that is not started, with the clients that its settings name. */
    public static MediaContainer container(
            ContainerSettings settings, Map<String, String> environment, Journal journal) {
        return new MediaContainer(
                settings,
                () -> ports(settings, environment, journal),
                new EcsHost(settings.agentUri(), settings.metadataUri()),
                new EmbeddedAgents(settings.think(), settings.agentCpu(), settings.agentRehearses()),
                journal,
                CLOCK);
    }

    /** Built when the first call needs it: a start does not wait for it. */
    private static TwilioTokens tokens(AwsClients clients) {
        Supplier<TwilioTokens> built = new Once<>(() -> new SecretTokens(clients.secrets(), CLOCK));
        return new TwilioTokens() {
            @Override
            public List<String> of(Tenant tenant) {
                return built.get().of(tenant);
            }

            @Override
            public void refresh(Tenant tenant) {
                built.get().refresh(tenant);
            }
        };
    }

    private static Announcements announcements(AwsClients clients, ContainerSettings settings, Journal journal) {
        Supplier<Announcements> built = new Once<>(() -> new EventBridgeAnnouncements(
                clients.eventBridge(), settings.shared().eventBus(), journal));
        return announcement -> built.get().publish(announcement);
    }

    private static Ports ports(ContainerSettings settings, Map<String, String> environment, Journal journal) {
        AwsClients clients = AwsClients.from(environment);
        String table = settings.shared().table();
        return new Ports(
                new DynamoPools(clients.dynamoDb(), table),
                new DynamoContainers(clients.dynamoDb(), table),
                new DynamoCalls(clients.dynamoDb(), table),
                new DynamoConversations(clients.dynamoDb(), table),
                new AnswerableTenants(
                        new DynamoTenants(clients.dynamoDb(), table, CLOCK),
                        settings.bots(),
                        settings.pool().isGateway()),
                tokens(clients),
                announcements(clients, settings, journal),
                new RandomGenerations(),
                clients::openConnections,
                clients::close);
    }
}
