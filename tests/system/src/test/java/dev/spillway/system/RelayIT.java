package dev.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.spillway.core.call.Answer;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.call.Generation;
import dev.spillway.core.pool.Container;
import dev.spillway.core.stream.StreamAddress;
import dev.spillway.localcloud.twilio.TwilioSwitches;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The load balancer brings streams to the wrong container of the pool: it passes them on, between real processes. */
class RelayIT {
    @Test
    void streams_that_arrive_at_the_wrong_container_are_answered_by_their_addressee_and_leave_nothing()
            throws Exception {
        try (Stage stage = new Stage(20, TwilioSwitches.likely(5));
                HttpClient client = HttpClient.newHttpClient()) {
            List<Container> pair = stage.ready(Stage.GLOBEX);
            List<CompletableFuture<WebSocket>> streams = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Container arrived = pair.get(i % 2);
                Container addressee = pair.get((i + 1) % 2);
                Instant now = Instant.now();
                StreamAddress address = StreamAddress.of(
                        LocalTenant.GLOBEX.tenant().id(),
                        new CallSid("CA" + "%032x".formatted(i + 1)),
                        new Answer.Stream(
                                Stage.GLOBEX,
                                addressee.id(),
                                Generation.parse("1.abcdefghijklmno" + i).orElseThrow(),
                                now.plusSeconds(60),
                                now));
                URI uri = URI.create("ws://" + arrived.address()
                        + address.path(stage.system().streamKey(Stage.GLOBEX)));
                streams.add(client.newWebSocketBuilder()
                        .connectTimeout(Duration.ofSeconds(5))
                        .buildAsync(uri, new WebSocket.Listener() {}));
            }
            for (CompletableFuture<WebSocket> stream : streams) {
                System.out.println(stream.handle((w, e) -> w == null ? String.valueOf(e) : "open")
                        .get(15, TimeUnit.SECONDS));
            }
            for (CompletableFuture<WebSocket> stream : streams) {
                if (!stream.isCompletedExceptionally()) stream.get().abort();
            }
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(stage.view(Stage.GLOBEX).containers())
                            .allSatisfy(
                                    container -> assertThat(container.report().isQuiet())
                                            .as(container.report().toString())
                                            .isTrue()));
        }
    }
}
