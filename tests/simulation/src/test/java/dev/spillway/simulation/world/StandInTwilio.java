package dev.spillway.simulation.world;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.BLOOM;

import dev.spillway.adapters.twilio.Callbacks;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.tenant.Tenant;
import dev.spillway.core.tenant.TenantId;
import dev.spillway.core.tenant.TwilioTokens;
import dev.spillway.localcloud.LocalHttpServer;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import dev.spillway.localcloud.twilio.TwilioAccount;
import dev.spillway.localcloud.twilio.TwilioNumber;
import dev.spillway.localcloud.twilio.TwilioStandIn;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** Twilio's stand-in with an account for each of two tenants, and an application that keeps whoever calls on the phone. */
final class StandInTwilio implements AutoCloseable {
    /** Answered at once. */
    static final String NUMBER = "+15005550006";
    /** Never answered. */
    static final String SLOW_NUMBER = "+15005550007";

    private static final String TOKEN = "12345678901234567890123456789012";
    private static final Pattern CONTINUE = Pattern.compile("/twilio/continue/acme/([0-9]+)");
    private static final Pattern SID = Pattern.compile("(?:^|&)CallSid=(CA[0-9a-f]{32})");
    private static final Map<TenantId, String> ACCOUNTS = Map.of(
            ACME, "AC00000000000000000000000000000001",
            BLOOM, "AC00000000000000000000000000000002");

    private final Map<CallSid, List<Integer>> continued = new ConcurrentHashMap<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final LocalHttpServer application = new LocalHttpServer("application", 0, this::answer);
    private final TwilioStandIn twilio = new TwilioStandIn(0, TwilioSwitches.likely(1));

    StandInTwilio() {
        twilio.callsPerSecond(1_000);
        account(ACME, number(NUMBER, "/voice"), number(SLOW_NUMBER, "/slow"));
        account(BLOOM, number("+15005550008", "/voice"));
    }

    private void account(TenantId tenant, TwilioNumber... numbers) {
        twilio.register(new TwilioAccount(tenant(tenant).accountSid(), TOKEN, List.of(numbers)));
    }

    private TwilioNumber number(String number, String path) {
        return new TwilioNumber(number, URI.create(application.url() + path), null, null);
    }

    TwilioStandIn twilio() {
        return twilio;
    }

    String api() {
        return twilio.url().toString();
    }

    Callbacks callbacks() {
        return new Callbacks(application.url().toString());
    }

    static Tenant tenant(TenantId id) {
        Tenant sample = Sample.tenant(id);
        return new Tenant(id, sample.numbers(), ACCOUNTS.getOrDefault(id, ""), sample.secretName(), sample.persona());
    }

    static TwilioTokens tokens() {
        return new TwilioTokens() {
            @Override
            public List<String> of(Tenant tenant) {
                return List.of(TOKEN);
            }

            @Override
            public void refresh(Tenant tenant) {}
        };
    }

    List<Integer> continuedAt(CallSid call) {
        return continued.getOrDefault(call, List.of());
    }

    static void await(BooleanSupplier so) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(10))
                .until(so::getAsBoolean);
    }

    private Response answer(Request request) throws InterruptedException {
        Matcher hop = CONTINUE.matcher(request.path());
        if (hop.matches()) {
            Matcher sid = SID.matcher(request.text());
            if (sid.find()) {
                continued
                        .computeIfAbsent(new CallSid(sid.group(1)), call -> new CopyOnWriteArrayList<>())
                        .add(Integer.valueOf(hop.group(1)));
            }
        }
        if (request.path().equals("/slow")) {
            end.await();
        }
        boolean isCallOut = request.path().startsWith("/twilio/dial/");
        return Response.of(
                200, "text/xml", "<Response>" + (isCallOut ? "<Hangup/>" : "<Pause length=\"600\"/>") + "</Response>");
    }

    @Override
    public void close() {
        end.countDown();
        twilio.close();
        application.close();
    }
}
