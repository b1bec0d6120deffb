package dev.spillway.system.conform;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.adapters.dynamodb.DynamoContainers;
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
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** One container under test, and what can be done to it and seen of it from outside. */
final class Trial {
    static final String NUMBER = "+15005550005";
    static final String ACCOUNT = "AC000000000000000000000000000000c5";

    private static final Duration LOOK = Duration.ofMillis(25);

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
    private int calling;

    /**
     * @param url where the container is reached
     * @param contract the folder of its schemas
     * @param patience every time-out is multiplied by it
     */
    Trial(Ground ground, URI url, TenantId tenant, ContainerId id, Timing timing, Path contract, double patience) {
        this.ground = ground;
        this.url = url;
        this.tenant = tenant;
        this.id = id;
        this.timing = timing;
        this.contract = contract;
        this.patience = patience;
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

    Container container() throws Violation {
        return containers.find(pool(), id).orElseThrow(() -> new Violation("its item is not in the table"));
    }

    Optional<Claim> claimOf(CallSid call) throws Violation {
        return Optional.ofNullable(container().claims().get(call));
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
    ContainerId neighbour(String address) throws Violation {
        Instant now = Instant.now();
        Container own = container();
        ContainerId other = new ContainerId(id.value() + "-" + ++calling);
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

    /** Takes such a container away again. */
    void dismiss(ContainerId other) {
        containers.become(
                pool(), other, ContainerState.READY, ContainerState.LOST, false, "conformance", Instant.now());
        containers.remove(pool(), other);
    }

    /** On a busy machine a heartbeat may be late: nothing is asked of a container that does not count as alive. */
    void awaitAlive() throws Violation, IOException, InterruptedException {
        within(
                beats().multipliedBy(2),
                "no heartbeat came: aliveUntilMillis is over",
                () -> container().aliveUntil().isAfter(Instant.now().plusSeconds(2)));
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
        caller.start(tenant.value(), call.value(), answer.generation().toString());
        within(
                Duration.ofSeconds(5),
                "its claim did not become connected after the start",
                () -> claimOf(call)
                        .filter(claim -> claim.phase() == Claim.Phase.CONNECTED)
                        .isPresent());
        return caller;
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(url.resolve(path)).GET());
    }

    /** Twilio's webhook of an incoming call, signed with that token; without a signature for an empty one. */
    HttpResponse<String> voice(CallSid call, String token) throws IOException, InterruptedException {
        Map<String, String> form = new TreeMap<>(Map.of(
                "CallSid",
                call.value(),
                "AccountSid",
                ACCOUNT,
                "From",
                "+15005550001",
                "To",
                NUMBER,
                "CallStatus",
                "ringing",
                "Direction",
                "inbound"));
        String body = form.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        HttpRequest.Builder request = HttpRequest.newBuilder(url.resolve("/voice"))
                .header("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (!token.isEmpty()) {
            request.header("X-Twilio-Signature", signature(token, form));
        }
        return send(request);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private String signature(String token, Map<String, String> form) {
        StringBuilder text = new StringBuilder(Ground.voiceUrl(tenant));
        form.forEach((name, value) -> text.append(name).append(value));
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            return Base64.getEncoder()
                    .encodeToString(mac.doFinal(text.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no HmacSHA1", e);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
