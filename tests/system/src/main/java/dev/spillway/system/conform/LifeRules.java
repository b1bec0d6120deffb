package dev.spillway.system.conform;

import static dev.spillway.system.conform.Trial.demand;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.system.conform.Ground.Asked;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** How a container comes, reports, and goes. */
final class LifeRules {
    /** From closing its port to its exit. A guess. */
    private static final Duration ENDING = Duration.ofSeconds(10);

    private LifeRules() {}

    static final List<Rule> BEFORE_CALLS = List.of(
            new Rule(
                    "register",
                    "it puts an item of the right shape, with an address where it is reached",
                    LifeRules::register),
            new Rule("protect", "it asks ECS for scale-in protection before it says READY", LifeRules::protect),
            new Rule("announce", "it announces ContainerReady once it is READY", LifeRules::announce),
            new Rule(
                    "heartbeat",
                    "it reports in time, for no longer than it may count as alive, and leaves state and claims alone",
                    LifeRules::heartbeat),
            new Rule("live", "GET /live says which container this is", LifeRules::live));

    static final List<Rule> AFTER_CALLS = List.of(
            new Rule(
                    "drain",
                    "told to drain, it takes no new call, lets those that it holds come and finish, then says DRAINED and drops"
                            + " its protection",
                    LifeRules::drain),
            new Rule("exit", "once it is not counted any more it exits by itself, with 0", LifeRules::exit));

    private static void register(Trial trial) throws Violation, IOException, InterruptedException {
        trial.matches("container-item.json", trial.item());
        String address = trial.container().address();
        String[] parts = address.split(":", 2);
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(parts[0], Integer.parseInt(parts[1])), 2_000);
        } catch (IOException | IllegalArgumentException e) {
            throw new Violation("nobody is reached at its address " + address);
        }
    }

    private static void protect(Trial trial) throws Violation, IOException, InterruptedException {
        List<Asked> asked = trial.ground().asked().stream()
                .filter(ask -> ask.container().equals(trial.id().value()))
                .toList();
        demand(
                asked.stream().anyMatch(ask -> ask.protection() && !ask.before()),
                asked.isEmpty()
                        ? "it is READY and never asked for protection"
                        : "it asked for protection only after READY");
        trial.within(
                trial.beats(),
                "its heartbeat does not tell until when it is protected",
                () -> trial.container().protectedUntil().isAfter(Instant.now()));
    }

    private static void announce(Trial trial) throws Violation, IOException, InterruptedException {
        trial.within(
                Duration.ofSeconds(5),
                "ContainerReady did not come",
                () -> !trial.ground().events("ContainerReady", trial.pool()).isEmpty());
        trial.matches(
                "ContainerReady.json",
                trial.ground().events("ContainerReady", trial.pool()).getLast());
    }

    private static void heartbeat(Trial trial) throws Violation, IOException, InterruptedException {
        trial.awaitBeat();
        CallSid call = trial.newCall();
        trial.place(call); // nobody has told the container
        Container before = trial.container();
        trial.awaitBeat();
        Container after = trial.container();
        Duration ahead = Duration.between(Instant.now(), after.aliveUntil());
        demand(
                ahead.compareTo(trial.timing().expiry().plusSeconds(2)) <= 0,
                "it counts itself as alive for " + ahead.toSeconds() + " s, and "
                        + trial.timing().expiry().toSeconds() + " s are allowed");
        demand(trial.claimOf(call).isPresent(), "a claim that another wrote is gone after its heartbeat");
        demand(
                after.state() == before.state() && after.stateSince().equals(before.stateSince()),
                "its heartbeat wrote the state");
        demand(after.bootId().equals(before.bootId()), "its heartbeat wrote another bootId");
    }

    private static void live(Trial trial) throws Violation, IOException, InterruptedException {
        var answer = trial.get("/live");
        demand(answer.statusCode() == 200, "GET /live was answered " + answer.statusCode() + ", not 200");
        demand(
                answer.body().contains("\"" + trial.id() + "\""),
                "GET /live does not name the container: " + answer.body());
        demand(trial.get("/health").statusCode() == 200, "GET /health is not 200 though slots are free");
    }

    private static void drain(Trial trial) throws Violation, IOException, InterruptedException {
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call);
        CallSid late = trial.newCall();
        Answer.Stream held = trial.place(late);
        try (Caller caller = trial.talking(call, answer)) {
            trial.become(ContainerState.READY, ContainerState.DRAINING);
            trial.within(
                    trial.beats(),
                    "/health is not 503 though the table says DRAINING",
                    () -> trial.get("/health").statusCode() == 503);
            int status = trial.voice(Webhook.of(trial.newCall())).statusCode();
            demand(status == 503, "a draining container answered a new call " + status + ", not 503");
            try (Caller other = trial.talking(late, held, "the stream of a claim that it holds while it drains")) {
                trial.hangUp(other, late);
            }
            trial.awaitBeat();
            demand(caller.isOpen(), "a call in progress was closed because of the drain");
            demand(
                    trial.container().state() == ContainerState.DRAINING,
                    "with a call in progress it says " + trial.container().state());
            caller.stop(call.value());
            trial.within(
                    trial.beats(),
                    "it does not say DRAINED after its last call",
                    () -> trial.container().state() == ContainerState.DRAINED);
        }
        trial.within(
                trial.beats(),
                "it is DRAINED and kept its scale-in protection",
                () -> trial.ground().asked().stream()
                        .anyMatch(ask -> ask.container().equals(trial.id().value()) && !ask.protection()));
        trial.within(
                Duration.ofSeconds(5),
                "ContainerDrained was not announced",
                () -> !trial.ground().events("ContainerDrained", trial.pool()).isEmpty());
        trial.matches(
                "ContainerDrained.json",
                trial.ground().events("ContainerDrained", trial.pool()).getLast());
    }

    private static void exit(Trial trial) throws Violation, IOException, InterruptedException {
        drained(trial);
        trial.become(ContainerState.DRAINED, ContainerState.STOPPING);
        trial.containers().allowExit(trial.pool(), trial.id());
        trial.within(trial.beats().plusSeconds(2), "it still answers though mayExit is written", () -> !isThere(trial));
        Started started = trial.started().orElse(null);
        if (started != null) {
            trial.within(
                    ENDING,
                    "it answers no more, and its process has not ended",
                    () -> started.exitCode().isPresent());
            demand(started.exitCode().orElseThrow() == 0, "its process has " + started.end());
        }
    }

    /** Whether it drains by itself is another rule's question: here it only has to get there. */
    private static void drained(Trial trial) throws Violation, IOException, InterruptedException {
        if (trial.container().state() == ContainerState.READY) {
            trial.become(ContainerState.READY, ContainerState.DRAINING);
        }
        try {
            trial.within(
                    trial.beats().multipliedBy(2),
                    "it does not say DRAINED",
                    () -> trial.container().state() == ContainerState.DRAINED);
        } catch (Violation e) {
            trial.become(ContainerState.DRAINING, ContainerState.DRAINED);
        }
    }

    /** A proxy before it may answer in the place of one that is gone. Who takes the question and says nothing is there. */
    private static boolean isThere(Trial trial) throws InterruptedException {
        try {
            int status = trial.get("/live", Duration.ofSeconds(1)).statusCode();
            return status != 502 && status != 504;
        } catch (HttpTimeoutException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
