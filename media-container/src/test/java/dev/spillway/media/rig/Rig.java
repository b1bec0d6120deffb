package dev.spillway.media.rig;

import dev.spillway.adapters.twilio.Callbacks;
import dev.spillway.adapters.twilio.StreamTarget;
import dev.spillway.adapters.twilio.Twiml;
import dev.spillway.core.Timing;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Conversations;
import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.stream.StreamKey;
import dev.spillway.core.tenant.Persona.Bot;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.TwilioTokens;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.admission.MemoryFloor;
import dev.spillway.media.agent.Agents;
import dev.spillway.media.agent.ScriptedAgent;
import dev.spillway.media.bot.Bots;
import dev.spillway.media.call.DirectCalls;
import dev.spillway.media.call.Door;
import dev.spillway.media.call.Patience;
import dev.spillway.media.call.Personas;
import dev.spillway.media.call.Seating;
import dev.spillway.media.call.Self;
import dev.spillway.media.call.Setbacks;
import dev.spillway.media.call.SetupBudget;
import dev.spillway.media.host.Protection;
import dev.spillway.media.life.Debts;
import dev.spillway.media.life.Heart;
import dev.spillway.media.wire.BotWatch;
import dev.spillway.media.wire.Liveness;
import dev.spillway.media.wire.MediaServer;
import dev.spillway.media.wire.StreamLimits;
import dev.spillway.media.wire.Streams;
import dev.spillway.media.wire.TargetCheck;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A READY container with its port open, over a table in memory; several on one table are a pool. */
public final class Rig implements AutoCloseable {
    public static final String TOKEN = "token-of-acme";
    public static final String VOICE_URL = "https://acme.example.com/voice";

    private final MemoryTable table;
    private final HandClock clock;
    private final Self self;
    private final StreamKey key;
    private final FakeHost host;
    private final Patience patience;
    private final Admission admission;
    private final Streams streams;
    private final Heart heart;
    private final AtomicLong headroomBytes = new AtomicLong(Long.MAX_VALUE);
    private final MediaServer server;
    private final PortOf port;
    private final @Nullable BotWatch watch;

    /** The port is known only once it is open. */
    private static final class PortOf {
        private String address = "";
    }

    private Rig(Builder made) {
        table = made.table;
        clock = made.clock;
        key = StreamKey.derive(new byte[32], made.pool);
        host = new FakeHost(made.name);
        patience = new Patience(Duration.ofSeconds(5));
        port = new PortOf();
        ContainerId id = new ContainerId(made.name);
        self = new Self(made.pool, id, "boot-" + made.name, "", "7", clock.instant());
        admission = new Admission(made.slots, new MemoryFloor(headroomBytes::get, 64L << 20), clock.instant());
        Personas personas = new Personas(table.tenants(), patience);
        Seating seating = new Seating(
                self,
                admission,
                table.containers(),
                table.calls(),
                table.announcements(),
                table.journal(),
                clock,
                patience);
        Agents agents = made.agents != null
                ? made.agents
                : (tenant, line) -> new ScriptedAgent(tenant, line, Duration.ofMillis(50));
        streams = new Streams(
                admission,
                seating,
                agents,
                made.bots,
                made.conversations,
                patience,
                table.journal(),
                clock,
                made.limits);
        Door door = new Door(
                self,
                key,
                admission,
                seating,
                table.containers(),
                personas,
                table.generations(),
                patience,
                made.budget,
                clock);
        DirectCalls direct = made.pool
                .tenant()
                .map(tenant -> new DirectCalls(
                        self,
                        tenant,
                        key,
                        VOICE_URL,
                        Timing.STANDARD.tokenLife(),
                        made.budget,
                        personas,
                        made.tokens,
                        admission,
                        seating,
                        table.generations(),
                        new Twiml(
                                new Callbacks("https://api.example.com"),
                                pool -> new StreamTarget("wss://" + pool + ".streams.example.com", key)),
                        patience,
                        table.journal(),
                        clock))
                .orElse(null);
        server = new MediaServer(made.request);
        Bot own = made.bots.own();
        if (own != null) {
            watch = new BotWatch(
                    server, own.url(), made.bots.limits(), admission, patience, table.journal(), Duration.ofMillis(20));
            streams.watch(watch);
        } else {
            watch = null;
        }
        server.listen(
                0,
                door,
                streams,
                new TargetCheck(admission),
                new Liveness(self, admission, table.containers(), patience),
                new Setbacks(self, table.pools(), table.calls(), patience, table.journal(), clock),
                direct);
        port.address = "127.0.0.1:" + server.port();
        Protection protection = new Protection(host.host(), table.journal());
        protection.renewIfDue(clock.instant());
        heart = new Heart(
                self,
                admission,
                seating,
                new Debts(seating, patience, table.journal(), made.debts),
                streams,
                table.containers(),
                table.announcements(),
                protection,
                table.journal(),
                clock,
                Timing.STANDARD,
                Duration.ofMinutes(5));
        table.put(new Container(
                made.pool,
                id,
                self.bootId(),
                ContainerState.READY,
                "serving",
                clock.instant(),
                port.address,
                "7",
                made.slots,
                Map.of(),
                Report.empty(clock.instant()),
                clock.instant().plusSeconds(30),
                clock.instant().plusSeconds(3_600),
                clock.instant(),
                false));
        admission.open();
    }

    /** What a rig is made of. */
    public static final class Builder {
        private final MemoryTable table;
        private final HandClock clock;
        private final PoolId pool;
        private final String name;
        private @Nullable Agents agents;
        private Bots bots = Bots.NONE;
        private Conversations conversations;
        private int slots = Sample.LIMIT;
        private Duration debts = Debts.PATIENCE;
        private SetupBudget budget = SetupBudget.STANDARD;
        private Duration request = Duration.ofSeconds(10);
        private TwilioTokens tokens = Rig.tokens();
        private StreamLimits limits = StreamLimits.standard(Duration.ofSeconds(5));

        private Builder(MemoryTable table, HandClock clock, PoolId pool, String name) {
            this.table = table;
            this.clock = clock;
            this.pool = pool;
            this.name = name;
            this.conversations = table.conversations();
        }

        public Builder conversations(Conversations chosen) {
            conversations = chosen;
            return this;
        }

        public Builder agents(Agents chosen) {
            agents = chosen;
            return this;
        }

        public Builder bots(Bots chosen) {
            bots = chosen;
            return this;
        }

        public Builder limits(StreamLimits chosen) {
            limits = chosen;
            return this;
        }

        /** How long a heartbeat waits for what is owed. */
        public Builder debts(Duration patience) {
            debts = patience;
            return this;
        }

        public Builder budget(SetupBudget chosen) {
            budget = chosen;
            return this;
        }

        /** How long a request may take. */
        public Builder request(Duration chosen) {
            request = chosen;
            return this;
        }

        public Builder tokens(TwilioTokens chosen) {
            tokens = chosen;
            return this;
        }

        public Builder slots(int chosen) {
            slots = chosen;
            return this;
        }

        public Rig start() {
            return new Rig(this);
        }
    }

    /** A table with both tenants, their pools and the gateway. */
    public static MemoryTable table() {
        MemoryTable table = new MemoryTable();
        table.put(Sample.acme());
        table.put(Sample.gateway());
        table.put(Sample.tenant(Sample.ACME));
        table.put(Sample.tenant(Sample.BLOOM));
        return table;
    }

    public static Builder of(MemoryTable table, HandClock clock, PoolId pool, String name) {
        return new Builder(table, clock, pool, name);
    }

    /** Accepts {@link #TOKEN} for every tenant. */
    public static TwilioTokens tokens() {
        return new TwilioTokens() {
            @Override
            public List<String> of(Tenant tenant) {
                return List.of(TOKEN);
            }

            @Override
            public void refresh(Tenant tenant) {}
        };
    }

    /** Who watches the container's own bot, which it must have. */
    public BotWatch watch() {
        return Objects.requireNonNull(watch, "no bot of its own");
    }

    public Container item() {
        return table.look(self.pool(), self.id());
    }

    /** The claim of that call, which must be there. */
    public Claim claim(CallSid call) {
        return Objects.requireNonNull(item().claims().get(call), "no claim of " + call);
    }

    public ContainerId id() {
        return self.id();
    }

    public Admission admission() {
        return admission;
    }

    /** Its floor is at 64 MB. */
    public void headroom(long megabytes) {
        headroomBytes.set(megabytes << 20);
    }

    public Streams streams() {
        return streams;
    }

    public Heart heart() {
        return heart;
    }

    public FakeHost host() {
        return host;
    }

    public StreamKey key() {
        return key;
    }

    public String address() {
        return port.address;
    }

    public URI http(String path) {
        return URI.create("http://" + port.address + path);
    }

    public URI ws(String path) {
        return URI.create("ws://" + port.address + path);
    }

    /** The path of a stream placed by that answer. */
    public String path(TenantId tenant, CallSid call, Answer.Stream answer) {
        return StreamAddress.of(tenant, call, answer).path(key);
    }

    public int connections() {
        return server.connections();
    }

    @Override
    public void close() {
        server.close();
        patience.close();
        host.close();
    }
}
