package dev.spillway.operator.measure;

import dev.spillway.adapters.aws.AwsClients;
import dev.spillway.adapters.dynamodb.DynamoContainers;
import dev.spillway.adapters.dynamodb.DynamoPools;
import dev.spillway.adapters.ecs.EcsFleet;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.operator.Account;
import dev.spillway.operator.DeploymentFiles;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import software.amazon.awssdk.services.ecs.model.Task;

/** {@code ./spillway measure start}. */
@Command(
        name = "measure",
        mixinStandardHelpOptions = true,
        subcommands = {MeasureCommand.Start.class},
        description = "Measures in the account.")
public final class MeasureCommand {
    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description =
                    "Launches containers of a tenant's pool one after the other, and times each from the desired count to"
                            + " READY by the times of the events. Each is drained again. It costs what the containers cost.")
    static final class Start implements Callable<Integer> {
        private static final Duration PATIENCE = Duration.ofMinutes(10);
        private static final Duration LOOK = Duration.ofSeconds(2);

        @Mixin
        Account account = new Account();

        @Option(
                names = "--tenant",
                required = true,
                paramLabel = "ID",
                description = "whose pool; choose one that is quiet")
        @SuppressWarnings("NullAway.Init") // set by picocli
        String tenant;

        @Option(names = "--launches", defaultValue = "20", paramLabel = "N", description = "default: ${DEFAULT-VALUE}")
        int launches;

        @CommandLine.Spec
        @SuppressWarnings("NullAway.Init")
        CommandLine.Model.CommandSpec spec;

        @Override
        public Integer call() throws InterruptedException {
            if (launches < 1) {
                throw new ParameterException(spec.commandLine(), "want --launches of 1 or more");
            }
            DeploymentFiles files = account.files();
            PrintWriter out = spec.commandLine().getOut();
            List<Launch> measured = new ArrayList<>();
            try (AwsClients clients = account.clients(files)) {
                Ground ground = new Ground(
                        clients,
                        new DynamoPools(clients.dynamoDb(), files.name()),
                        new DynamoContainers(clients.dynamoDb(), files.name()),
                        new EcsFleet(clients.ecs(), files.cluster()),
                        files.cluster(),
                        new PoolId(tenant));
                for (int i = 1; i <= launches; i++) {
                    measured.add(ground.launch());
                    out.println("launch " + i + " of " + launches + " is READY");
                    out.flush();
                }
            }
            LaunchReport.print(measured, out);
            return 0;
        }

        /** @param cluster its name */
        private record Ground(
                AwsClients clients,
                DynamoPools pools,
                DynamoContainers containers,
                EcsFleet fleet,
                String cluster,
                PoolId pool) {
            Launch launch() throws InterruptedException {
                PoolView before = view();
                Set<ContainerId> known =
                        before.containers().stream().map(Container::id).collect(Collectors.toSet());
                Instant asked = Instant.now();
                int desired = before.pool().desired() + 1;
                Pool.Decision why = new Pool.Decision("measure", "a launch is measured", asked);
                if (!pools.desire(pool, desired, before.pool().version(), null, why)) {
                    throw new IllegalStateException("pool " + pool + " is being changed by others; choose a quiet one");
                }
                fleet.setDesired(before.pool().service(), desired);
                Container ready = await(
                        "a READY container",
                        () -> view().containers().stream()
                                .filter(container -> !known.contains(container.id()))
                                .filter(container -> container.state() == ContainerState.READY)
                                .findFirst());
                Task task = tasks(ready.id()).getFirst();
                containers.become(
                        pool,
                        ready.id(),
                        ContainerState.READY,
                        ContainerState.DRAINING,
                        true,
                        ScaleIn.IDLE,
                        Instant.now());
                // Its item stays as long as ECS shows the stopped task, which is an hour.
                await("the container's end", () -> hasStopped(ready.id()) ? Optional.of(ready) : Optional.empty());
                return new Launch(
                        asked,
                        task.createdAt(),
                        task.connectivityAt(),
                        task.pullStartedAt(),
                        task.pullStoppedAt(),
                        task.startedAt(),
                        ready.stateSince());
            }

            private boolean hasStopped(ContainerId id) {
                return tasks(id).stream().allMatch(task -> task.lastStatus().equals("STOPPED"));
            }

            /** The container's task; none once ECS has forgotten it. */
            private List<Task> tasks(ContainerId id) {
                return clients.ecs()
                        .describeTasks(request -> request.cluster(cluster).tasks(id.value()))
                        .tasks();
            }

            private PoolView view() {
                return pools.read(pool).orElseThrow(() -> new IllegalStateException("there is no pool " + pool));
            }

            private static <T> T await(String what, Supplier<Optional<T>> look) throws InterruptedException {
                Instant end = Instant.now().plus(PATIENCE);
                while (Instant.now().isBefore(end)) {
                    Optional<T> found = look.get();
                    if (found.isPresent()) {
                        return found.get();
                    }
                    Thread.sleep(LOOK);
                }
                throw new IllegalStateException("waited " + PATIENCE.toMinutes() + " minutes for " + what);
            }
        }
    }
}
