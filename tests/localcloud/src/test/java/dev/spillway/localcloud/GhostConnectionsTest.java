package dev.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GhostConnectionsTest {

    @Test
    void a_connection_with_both_ends_is_no_ghost_and_a_counted_one_without_a_client_is() throws Exception {
        try (LocalHttpServer server =
                new LocalHttpServer("ecs", 0, request -> LocalHttpServer.Response.of(200, "text/plain", ""))) {
            int clientPort;
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                clientPort = client.getLocalPort();
                Awaitility.await().until(() -> server.connectedPorts().contains(clientPort));
                assertThat(new GhostConnections().watch(server).find()).isEmpty();
            }

            GhostConnections forgetful =
                    new GhostConnections().watch("forgetful", server.port(), () -> Set.of(clientPort));

            Awaitility.await()
                    .untilAsserted(() -> assertThat(forgetful.find())
                            .containsExactly(new GhostConnections.Ghost("forgetful", clientPort)));
            assertThat(forgetful.findLasting(Duration.ofMillis(100))).hasSize(1);
            assertThat(new GhostConnections().watch(server).findLasting(Duration.ofSeconds(10)))
                    .isEmpty();
        }
    }
}
