package dev.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** However a JVM with stand-ins ends, none of their processes outlives it. */
@Timeout(60)
class OrphansTest {

    /** Starts a task that ignores SIGTERM and a DynamoDB, tells their process ids, and waits for its own end. */
    static final class Owner {
        private Owner() {}

        public static void main(String[] arguments) throws Exception {
            TaskLauncher launcher = start -> new ProcessBuilder("sh", "-c", "trap '' TERM; while :; do sleep 1; done");
            EcsOptions options = EcsOptions.atSpeed(10, Files.createTempDirectory("spillway-tasks"), launcher)
                    .withLaunch(Duration.ZERO, Duration.ZERO);
            Dynalite dynalite = Dynalite.start();
            EcsStandIn ecs = new EcsStandIn(options, 0);
            ecs.createService(
                    new ServiceSpec("acme", 1, "media", null, ServiceSpec.LONGEST_GRACE_PERIOD, Duration.ofMinutes(2)));
            SmallCluster.await().until(() -> ecs.liveTasks("acme").stream().anyMatch(TaskSnapshot::running));
            System.out.println("pids " + dynalite.pid() + " "
                    + ecs.liveTasks("acme").getFirst().pid());
            Thread.currentThread().join();
        }
    }

    @Test
    void a_killed_jvm_takes_its_processes_along() throws Exception {
        Process owner = owner();
        List<Long> pids = pids(owner);

        owner.destroyForcibly();

        SmallCluster.await().until(() -> pids.stream().noneMatch(SmallCluster::alive));
    }

    @Test
    void a_jvm_told_to_end_stops_its_processes_first() throws Exception {
        Process owner = owner();
        List<Long> pids = pids(owner);

        owner.destroy();

        SmallCluster.await().until(() -> !owner.isAlive());
        assertThat(pids).noneMatch(SmallCluster::alive);
    }

    private static Process owner() throws Exception {
        return new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Owner.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static List<Long> pids(Process owner) throws Exception {
        BufferedReader output = owner.inputReader(StandardCharsets.UTF_8);
        String line = output.readLine();
        assertThat(line).startsWith("pids ");
        List<Long> pids = Stream.of(line.substring("pids ".length()).split(" "))
                .map(Long::valueOf)
                .toList();
        assertThat(pids).hasSize(2).allMatch(SmallCluster::alive);
        return pids;
    }
}
