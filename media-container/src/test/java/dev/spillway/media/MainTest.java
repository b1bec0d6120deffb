package dev.spillway.media;

import static dev.spillway.core.memory.Sample.ACME_POOL;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.memory.MemoryTable;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.media.agent.ScriptedAgent;
import dev.spillway.media.life.MediaContainer;
import dev.spillway.media.life.Ports;
import dev.spillway.media.rig.FakeHost;
import dev.spillway.media.rig.Rig;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MainTest {
    private final MemoryTable table = Rig.table();
    private final AtomicBoolean portsClosed = new AtomicBoolean();
    private final AtomicBoolean exiting = new AtomicBoolean();

    @Test
    void a_port_that_somebody_else_has_ends_the_process_with_one_line() throws Exception {
        // given a bot in the same network that listens where the container is to
        try (FakeHost host = new FakeHost("task1");
                ServerSocket bot = new ServerSocket(0)) {
            MediaContainer container = container(host, bot.getLocalPort());
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            PrintStream before = System.err;
            System.setErr(new PrintStream(written, true, UTF_8));
            int code;
            try {
                code = Main.run(container, exiting);
            } finally {
                System.setErr(before);
            }
            assertThat(code).isEqualTo(1);
            assertThat(written.toString(UTF_8).lines().filter(line -> line.startsWith("spillway media container: ")))
                    .singleElement()
                    .asString()
                    .contains("port " + bot.getLocalPort() + " cannot be opened")
                    .contains("in use");
            assertThat(exiting).isTrue();
            assertThat(portsClosed).isTrue();
            assertThat(table.has(ACME_POOL, new ContainerId("task1"))).isFalse();
        }
    }

    private MediaContainer container(FakeHost host, int port) {
        ContainerSettings settings = ContainerSettings.from(Map.ofEntries(
                Map.entry("AWS_REGION", "eu-west-1"),
                Map.entry("SPILLWAY_TABLE", "spillway"),
                Map.entry("SPILLWAY_EVENT_BUS", "spillway"),
                Map.entry("SPILLWAY_PUBLIC_URL", "https://api.example.com"),
                Map.entry("SPILLWAY_POOL", "acme"),
                Map.entry("SPILLWAY_PORT", String.valueOf(port)),
                Map.entry("SPILLWAY_VOICE_URL", Rig.VOICE_URL),
                Map.entry("SPILLWAY_STREAM_KEY", Base64.getEncoder().encodeToString(new byte[32])),
                Map.entry("SPILLWAY_TARGET_WAIT_SECONDS", "0"),
                Map.entry("ECS_AGENT_URI", host.url() + "/agent"),
                Map.entry("ECS_CONTAINER_METADATA_URI_V4", host.url() + "/metadata")));
        return new MediaContainer(
                settings,
                () -> new Ports(
                        table.pools(),
                        table.containers(),
                        table.calls(),
                        table.conversations(),
                        table.tenants(),
                        Rig.tokens(),
                        table.announcements(),
                        table.generations(),
                        Map::of,
                        () -> portsClosed.set(true)),
                host.host(),
                (tenant, line) -> new ScriptedAgent(tenant, line, Duration.ofMillis(50)),
                table.journal(),
                InstantSource.system());
    }
}
