package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.Callee;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** An operator's commands to the whole system, what they do there, and who may give them. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OrdersIT {
    private static final LocalTenant ACME = LocalTenant.ACME;
    private static final LocalTenant GLOBEX = LocalTenant.GLOBEX;
    private static final List<Journal.Entry> DECISIONS = new CopyOnWriteArrayList<>();
    private static LocalSystem system;
    private static SignedApi api;
    private static Path info;

    @BeforeAll
    static void start() throws Exception {
        Path work = Files.createTempDirectory("spillway-it-");
        System.out.println("logs of containers and functions: " + work + "; seed 6");
        system = new LocalSystem(new LocalSystem.Options(10, 300, Trained.home(), work, 6, TwilioSwitches.likely(6)));
        system.journal().listen(DECISIONS::add);
        system.start();
        api = system.signedApi();
        info = work.resolve("info.json");
        Files.writeString(info, Cli.JSON.writeValueAsString(system.info()));
    }

    @AfterAll
    static void stop() {
        if (api != null) {
            api.close();
        }
        system.close();
    }

    @Test
    @Order(1)
    void callers_go_to_the_gateway_while_it_is_ordered_and_come_back_after_it_and_a_drained_pool_regrows()
            throws Exception {
        int own = system.loadBalancerUrl(GLOBEX).getPort();
        int gateway = system.gatewayUrl().getPort();

        // given a pool with free slots that callers are to pass over
        assertThat(run("pool", "to-gateway", "globex", "--for", "20m", "--reason", "a rehearsal"))
                .contains("ordered for globex: to-gateway until ")
                .contains("by arn:aws:iam::000000000000:role/operators: a rehearsal");
        JsonNode shown = get(api, "/pools/globex").at("/orders/0");
        assertThat(shown.path("order").asText()).isEqualTo("to-gateway");
        await().atMost(Duration.ofSeconds(10))
                .until(() ->
                        view(system).containers().stream().allMatch(container -> container.isClosed(Instant.now())));
        awaitHeartbeats(system);
        // when somebody calls
        Call held = system.call(GLOBEX, CallScript.lasting(Duration.ofSeconds(40)));
        // then the gateway takes the call, and the pool's containers stay
        await().atMost(Duration.ofSeconds(20)).until(() -> ports(held).size() == 1);
        assertThat(ports(held)).containsExactly(gateway);
        assertThat(view(system).in(ContainerState.READY)).hasSize(2);
        // and once it is over, the call is handed over
        assertThat(run("pool", "resume", "globex")).contains("ended for globex");
        await().atMost(Duration.ofSeconds(20)).until(() -> ports(held).size() == 2);
        assertThat(ports(held)).containsExactly(gateway, own);

        // given an order to drain while the call is up
        run("pool", "drain", "globex", "--reason", "a rehearsal");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> view(system).in(ContainerState.READY).count() == 0);
        assertThat(held.endedAt()).isEmpty();
        held.hangUp();
        await().atMost(Duration.ofSeconds(90)).until(() -> system.liveTasks(GLOBEX) == 0);
        // when it is over, the two containers that always run come back
        run("pool", "resume", "globex");
        await().atMost(Duration.ofSeconds(90))
                .until(() -> view(system).claimable(Instant.now()).count() == 2);

        List<String> stages = new ArrayList<>();
        get(api, "/pools/globex/orders")
                .path("orders")
                .forEach(order -> stages.add(
                        order.path("order").asText() + " " + order.path("stage").asText()));
        assertThat(stages).containsExactly("drain ended", "to-gateway ended");
        refusals();
    }

    @Test
    @Order(2)
    void orders_of_some_seconds_bind_the_plans_while_they_last_and_end_by_themselves() throws Exception {
        // given a pool at zero that is paused, and one whose calls out are stopped while it is to keep three containers
        assertThat(system.liveTasks(ACME)).isZero();
        run("pool", "pin", "globex", "--containers", "3", "--for", "5m", "--reason", "a rehearsal");
        run("outbound", "stop", "globex", "--for", "12s", "--reason", "a rehearsal");
        run("pool", "pause", "acme", "--for", "12s", "--reason", "a rehearsal");
        Instant paused = until("acme", "pool");
        Instant stopped = until("globex", "outbound");
        // when somebody calls the first, and a job comes for the second
        Call held = system.call(ACME, CallScript.lasting(Duration.ofSeconds(90)));
        system.twilio().whenDialled(number -> new Callee.NoAnswer(Duration.ofSeconds(1)));
        try (OutboundJobs jobs = new OutboundJobs(system.signedApi())) {
            String job = jobs.post("orders", "{\"tenant\":\"globex\",\"to\":\"+15005557001\"}")
                    .getFirst();

            // then the caller is demand that starts nothing while it lasts
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> DECISIONS.stream()
                            .anyMatch(entry -> entry.event().equals("scale-out-stay")
                                    && "acme".equals(entry.fields().get("pool"))
                                    && entry.fields()
                                            .getOrDefault("reason", "")
                                            .startsWith("pause is ordered until " + paused)));
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                boolean nothing = system.liveTasks(ACME) == 0;
                boolean over = !Instant.now().isBefore(paused);
                assertThat(nothing || over)
                        .as("nothing starts while it is paused")
                        .isTrue();
                return over;
            });
            // and with nobody's word the order is over: a container comes, and takes the caller over
            await().atMost(Duration.ofSeconds(60)).until(() -> ports(held).size() == 2);
            assertThat(ports(held))
                    .containsExactly(
                            system.gatewayUrl().getPort(),
                            system.loadBalancerUrl(ACME).getPort());
            assertThat(get(api, "/pools/acme").at("/orders")).isEmpty();

            // and the job waited for its order's end, by that cause, before it was dialled
            List<JsonNode> steps = new ArrayList<>();
            jobs.awaitEnd(job).path("steps").forEach(steps::add);
            assertThat(steps.stream().filter(step -> is(step, "deferred")))
                    .anySatisfy(step -> assertThat(step.path("cause").asText()).isEqualTo("operator"));
            assertThat(steps.stream().filter(step -> is(step, "admitted")))
                    .isNotEmpty()
                    .allSatisfy(step ->
                            assertThat(Instant.parse(step.path("at").asText())).isAfterOrEqualTo(stopped));
        }
        // and the pinned pool has a container more, though nobody called it
        await().atMost(Duration.ofSeconds(60))
                .until(() -> view(system).claimable(Instant.now()).count() == 3);
        held.hangUp();
    }

    private static boolean is(JsonNode step, String kind) {
        return step.path("kind").asText().equals(kind);
    }

    /** When the order in force is over. */
    private static Instant until(String tenant, String subject) throws Exception {
        for (JsonNode order : get(api, "/pools/" + tenant).path("orders")) {
            if (subject.equals(order.path("subject").asText())) {
                return Instant.parse(order.path("until").asText());
            }
        }
        throw new AssertionError("no order about " + subject + " in force for " + tenant);
    }

    private static void refusals() throws Exception {
        assertThat(code("pool", "resume", "acme", "--info", info.toString())).isEqualTo(1);
        assertThat(code("pool", "pin", "acme", "--containers", "21", "--reason", "x", "--info", info.toString()))
                .isEqualTo(1);
        assertThat(code("pool", "pause", "acme", "--info", info.toString())).isEqualTo(2);
        assertThat(code("pool", "pause", "acme", "--reason", "x")).isEqualTo(2);
        assertThat(code("pool", "pause", "a/b", "--reason", "x", "--info", info.toString()))
                .isEqualTo(2);
        assertThat(code("pool", "pause", "acme", "--for", "soon", "--reason", "x", "--info", info.toString()))
                .isEqualTo(2);
        assertThat(code("outbound", "stop", "acme", "--reason", "x", "--info", "/nowhere"))
                .isEqualTo(2);
        assertThat(code("outbound", "stop", "acme", "--reason", "x", "--info", info.toString()))
                .isZero();
        assertThat(code("outbound", "resume", "acme", "--info", info.toString()))
                .isZero();
        try (SignedApi stranger = SignedApi.local(system.apiUrl(), LocalUsers.key(LocalUsers.of(LocalTenant.ACME)))) {
            assertThat(stranger.get("/pools/acme").statusCode()).isEqualTo(200);
            assertThat(stranger.get("/pools/globex").statusCode()).isEqualTo(403);
            assertThat(stranger.get("/attempts?tenant=globex").statusCode()).isEqualTo(403);
            HttpResponse<String> job = stranger.send(
                    "POST",
                    "/calls",
                    Map.of("content-type", "application/json"),
                    "{\"tenant\":\"globex\",\"to\":\"+15005557001\"}");
            assertThat(job.statusCode()).isEqualTo(403);
            assertThat(job.headers().firstValue("content-type")).contains("application/problem+json");
        }
        try (SignedApi forged =
                SignedApi.local(system.apiUrl(), new LocalInfo.ApiKey("LOCALOPERATORS", "another secret"))) {
            assertThat(forged.get("/pools/acme").statusCode()).isEqualTo(403);
        }
    }

    /** Every container has read its mark: two heartbeats are enough. */
    private static void awaitHeartbeats(LocalSystem system) {
        List<Instant> before = heartbeats(system);
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            List<Instant> now = heartbeats(system);
            for (int i = 0; i < now.size(); i++) {
                if (!now.get(i).isAfter(before.get(i).plus(system.timing().heartbeat()))) {
                    return false;
                }
            }
            return true;
        });
    }

    private static List<Instant> heartbeats(LocalSystem system) {
        return view(system).containers().stream().map(Container::aliveUntil).toList();
    }

    private static PoolView view(LocalSystem system) {
        return system.pools().read(PoolId.of(GLOBEX.tenant().id())).orElseThrow();
    }

    private static List<Integer> ports(Call call) {
        return call.history().streams().stream()
                .map(stream -> stream.url().getPort())
                .toList();
    }

    private static JsonNode get(SignedApi api, String path) throws IOException, InterruptedException {
        HttpResponse<String> response = api.get(path);
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        return Cli.JSON.readTree(response.body());
    }

    private static int code(String... arguments) {
        return Cli.commandLine().execute(arguments);
    }

    private static String run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--info", info.toString()));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            assertThat(code(all.toArray(String[]::new))).isZero();
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
