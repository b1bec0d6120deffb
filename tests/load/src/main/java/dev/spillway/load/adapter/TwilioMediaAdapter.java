package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.Callee;
import dev.spillway.localcloud.twilio.TwilioAccount;
import dev.spillway.localcloud.twilio.TwilioNumber;
import dev.spillway.localcloud.twilio.TwilioStandIn;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Plays Twilio's part towards a Spillway system: signed webhooks to the number's URLs, their fallback, TwiML, media streams
 * with a frame every 20 ms. Nobody is called for real: the people on these lines are scripts, and their numbers belong to
 * nobody. A local stack is told to ask this process, instead of its own stand-in, about calls that are of this side.
 */
public final class TwilioMediaAdapter implements Adapter {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LONGEST_CALL = Duration.ofHours(4);
    private static final Duration GOODBYE = Duration.ofSeconds(4);
    /** The connection overrides of a deployed number's URLs. */
    private static final String VOICE_OVERRIDES = "#ct=1000&rt=3000&tt=5000&rc=0";

    private static final String FALLBACK_OVERRIDES = "#ct=2000&rt=8000&tt=15000&rc=1";
    private static final long ASK_AGAIN_SECONDS = 2;
    private static final Duration DEADLINE = Duration.ofMinutes(10);

    private final Target target;
    private final List<String> tenants;
    private final SignedRequests api;
    private final TwilioStandIn twilio;
    private final String runId = UUID.randomUUID().toString();
    private final ExpectedDials expected = new ExpectedDials();
    /** Jobs that wait to be dialled, and since when; one that could not be called off stays. */
    private final Map<String, Long> waitingSince = new ConcurrentHashMap<>();

    private volatile Consumer<String> unexpected = effect -> {};

    /**
     * @param tenants whose pools are watched
     * @throws IOException if the local stack's stand-in cannot be told of this process
     */
    public TwilioMediaAdapter(Target target, List<String> tenants, long seed) throws IOException, InterruptedException {
        this.target = target;
        this.tenants = tenants;
        this.api = new SignedRequests(target.apiUrl(), target.key());
        this.twilio = new TwilioStandIn(0, TwilioSwitches.likely(seed));
        target.tenants().forEach(tenant -> twilio.register(account(tenant)));
        twilio.callsPerSecond(10); // an account's own limit is not what is measured
        twilio.whenDialled(this::dialled);
        twilio.whenPlaced(this::placed);
        allowHosts(host -> false);
        try {
            announce("PUT", twilio.url().toString());
        } catch (IOException e) {
            twilio.close();
            api.close();
            throw new IOException(
                    "the stack's Twilio stand-in at " + target.twilioUrl() + " does not answer: is it still up?", e);
        }
    }

    private TwilioAccount account(Target.Tenant tenant) {
        String hooks = target.apiUrl().toString().replaceAll("/$", "") + "/twilio/";
        return new TwilioAccount(
                tenant.accountSid(),
                tenant.authToken(),
                List.of(new TwilioNumber(
                        tenant.number(),
                        URI.create(tenant.loadBalancerUrl() + "/voice" + VOICE_OVERRIDES),
                        URI.create(hooks + "fallback/" + tenant.id() + FALLBACK_OVERRIDES),
                        URI.create(hooks + "status/" + tenant.id() + "/0"))));
    }

    private void announce(String method, String body) throws IOException, InterruptedException {
        URI stack = target.twilioUrl();
        if (stack == null) {
            return;
        }
        try (HttpClient client =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(3)).build()) {
            HttpResponse<Void> answer = client.send(
                    HttpRequest.newBuilder(URI.create(stack + "/_local/peer"))
                            .timeout(Duration.ofSeconds(5))
                            .method(method, HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
            if (answer.statusCode() != 204) {
                throw new IOException("the stack's Twilio stand-in answered " + answer.statusCode() + " to its peer");
            }
        }
    }

    @Override
    public String name() {
        return "twilio-media";
    }

    @Override
    public String endpoint() {
        return "the first audible media message at the socket after the caller's last speech frame was sent";
    }

    @Override
    public Set<String> hosts() {
        return target.hosts();
    }

    @Override
    public void describe(ObjectNode to) {
        to.put("apiUrl", target.apiUrl().toString());
        var list = to.putArray("tenants");
        tenants.forEach(list::add);
    }

    @Override
    public Set<String> takes() {
        return target.agentTakes();
    }

    @Override
    public Optional<InventorySource> inventory() {
        return Optional.of(new StackInventory(api, tenants, this::waitingJobs));
    }

    @Override
    public void whenUnexpected(Consumer<String> listener) {
        unexpected = listener;
    }

    @Override
    public void allowHosts(Predicate<String> allowed) {
        Set<String> own = hosts();
        twilio.allowHosts(
                host -> own.contains(host) || Target.isLoopback(host) || allowed.test(host),
                host -> unexpected.accept("the system under test names the host " + host
                        + ", which is neither on loopback nor authorised"));
    }

    @Override
    public Answer call(Operation operation) throws Exception {
        Target.Tenant tenant = target.tenant(operation.callClass().tenant());
        return CallScripts.isOutbound(operation) ? outbound(operation, tenant) : inbound(operation, tenant);
    }

    private Answer inbound(Operation operation, Target.Tenant tenant) throws Exception {
        Call call = twilio.call(
                tenant.number(), CallScripts.person(operation.arrival()), CallScripts.of(operation, takes()));
        return followed(call, operation, tenant, null);
    }

    private Answer followed(Call call, Operation operation, Target.Tenant tenant, @Nullable Long waitNanos)
            throws Exception {
        var reading = new CallReading(call, operation, tenant.id());
        try {
            call.awaitEnd(LONGEST_CALL);
        } finally {
            if (call.endReason().isEmpty()) {
                call.hangUp();
                boolean interrupted = Thread.interrupted(); // time to say goodbye, and to note what was seen
                call.awaitEnd(GOODBYE);
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            call.history().firstAudioAt().ifPresent(at -> operation.firstAudioAt(at.nanos()));
            operation.seen(reading.evidence(target.gatewayUrl(), waitNanos));
        }
        return reading.answer();
    }

    private Answer outbound(Operation operation, Target.Tenant tenant) throws Exception {
        String number = CallScripts.person(operation.arrival());
        ExpectedDials.Person person = expected.expect(number, CallScripts.callee(operation, takes()));
        try {
            return outbound(operation, tenant, number, person);
        } finally {
            expected.forget(person); // whoever dials it now serves what is over
        }
    }

    private Answer outbound(Operation operation, Target.Tenant tenant, String number, ExpectedDials.Person person)
            throws Exception {
        long asked = System.nanoTime();
        HttpResponse<String> answer;
        try {
            answer = api.send(
                    "POST",
                    "/calls",
                    Map.of(
                            "content-type",
                            "application/json",
                            "idempotency-key",
                            runId + "-" + operation.arrival().id()),
                    JSON.createObjectNode()
                            .put("tenant", tenant.id())
                            .put("to", number)
                            .put("from", tenant.number())
                            .put(
                                    "deadline",
                                    Instant.now()
                                            .plus(deadline(operation))
                                            .plusMillis(999)
                                            .truncatedTo(ChronoUnit.SECONDS)
                                            .toString())
                            .toString());
        } catch (ConnectException | HttpConnectTimeoutException e) {
            throw new NotSentException("POST /calls found no connection");
        } catch (IOException e) {
            throw new UnknownOutcomeException("POST /calls was not answered");
        }
        if (answer.statusCode() / 100 != 2) {
            return Answer.rejected("POST /calls was answered by " + answer.statusCode());
        }
        String job =
                JSON.readTree(answer.body()).path("calls").path(0).path("id").asText();
        Call call;
        waitingSince.put(job, asked);
        try {
            call = dialled(person, job);
            waitingSince.remove(job);
        } catch (InterruptedException e) {
            cancel(job, person);
            throw e;
        } catch (IOException e) {
            cancel(job, person);
            throw new UnknownOutcomeException("GET /calls was not answered: " + e.getMessage());
        }
        if (call == null) {
            return Answer.rejected("the job ended without a dial");
        }
        return followed(call, operation, tenant, call.placedAt().nanos() - asked);
    }

    /** Jobs that were taken on, or of which nobody knows whether they were, and that were neither dialled nor called off. */
    private StackInventory.Waiting waitingJobs() {
        long now = System.nanoTime();
        Double oldest = null;
        for (long since : waitingSince.values()) {
            double seconds = (now - since) / 1e9;
            oldest = oldest == null ? seconds : Math.max(oldest, seconds);
        }
        return new StackInventory.Waiting(waitingSince.size(), oldest);
    }

    private static Duration deadline(Operation operation) {
        Double own = operation.callClass().deadline();
        return own == null ? DEADLINE : Duration.ofMillis(Math.round(own / operation.speed() * 1_000));
    }

    /** Null if the job is over and nobody was dialled. */
    private @Nullable Call dialled(ExpectedDials.Person person, String job)
            throws IOException, InterruptedException, ExecutionException {
        while (true) {
            try {
                return person.dialled().get(ASK_AGAIN_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                String body = api.send("GET", "/calls/" + job, Map.of(), "").body();
                boolean over = JSON.readTree(body).has("outcome");
                if (over && !person.dialled().isDone()) {
                    return null;
                }
            }
        }
    }

    /** A dial that crosses the cancellation on its way is still expected, and hung up. */
    private void cancel(String job, ExpectedDials.Person person) {
        boolean interrupted = Thread.interrupted();
        try {
            HttpResponse<String> answer = api.send("DELETE", "/calls/" + job, Map.of(), "");
            if (answer.statusCode() < 500) {
                waitingSince.remove(job);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("load: job " + job + " could not be canceled: " + e.getMessage());
        } finally {
            expected.forget(person);
            person.dialled().thenAccept(Call::hangUp);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Callee dialled(String number) {
        return expected.ring(number).map(ExpectedDials.Person::callee).orElseGet(() -> {
            unexpected.accept("a number was dialled that no arrival asked for, or once more than asked for");
            return new Callee.Busy(Duration.ofSeconds(1));
        });
    }

    private void placed(Call call) {
        if (call.isOutbound()) {
            expected.placed(call);
        }
    }

    /** People who are to be called and have not been dialled. */
    int expectedDials() {
        return expected.count();
    }

    /** Frames sent, and those late, of all calls that are up or were: for benchmarks. */
    public TwilioStandIn twilio() {
        return twilio;
    }

    @Override
    public void close() {
        try {
            announce("DELETE", "");
        } catch (ConnectException e) {
            System.err.println("load: the stack is gone");
        } catch (IOException e) {
            System.err.println("load: the stack still thinks that its Twilio is here: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        twilio.close();
        api.close();
    }
}
