package dev.spillway.system.conform;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.core.DependencyException;
import dev.spillway.core.Timing;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.Call;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Calls;
import dev.spillway.core.call.Generation;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.core.tenant.TenantId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One container under test, and what can be done to it and seen of it from outside. */
final class Trial {
    static final String NUMBER = "+15005550005";
    static final String ACCOUNT = "AC000000000000000000000000000000c5";

    private static final Duration LOOK = Duration.ofMillis(25);
    private static final Duration ANSWER = Duration.ofSeconds(20);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final Ground ground;
    private final URI url;
    private final TenantId tenant;
    private final ContainerId id;
    private final Timing timing;
    private final Path contract;
    private final double patience;
    private final Containers containers;
    private final Calls calls;
    private final @Nullable Started started;
    private final List<ContainerId> neighbours = new ArrayList<>();
    private int calling;

    /**
     * @param url where the container is reached
     * @param contract the folder of its schemas
     * @param patience every time-out is multiplied by it
     * @param started its process; null if nobody here knows it
     */
    Trial(
            Ground ground,
            URI url,
            TenantId tenant,
            ContainerId id,
            Timing timing,
            Path contract,
            double patience,
            @Nullable Started started) {
        this.ground = ground;
        this.url = url;
        this.tenant = tenant;
        this.id = id;
        this.timing = timing;
        this.contract = contract;
        this.patience = patience;
        this.started = started;
        this.containers = new DynamoContainers(ground.clients().dynamoDb(), Ground.TABLE);
        this.calls = new DynamoCalls(ground.clients().dynamoDb(), Ground.TABLE);
    }

    /** Something that becomes true. */
    @FunctionalInterface
    interface Look {
        boolean isSo() throws Violation, IOException, InterruptedException;
    }

    Timing timing() {
        return timing;
    }

    Containers containers() {
        return containers;
    }

    PoolId pool() {
        return PoolId.of(tenant);
    }

    TenantId tenant() {
        return tenant;
    }

    ContainerId id() {
        return id;
    }

    Ground ground() {
        return ground;
    }

    Optional<Started> started() {
        return Optional.ofNullable(started);
    }

    /** After two heartbeats at the latest a container knows what the table says. */
    Duration beats() {
        return timing.heartbeat().multipliedBy(2).plusSeconds(1);
    }

    /** Waits until it is so, and says what is wrong if that takes longer. */
    void within(Duration most, String otherwise, Look look) throws Violation, IOException, InterruptedException {
        Duration longest = Duration.ofMillis(Math.round(most.toMillis() * patience));
        long deadline = System.nanoTime() + longest.toNanos();
        while (!look.isSo()) {
            if (System.nanoTime() - deadline > 0) {
                throw new Violation(otherwise + " (waited for " + longest.toMillis() + " ms)");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
        }
    }

    static void demand(boolean isSo, String otherwise) throws Violation {
        if (!isSo) {
            throw new Violation(otherwise);
        }
    }

    JsonNode item() {
        return ground.item(pool(), id.value());
    }

    /** Its item as the functions read it; if they cannot, the schema says why. */
    Container container() throws Violation, IOException {
        try {
            return containers.find(pool(), id).orElseThrow(() -> new Violation("its item is not in the table"));
        } catch (DependencyException e) {
            matches("container-item.json", item());
            throw e;
        }
    }

    Optional<Claim> claimOf(CallSid call) throws Violation, IOException {
        return Optional.ofNullable(container().claims().get(call));
    }

    JsonNode record(CallSid call) {
        return ground.item(tenant, call);
    }

    Optional<Call> recordOf(CallSid call) {
        return calls.find(tenant, call);
    }

    void matches(String schema, JsonNode value) throws Violation, IOException {
        Path file = schema.endsWith("-item.json")
                ? contract.resolve(schema)
                : contract.resolve("../../events/schemas").resolve(schema).normalize();
        var problems = JsonShape.read(file).problems(value);
        demand(problems.isEmpty(), "against " + schema + ": " + String.join("; ", problems));
    }

    CallSid newCall() {
        return new CallSid(String.format(
                Locale.ROOT, "CA%08x%024x", Integer.toUnsignedLong(id.value().hashCode()), ++calling));
    }

    /** A slot that the control plane took for that call: the claim, and the call's own record. */
    Answer.Stream place(CallSid call) throws Violation, IOException, InterruptedException {
        awaitAlive();
        return placeAt(id, call);
    }

    /** The same at another container of the pool. */
    Answer.Stream placeAt(ContainerId at, CallSid call) throws Violation {
        Instant now = Instant.now();
        Answer.Stream answer = new Answer.Stream(
                pool(),
                at,
                new Generation(1, String.format(Locale.ROOT, "%016d", ++calling)),
                now.plusSeconds(60),
                now);
        var claimed = containers.claim(
                pool(), at, call, Claim.reserved(answer.generation(), tenant, now, now), Ground.SLOTS, now);
        demand(claimed instanceof Containers.ClaimResult.Claimed, "a slot could not be claimed for it: " + claimed);
        calls.begin(Call.placedDirectly(tenant, call, answer));
        return answer;
    }

    /** Every slot is claimed, and the container knows it. */
    Map<CallSid, Answer.Stream> fill() throws Violation, IOException, InterruptedException {
        within(
                beats().multipliedBy(2),
                "claims of calls that are over are still there",
                () -> container().claims().isEmpty());
        Map<CallSid, Answer.Stream> placed = new LinkedHashMap<>();
        for (int i = 0; i < Ground.SLOTS; i++) {
            CallSid call = newCall();
            placed.put(call, place(call));
        }
        within(
                beats(),
                "/health is not 503 while every slot is claimed",
                () -> get("/health").statusCode() == 503);
        return placed;
    }

    /** Another container of the pool, READY and alive, at that address. */
    ContainerId neighbour(String address) throws Violation, IOException {
        Instant now = Instant.now();
        Container own = container();
        ContainerId other = new ContainerId(id.value() + "-" + ++calling);
        neighbours.add(other);
        boolean registered = containers.register(new Container(
                pool(),
                other,
                "boot-" + other,
                ContainerState.STARTING,
                "conformance",
                now,
                address,
                own.revision(),
                Ground.SLOTS,
                Map.of(),
                Report.empty(now),
                now.plus(Duration.ofMinutes(10)),
                now.plus(Duration.ofMinutes(10)),
                now,
                Instant.EPOCH,
                false));
        demand(
                registered
                        && containers.become(
                                pool(),
                                other,
                                ContainerState.STARTING,
                                ContainerState.READY,
                                false,
                                "conformance",
                                now),
                "a second container of the pool could not be written beside it");
        return other;
    }

    /** On a busy machine a heartbeat may be late: nothing is asked of a container that does not count as alive. */
    void awaitAlive() throws Violation, IOException, InterruptedException {
        if (started != null && started.exitCode().isPresent()) {
            throw new Violation("its command has " + started.end());
        }
        within(
                beats().multipliedBy(2),
                "no heartbeat came: aliveUntilMillis is over",
                () -> container().aliveUntil().isAfter(Instant.now().plusSeconds(2)));
    }

    /** Waits for a heartbeat: what the table said before, the container has read. */
    void awaitBeat() throws Violation, IOException, InterruptedException {
        Instant last = container().aliveUntil();
        within(
                beats(),
                "no heartbeat came: aliveUntilMillis stands at " + last.toEpochMilli(),
                () -> container().aliveUntil().isAfter(last));
    }

    /** What the functions write of its state. */
    void become(ContainerState from, ContainerState to) throws Violation, IOException {
        demand(
                containers.become(pool(), id, from, to, false, "conformance", Instant.now()),
                "it is not " + from + " but " + container().state());
    }

    /**
     * Puts back what a rule has left, kept or broken, as far as the table allows: the next one finds a container that is READY
     * and empty, and has only itself to blame. DRAINED stays.
     */
    void tidy() throws InterruptedException {
        try {
            neighbours.forEach(this::dismiss);
            neighbours.clear();
            Container left = container();
            boolean drains = left.state() == ContainerState.DRAINING;
            boolean isClosed = !left.closedUntil().equals(Instant.EPOCH);
            if (drains) { // before its last claim is gone: it would say DRAINED
                become(ContainerState.DRAINING, ContainerState.READY);
            }
            if (isClosed) {
                containers.closeUntil(pool(), id, left.closedUntil(), Instant.EPOCH);
            }
            left.claims().forEach((key, claim) -> {
                if (key instanceof CallSid call) {
                    containers.end(pool(), id, call, claim.generation());
                }
            });
            if ((drains || isClosed || !left.claims().isEmpty()) && container().state() == ContainerState.READY) {
                within(beats(), "it does not know yet", () -> get("/health").statusCode() == 200);
            }
        } catch (Violation | IOException | RuntimeException e) {
            // Whatever is wrong with it, the next rule that needs it says so.
        }
    }

    private void dismiss(ContainerId other) {
        containers.become(
                pool(), other, ContainerState.READY, ContainerState.LOST, false, "conformance", Instant.now());
        containers.remove(pool(), other);
    }

    void release(CallSid call, Answer.Stream answer) {
        containers.release(pool(), id, call, answer.generation());
    }

    URI address(CallSid call, Answer.Stream answer) {
        return address(StreamAddress.of(tenant, call, answer).path(Ground.key(tenant)));
    }

    /** At the container under test, whatever public address a TwiML names. */
    URI address(String path) {
        return URI.create("ws://" + url.getHost() + ":" + url.getPort() + path);
    }

    /** A call that talks: placed, opened, started, connected. */
    Caller talking(CallSid call, Answer.Stream answer) throws Violation, IOException, InterruptedException {
        return talking(call, answer, "the stream of a claim that it holds");
    }

    /** @param which names the stream, should it be refused */
    Caller talking(CallSid call, Answer.Stream answer, String which)
            throws Violation, IOException, InterruptedException {
        Caller.Opened opened = Caller.open(address(call, answer));
        Caller caller = opened.caller();
        if (caller == null) {
            throw new Violation(which + " was answered " + opened.status() + ", not 101");
        }
        boolean talks = false;
        try {
            caller.start(tenant.value(), call.value(), answer.generation().toString());
            within(
                    Duration.ofSeconds(5),
                    "its claim did not become connected after the start",
                    () -> claimOf(call)
                            .filter(claim -> claim.phase() == Claim.Phase.CONNECTED)
                            .isPresent());
            talks = true;
            return caller;
        } finally {
            if (!talks) {
                caller.close();
            }
        }
    }

    /** The call is over, and the container puts it away. */
    void hangUp(Caller caller, CallSid call) throws Violation, IOException, InterruptedException {
        caller.stop(call.value());
        within(
                Duration.ofSeconds(5),
                "its claim is still there after the call's stop",
                () -> claimOf(call).isEmpty());
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return get(path, ANSWER);
    }

    HttpResponse<String> get(String path, Duration most) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(url.resolve(path)).GET(), most);
    }

    HttpResponse<String> voice(Webhook webhook) throws IOException, InterruptedException {
        return send(webhook.request(url.resolve("/voice"), Ground.voiceUrl(tenant)), ANSWER);
    }

    private HttpResponse<String> send(HttpRequest.Builder request, Duration most)
            throws IOException, InterruptedException {
        return http.send(request.timeout(most).build(), HttpResponse.BodyHandlers.ofString());
    }
}
