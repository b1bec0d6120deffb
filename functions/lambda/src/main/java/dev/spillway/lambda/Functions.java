package dev.spillway.lambda;

import dev.spillway.adapters.RandomGenerations;
import dev.spillway.adapters.RandomOrderIds;
import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.aws.AwsTimeouts;
import dev.spillway.adapters.dynamodb.DynamoAttempts;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoConversations;
import dev.spillway.adapters.dynamodb.DynamoJobs;
import dev.spillway.adapters.dynamodb.DynamoLeases;
import dev.spillway.adapters.dynamodb.DynamoLives;
import dev.spillway.adapters.dynamodb.DynamoOrderLog;
import dev.spillway.adapters.dynamodb.DynamoOutboundLines;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.dynamodb.DynamoTenants;
import dev.spillway.adapters.ecs.EcsFleet;
import dev.spillway.adapters.eventbridge.EventBridgeAnnouncements;
import dev.spillway.adapters.journal.JsonLines;
import dev.spillway.adapters.probe.HttpProbe;
import dev.spillway.adapters.secrets.SecretTokens;
import dev.spillway.adapters.secrets.StreamSecret;
import dev.spillway.adapters.settings.SettingsException;
import dev.spillway.adapters.twilio.Callbacks;
import dev.spillway.adapters.twilio.TwilioCalls;
import dev.spillway.adapters.twilio.TwilioDials;
import dev.spillway.adapters.twilio.Twiml;
import dev.spillway.core.Timing;
import dev.spillway.core.attempt.AttemptListing;
import dev.spillway.core.call.CallEnding;
import dev.spillway.core.call.MissingRedirect;
import dev.spillway.core.call.StreamFailure;
import dev.spillway.core.console.ConsoleReading;
import dev.spillway.core.handoff.HandOff;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.order.OrderFollowing;
import dev.spillway.core.order.OrderGiving;
import dev.spillway.core.outbound.DueJobs;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.reconcile.SilenceWatch;
import dev.spillway.core.routing.CallAnswering;
import dev.spillway.core.scaling.Growth;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.Access;
import dev.spillway.core.tenant.Tenants;
import dev.spillway.core.usage.UsageReading;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one place where functions are wired: settings, clients, adapters, flows. Handlers are made from it: {@code new
 * FallbackHandler(functions)}. What a handler needs is built with it, before a SnapStart checkpoint, and nothing random or
 * secret is: tokens and keys are read when first needed. {@link Rehearsal} warms up what an answer needs.
 */
public final class Functions implements AutoCloseable {
    private final Ports ports;
    private final Timing timing;
    private final Gate gate;
    private final Journal journal;
    private final Invocations invocations;
    private final InstantSource clock;
    private final Sleeper sleeper;
    private final TwilioWebhook webhooks;
    private final Switchboard switchboard;
    private final Growth growth;
    private final HandOff handOff;
    private final OutboundFunctions outbound;
    private final BackgroundFunctions background;
    private final Rounds rounds;
    private final Clients clients;

    /** How the functions are set apart from the world; only a test needs other than the defaults. */
    record Surroundings(
            String publicUrl,
            @Nullable String gatewayStreamUrl,
            Function<PoolId, StreamKey> streamKeys,
            Access access,
            Timing timing,
            InstantSource clock,
            Sleeper sleeper,
            Duration deadline,
            Duration lookupBound,
            String tenantSecrets) {}

    /**
     * The clients that not every function needs: those of ECS and of Twilio cost as much of a start as all the others.
     *
     * @param fleet makes what asks ECS
     * @param telephony makes what asks Twilio and containers
     * @param all closes whatever was made
     */
    record Clients(Runnable fleet, Runnable telephony, AutoCloseable all) {
        static final Clients NONE = new Clients(() -> {}, () -> {}, () -> {});
    }

    Functions(Ports ports, Surroundings around, Journal journal, Clients clients) {
        this.ports = ports;
        this.timing = around.timing();
        this.journal = journal;
        this.invocations = journal instanceof Invocations own ? own : new Invocations.Plain();
        this.clock = around.clock();
        this.sleeper = around.sleeper();
        this.clients = clients;
        CallAnswering answering = new CallAnswering(
                ports.pools(),
                ports.containers(),
                ports.calls(),
                ports.announcements(),
                ports.generations(),
                journal,
                timing);
        this.growth = new Growth(
                ports.pools(),
                ports.containers(),
                ports.fleet(),
                ports.announcements(),
                journal,
                timing,
                new DueJobs(ports.jobs(), timing));
        this.gate = new Gate(around.access(), ports.tenants(), journal);
        this.outbound =
                new OutboundFunctions(ports, gate, growth, around.streamKeys(), journal, clock, this::pause, timing);
        this.handOff =
                new HandOff(ports.pools(), ports.containers(), ports.calls(), growth, ports.generations(), journal);
        this.rounds = new Rounds(ports.tenants(), journal);
        this.background = new BackgroundFunctions(ports, growth, handOff, rounds, journal, clock, sleeper, timing);
        this.webhooks = new TwilioWebhook(
                around.publicUrl(),
                new TenantLookup(ports.tenants(), around.lookupBound(), around.tenantSecrets()),
                ports.tokens());
        StreamTargets targets = new StreamTargets(ports.pools(), around.streamKeys(), around.gatewayStreamUrl());
        Twiml twiml = new Twiml(new Callbacks(around.publicUrl()), targets);
        this.switchboard = new Switchboard(
                webhooks, answering, outbound.dialAnswering(), targets, twiml, journal, clock, around.deadline());
    }

    /**
     * @param environment the settings by the names of environment variables
     * @throws SettingsException listing every problem at once
     */
    public static Functions from(Map<String, String> environment) {
        return from(environment, AwsTimeouts.STANDARD);
    }

    /** As {@link #from(Map)}, for background work: nobody waits on the phone for it. */
    static Functions forBackground(Map<String, String> environment) {
        return from(environment, AwsTimeouts.BACKGROUND);
    }

    private static Functions from(Map<String, String> environment, AwsTimeouts timeouts) {
        FunctionSettings settings = FunctionSettings.from(environment);
        Journal journal = switch (settings.journal()) {
            case POWERTOOLS -> new PowertoolsJournal();
            case STDERR -> new JsonLines(System.err, InstantSource.system(), Map.of());
        };
        Rehearsal.register(environment, journal);
        return from(settings, timeouts, journal, 1);
    }

    /** As {@link #from(Map)}, for functions that run inside another process with a journal of its own. */
    public static Functions from(Map<String, String> environment, Journal journal) {
        return from(FunctionSettings.from(environment), AwsTimeouts.STANDARD, journal, 1);
    }

    /**
     * As {@link #from(Map, Journal)}, where many functions share the processor that each has to itself on Lambda.
     *
     * @param patience how many times as long everything may take
     */
    public static Functions from(Map<String, String> environment, Journal journal, int patience) {
        return from(FunctionSettings.from(environment), AwsTimeouts.STANDARD.times(patience), journal, patience);
    }

    /** As {@link #forBackground(Map)}, for functions that run inside another process with a journal of its own. */
    public static Functions forBackground(Map<String, String> environment, Journal journal) {
        return from(FunctionSettings.from(environment), AwsTimeouts.BACKGROUND, journal, 1);
    }

    private static Functions from(FunctionSettings settings, AwsTimeouts timeouts, Journal journal, int patience) {
        AwsClients clients = AwsClients.of(settings.shared().aws(), timeouts);
        InstantSource clock = InstantSource.system();
        String table = settings.shared().table();
        String publicUrl = settings.shared().publicUrl();
        SecretTokens tokens = new SecretTokens(clients.secrets(), clock);
        StreamSecret streamSecret = new StreamSecret(clients.secrets(), settings.streamSecret());
        TwilioCalls telephony = new TwilioCalls(settings.twilioApiUrl(), new Callbacks(publicUrl), tokens);
        HttpProbe probe = new HttpProbe();
        TwilioDials dials = new TwilioDials(settings.twilioApiUrl(), new Callbacks(publicUrl), tokens, clock);
        Ports ports = new Ports(
                new DynamoPools(clients.dynamoDb(), table),
                new DynamoContainers(clients.dynamoDb(), table),
                new DynamoLeases(clients.dynamoDb(), table),
                new DynamoCalls(clients.dynamoDb(), table),
                new DynamoConversations(clients.dynamoDb(), table),
                new DynamoAttempts(clients.dynamoDb(), table),
                new DynamoJobs(clients.dynamoDb(), table, clock),
                new DynamoOutboundLines(clients.dynamoDb(), table),
                dials,
                new DynamoTenants(clients.dynamoDb(), table, clock),
                tokens,
                telephony,
                new EcsFleet(clients::ecs, settings.cluster()),
                probe,
                new EventBridgeAnnouncements(
                        clients.eventBridge(), settings.shared().eventBus(), journal),
                new DynamoOrderLog(clients.dynamoDb(), table),
                new RandomGenerations(),
                new DynamoLives(clients.dynamoDb(), table));
        Surroundings around = new Surroundings(
                publicUrl,
                settings.gatewayStreamUrl(),
                streamSecret::keyOf,
                settings.access(),
                settings.shared().timing(),
                clock,
                duration -> Thread.sleep(duration),
                Switchboard.DEADLINE.multipliedBy(patience),
                TenantLookup.BOUND.multipliedBy(patience),
                settings.tenantSecrets());
        Runnable telephonyClients = () -> {
            telephony.prepare();
            probe.prepare();
            dials.prepare();
        };
        AutoCloseable all = () -> {
            telephony.close();
            probe.close();
            dials.close();
            clients.close();
        };
        return new Functions(ports, around, journal, new Clients(clients::ecs, telephonyClients, all));
    }

    Ports ports() {
        return ports;
    }

    Gate gate() {
        return gate;
    }

    Journal journal() {
        return journal;
    }

    Timing timing() {
        return timing;
    }

    Invocations invocations() {
        return invocations;
    }

    InstantSource clock() {
        return clock;
    }

    MissingRedirect missingRedirect() {
        return new MissingRedirect(streamFailure(), this::pause);
    }

    SilenceWatch silenceWatch() {
        return new SilenceWatch(ports.pools(), timing, clock, this::pause);
    }

    private boolean pause(Duration wait) {
        try {
            sleeper.sleep(wait);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    Sleeper sleeper() {
        return sleeper;
    }

    Switchboard switchboard() {
        return switchboard;
    }

    Growth growth() {
        clients.fleet().run();
        return growth;
    }

    HandOff handOff() {
        clients.fleet().run();
        return handOff;
    }

    BackgroundFunctions background() {
        clients.fleet().run();
        clients.telephony().run();
        return background;
    }

    OutboundFunctions outbound() {
        clients.fleet().run();
        clients.telephony().run();
        return outbound;
    }

    Rounds rounds() {
        return rounds;
    }

    NoticeDesk noticeDesk() {
        return new NoticeDesk(webhooks, journal, invocations);
    }

    EventDesk eventDesk() {
        return new EventDesk(invocations, journal, clock);
    }

    PoolOfService poolOfService() {
        return new PoolOfService(ports.tenants(), ports.pools());
    }

    CallEnding callEnding() {
        return new CallEnding(ports.calls(), ports.containers(), ports.announcements(), ports.conversations(), journal);
    }

    StreamFailure streamFailure() {
        clients.telephony().run();
        return new StreamFailure(ports.calls(), ports.telephony(), journal);
    }

    OrderFollowing orderFollowing() {
        clients.fleet().run();
        return new OrderFollowing(ports.pools(), ports.containers(), growth, handOff, ports.announcements(), journal);
    }

    OrderDesk orderDesk() {
        return new OrderDesk(
                ports.pools(),
                ports.orders(),
                new OrderGiving(ports.pools(), ports.orders(), journal),
                orderFollowing(),
                new RandomOrderIds(),
                journal,
                clock);
    }

    AttemptListing attempts() {
        return new AttemptListing(ports.attempts());
    }

    ConsoleReading console() {
        return new ConsoleReading(ports.pools(), attempts());
    }

    /** Of what the table says: the fleet's clients are not made. */
    PoolStatusReading poolStatusFromTable() {
        return new PoolStatusReading(ports.pools(), ports.fleet(), timing);
    }

    Tenants tenants() {
        return ports.tenants();
    }

    UsageReading usage() {
        return new UsageReading(ports.pools(), ports.attempts(), ports.lives());
    }

    PoolStatusReading poolStatus() {
        clients.fleet().run();
        return new PoolStatusReading(ports.pools(), ports.fleet(), timing);
    }

    /** Closes every connection; for functions that run inside another process. */
    @Override
    public void close() {
        try {
            clients.all().close();
        } catch (Exception e) {
            throw new IllegalStateException("the clients could not be closed", e);
        }
    }
}
