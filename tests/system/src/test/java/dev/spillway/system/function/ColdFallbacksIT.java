package dev.spillway.system.function;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import dev.spillway.lambda.FallbackHandler;
import dev.spillway.lambda.Functions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing stands behind the fallback, and Twilio does not ask twice. */
class ColdFallbacksIT {
    private static final int CALLERS = 100;

    @Test
    void a_hundred_callers_at_once_on_cold_functions_are_all_answered(@TempDir Path work) throws Exception {
        Path dynalite = Path.of(System.getProperty("spillway.home")).resolve("tests/localcloud/dynalite");
        try (FunctionGround ground = new FunctionGround(dynalite, work);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch go = new CountDownLatch(1);
            List<Future<APIGatewayV2HTTPResponse>> answers = new ArrayList<>();
            for (int i = 1; i <= CALLERS; i++) {
                String call = "CA%032d".formatted(i);
                answers.add(callers.submit(() -> {
                    go.await();
                    // A function of its own for each, as Lambda has it: clients, connections and copies are new.
                    try (Functions cold = Functions.from(ground.environment(), entry -> {})) {
                        return new FallbackHandler(cold)
                                .handleRequest(
                                        Play.webhook(
                                                "/twilio/fallback/acme",
                                                Map.of("CallSid", call, "ErrorCode", "11217", "CallStatus", "ringing")),
                                        null);
                    }
                }));
            }
            go.countDown();

            int streams = 0;
            for (Future<APIGatewayV2HTTPResponse> answer : answers) {
                assertThat(answer.get().getStatusCode()).isEqualTo(200);
                assertThat(answer.get().getBody()).contains("<Response>");
                streams += answer.get().getBody().contains("<Stream ") ? 1 : 0;
            }
            // Who is answered by the apology met the 3 s of the function's own time: here a hundred cold functions
            // share
            // the processor that each has to itself on Lambda.
            System.out.println(streams + " of " + CALLERS + " cold callers were connected, all were answered");
        }
    }
}
