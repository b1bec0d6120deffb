package dev.spillway.system.function;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.adapters.twilio.Twiml;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.lambda.FallbackHandler;
import dev.spillway.lambda.Functions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nothing stands behind the fallback, and Twilio does not ask twice. What each of a hundred callers may hear: the tenant's
 * agent, over a stream to the gateway, or the busy message, if the gateway's slots are full or the tenant's share of them is,
 * and then the log says which. Nobody hears the apology: it means that something is broken.
 *
 * <p>On Lambda each cold function has a processor to itself. Here a hundred share two with the table and whatever else runs,
 * so everything may take thirty times as long: this is a test of what callers hear, and the benchmark has the times.
 */
class ColdFallbacksIT {
    private static final int CALLERS = 100;
    private static final int PATIENCE = 30;

    /** The lines that say what a caller hears: the flow's, and that of what stands in for it. */
    private static final Set<String> ANSWERED = Set.of("answered", "last-resort");

    @Test
    void a_hundred_callers_at_once_on_cold_functions_are_all_answered(@TempDir Path work) throws Exception {
        Path dynalite = Path.of(System.getProperty("spillway.home")).resolve("tests/localcloud/dynalite");
        Map<String, Entry> answers = new ConcurrentHashMap<>();
        Map<String, APIGatewayV2HTTPResponse> heard = new ConcurrentHashMap<>();
        try (FunctionGround ground = new FunctionGround(dynalite, work);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch go = new CountDownLatch(1);
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 1; i <= CALLERS; i++) {
                String call = "CA%032d".formatted(i);
                calls.add(callers.submit(() -> {
                    go.await();
                    // A function of its own for each, as Lambda has it: clients, connections and copies are new.
                    try (Functions cold = Functions.from(
                            ground.environment(),
                            entry -> {
                                if (ANSWERED.contains(entry.event())) {
                                    answers.put(call, entry);
                                }
                            },
                            PATIENCE)) {
                        APIGatewayV2HTTPResponse answer = new FallbackHandler(cold)
                                .handleRequest(
                                        Play.webhook(
                                                "/twilio/fallback/acme",
                                                Map.of("CallSid", call, "ErrorCode", "11217", "CallStatus", "ringing")),
                                        null);
                        heard.put(call, answer);
                        return true;
                    }
                }));
            }
            go.countDown();
            for (Future<?> call : calls) {
                call.get();
            }
        }

        assertThat(heard).hasSize(CALLERS);
        heard.forEach((call, answer) -> {
            String body = answer.getBody();
            assertThat(answer.getStatusCode()).isEqualTo(200);
            assertThat(body.contains("<Stream ") || body.contains(Twiml.BUSY))
                    .as(call + " hears its agent or the busy message: " + body)
                    .isTrue();
            assertThat(body).doesNotContain(Twiml.APOLOGY);
            assertThat(answers).as("the log line of " + call).hasEntrySatisfying(call, line -> {
                assertThat(line.event()).isEqualTo("answered");
                assertThat(line.fields().getOrDefault("reason", "")).isNotBlank();
            });
        });
        // Two containers with two hundred slots each: of those a tenant may have all but one container's.
        assertThat(heard.values())
                .filteredOn(answer -> answer.getBody().contains("<Stream "))
                .hasSize(CALLERS);
    }
}
