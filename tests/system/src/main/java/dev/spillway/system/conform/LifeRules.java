package dev.spillway.system.conform;

import static dev.spillway.system.conform.Trial.demand;

import com.fasterxml.jackson.databind.JsonNode;
import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.system.conform.Ground.Asked;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** How a container comes, reports, and goes. */
final class LifeRules {
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
                    "told to drain, it takes no new call, lets the others finish, then says DRAINED and drops its protection",
                    LifeRules::drain),
            new Rule("exit", "once it is not counted any more it exits by itself", LifeRules::exit));

    private static void register(Trial trial) throws Violation, IOException, InterruptedException {
        JsonNode item = trial.ground().item(trial.pool(), trial.id().value());
        trial.matches("container-item.json", item);
        String[] address = trial.container().address().split(":", 2);
        demand(
                address.length == 2,
                "its address is not host:port but " + trial.container().address());
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address[0], Integer.parseInt(address[1])), 2_000);
        } catch (IOException | IllegalArgumentException e) {
            throw new Violation(
                    "nobody is reached at its address " + trial.container().address());
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
        beat(trial);
        CallSid call = trial.newCall();
        Answer.Stream answer = trial.place(call); // nobody has told the container
        Container before = trial.container();
        beat(trial);
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
        trial.release(call, answer);
    }

    private static void beat(Trial trial) throws Violation, IOException, InterruptedException {
        Instant last = trial.container().aliveUntil();
        trial.within(
                trial.beats(),
                "no heartbeat came: aliveUntilMillis stands at " + last.toEpochMilli(),
                () -> trial.container().aliveUntil().isAfter(last));
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
        try (Caller caller = trial.talking(call, answer)) {
            demand(
                    trial.containers()
                            .become(
                                    trial.pool(),
                                    trial.id(),
                                    ContainerState.READY,
                                    ContainerState.DRAINING,
                                    false,
                                    "conformance",
                                    Instant.now()),
                    "it is not READY but " + trial.container().state());
            trial.within(
                    trial.beats(),
                    "/health is not 503 though the table says DRAINING",
                    () -> trial.get("/health").statusCode() == 503);
            int status = trial.voice(trial.newCall(), Ground.TOKEN).statusCode();
            demand(status == 503, "a draining container answered a new call " + status + ", not 503");
            beat(trial);
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
        if (trial.container().state() == ContainerState.READY) {
            trial.containers()
                    .become(
                            trial.pool(),
                            trial.id(),
                            ContainerState.READY,
                            ContainerState.DRAINING,
                            false,
                            "conformance",
                            Instant.now());
            trial.within(
                    trial.beats().multipliedBy(2),
                    "it does not say DRAINED though it is empty",
                    () -> trial.container().state() == ContainerState.DRAINED);
        }
        trial.containers()
                .become(
                        trial.pool(),
                        trial.id(),
                        ContainerState.DRAINED,
                        ContainerState.STOPPING,
                        true,
                        "conformance",
                        Instant.now());
        trial.containers().allowExit(trial.pool(), trial.id());
        trial.within(trial.beats().plusSeconds(2), "it still answers though mayExit is written", () -> {
            try {
                return trial.get("/live").statusCode() != 200;
            } catch (IOException e) {
                return true;
            }
        });
    }
}
