package dev.spillway.system.function;

import dev.spillway.adapters.dynamodb.DynamoCalls;
import dev.spillway.core.call.CallSid;
import dev.spillway.core.pool.PoolId;
import dev.spillway.system.function.PathCosts.Requests;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a call asks of the table that comes straight to a container with a free slot. */
final class DirectPath {
    /** Longer than a write should take on any machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private DirectPath() {}

    /** Of a container that has answered one call already, and so has its copies of tenant and token. */
    static Map<String, Requests> costs(FunctionGround ground) throws Exception {
        try (LoneContainer container = new LoneContainer(ground, PoolId.of(FunctionGround.ACME), Map.of())) {
            String first = "CA%032d".formatted(11);
            container.call(first);
            awaitCopy(ground, new CallSid(first)); // else it may be taken for that of the next
            RecordedActions.Held asked =
                    RecordedActions.holding("dynamodb:PutItem", () -> container.call("CA%032d".formatted(12)));
            Map<String, Requests> costs = new LinkedHashMap<>();
            costs.put("direct (budget: 1 write)", Requests.of(asked.before()));
            costs.put("its copy, once TwiML has been answered", Requests.of(asked.after()));
            return costs;
        }
    }

    /** The copy of a call is written once its TwiML has been answered. */
    private static void awaitCopy(FunctionGround ground, CallSid sid) throws InterruptedException {
        DynamoCalls calls = new DynamoCalls(ground.clients().dynamoDb(), FunctionGround.TABLE);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (calls.find(FunctionGround.ACME, sid).isEmpty()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("the table has no copy of call " + sid.value());
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }
}
