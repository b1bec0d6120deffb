package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.localcloud.twilio.Call;
import dev.spillway.localcloud.twilio.CallHistory;
import dev.spillway.localcloud.twilio.CallScript;
import dev.spillway.localcloud.twilio.CallTimeline;
import dev.spillway.localcloud.twilio.EndReason;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import dev.spillway.localcloud.twilio.Utterance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A running system for one test class, and what is asked of it again and again. */
final class Stage implements AutoCloseable {
    static final PoolId ACME = PoolId.of(LocalTenant.ACME.tenant().id());
    static final PoolId GLOBEX = PoolId.of(LocalTenant.GLOBEX.tenant().id());

    /** Phone numbers of callers and tenants, auth tokens and stream addresses with their MAC: none belongs into a log. */
    private static final Pattern SECRETS =
            Pattern.compile("\\+1500555|a11ce00000000|b0b0000000000|/stream/[a-z]+/[^/ ]+/CA");

    private final Path work;
    private final LocalSystem system;
    private final List<Journal.Entry> decisions = new CopyOnWriteArrayList<>();

    Stage(double speed, TwilioSwitches switches) throws Exception {
        this(speed, switches, Map.of());
    }

    /** @param settings environment variables of the tenants' containers, beside the usual ones */
    Stage(double speed, TwilioSwitches switches, Map<String, String> settings) throws Exception {
        this(speed, switches, List.of(LocalTenant.ACME, LocalTenant.GLOBEX), settings);
    }

    /** @param tenants acme and globex among them */
    Stage(double speed, TwilioSwitches switches, List<LocalTenant> tenants) throws Exception {
        this(speed, switches, tenants, Map.of());
    }

    /**
     * @param tenants acme and globex among them
     * @param settings environment variables of the tenants' containers, beside the usual ones
     */
    Stage(double speed, TwilioSwitches switches, List<LocalTenant> tenants, Map<String, String> settings)
            throws Exception {
        work = Files.createTempDirectory("spillway-attack-");
        System.out.println("logs of containers and functions: " + work + "; seed " + switches.seed());
        system = new LocalSystem(new LocalSystem.Options(
                speed,
                300,
                Trained.home(),
                work,
                switches.seed(),
                switches,
                tenants,
                settings,
                false,
                LocalSystem.GATEWAY_LIMIT,
                List.of(Trained.home())));
        system.journal().listen(decisions::add);
        try {
            system.start();
        } catch (RuntimeException | InterruptedException e) {
            system.close(); // what is left running would be in the way of every test after this one
            throw e;
        }
    }

    /** What the functions have decided so far, under that name. */
    List<Journal.Entry> decisions(String event) {
        return decisions.stream().filter(entry -> entry.event().equals(event)).toList();
    }

    LocalSystem system() {
        return system;
    }

    PoolView view(PoolId id) {
        // The machine may be as busy as the table.
        return await().ignoreException(DependencyException.class)
                .atMost(Duration.ofSeconds(20))
                .until(() -> system.pools().read(id).orElseThrow(), view -> true);
    }

    List<Container> ready(PoolId id) {
        return view(id).claimable(Instant.now()).toList();
    }

    /** The container of that pool with most claims. */
    Container busiest(PoolId id) {
        return ready(id).stream()
                .max(java.util.Comparator.comparingInt(
                        container -> container.claims().size()))
                .orElseThrow();
    }

    long claims(PoolId id) {
        return view(id).containers().stream()
                .filter(container -> container.state() != ContainerState.LOST)
                .flatMap(container -> container.claims().values().stream())
                .filter(claim -> claim.phase() != Claim.Phase.COOLDOWN)
                .count();
    }

    /** The calls that some container of these pools has connected. */
    Set<ClaimKey> connected(PoolId... pools) {
        return Stream.of(pools)
                .flatMap(id -> view(id).containers().stream())
                .filter(container -> container.state() != ContainerState.LOST)
                .flatMap(container -> container.claims().entrySet().stream())
                .filter(claim -> claim.getValue().phase() == Claim.Phase.CONNECTED)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    List<Call> calls(LocalTenant tenant, int count, CallScript script) {
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(system.call(tenant, script));
        }
        return calls;
    }

    static void talking(List<Call> calls) {
        await("everybody talks")
                .atMost(Duration.ofSeconds(15))
                .until(() ->
                        calls.stream().allMatch(call -> !call.history().turns().isEmpty()));
    }

    static void heard(List<Call> calls, Duration within) {
        await("everybody hears somebody")
                .atMost(within)
                .until(() -> calls.stream()
                        .allMatch(call -> call.history().firstAudioAt().isPresent()));
    }

    /** Each caller hung up by himself, heard one persona, and never waited for more than that. */
    static void wentWell(List<Call> calls, LocalTenant tenant, Duration mostSilence) throws InterruptedException {
        for (Call call : calls) {
            assertThat(call.awaitEnd(Duration.ofSeconds(60)))
                    .as(() -> String.join("\n", CallTimeline.of(call)))
                    .isTrue();
            assertThat(call.endReason())
                    .as(() -> String.join("\n", CallTimeline.of(call)))
                    .contains(EndReason.CALLER_HUNG_UP);
            assertThat(speakers(call)).containsExactly(tenant.tenant().id().value());
            assertThat(call.history().longestSilence())
                    .as(() -> String.join("\n", CallTimeline.of(call)))
                    .isLessThan(mostSilence);
        }
    }

    /** They hang up now; whoever ended before is not touched. */
    static void hangUp(List<Call> calls) {
        calls.forEach(Call::hangUp);
    }

    /** Wherever the call was: no word of the agent was cut but by its caller, and none said twice. */
    static void heardEachWordOnce(Call call) {
        CallHistory history = call.history();
        assertThat(history.utterances())
                .as(() -> String.join("\n", CallTimeline.of(call)))
                .noneMatch(Utterance::cut);
        assertThat(Repetition.of(history))
                .as(() -> String.join("\n", CallTimeline.of(call)))
                .isZero();
    }

    static Set<String> speakers(Call call) {
        return call.history().personas().stream()
                .map(CallHistory.PersonaMark::tenant)
                .collect(Collectors.toSet());
    }

    /** Nothing is left of any call: no claim, no held call, both pools at their minimum, no connection of a dead process. */
    void allIsGone() throws IOException {
        for (PoolId id : List.of(ACME, GLOBEX, PoolId.GATEWAY)) {
            await("claims of " + id)
                    .atMost(Duration.ofSeconds(70))
                    .untilAsserted(() -> assertThat(view(id).containers().stream()
                                    .filter(container -> container.state() != ContainerState.LOST)
                                    .flatMap(container -> container.claims().entrySet().stream()))
                            .isEmpty());
        }
        await("minimum").atMost(Duration.ofMinutes(4)).untilAsserted(() -> {
            assertThat(system.liveTasks(LocalTenant.ACME)).isZero();
            assertThat(view(ACME).pool().desired()).isZero();
            assertThat(ready(GLOBEX)).hasSize(2);
            assertThat(system.liveTasks(LocalTenant.GLOBEX)).isEqualTo(2);
            assertThat(ready(PoolId.GATEWAY)).hasSize(3);
        });
        assertThat(system.ghosts()).isEmpty();
        assertThat(secretsInLogs()).isEmpty();
    }

    private List<String> secretsInLogs() throws IOException {
        return lines(line -> SECRETS.matcher(line).find());
    }

    /** The lines of all logs, of functions and containers, that have this in them. */
    List<String> logged(String text) throws IOException {
        return lines(line -> line.contains(text));
    }

    private List<String> lines(Predicate<String> wanted) throws IOException {
        try (Stream<Path> files = Files.walk(work)) {
            return files.filter(Files::isRegularFile)
                    .flatMap(Stage::lines)
                    .filter(wanted)
                    .toList();
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream().map(line -> file.getFileName() + ": " + line);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        system.writeCallTimelines();
        system.close();
    }
}
