package dev.spillway.system.function;

import dev.spillway.core.pool.PoolId;
import dev.spillway.lambda.CallStatusHandler;
import dev.spillway.lambda.ContinueHandler;
import dev.spillway.lambda.HandOffHandler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How often each path of a call asks the table. */
final class PathCosts {
    private static final List<String> READS =
            List.of("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:Query attempts");
    private static final List<String> WRITES =
            List.of("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem");

    private PathCosts() {}

    /** Requests to the table. */
    record Requests(long reads, long writes) {
        static Requests of(List<String> actions) {
            return new Requests(
                    actions.stream().filter(READS::contains).count(),
                    actions.stream().filter(WRITES::contains).count());
        }

        @Override
        public String toString() {
            return reads + " reads, " + writes + " writes";
        }
    }

    /** For a play whose functions have answered one call already, so that they have their copies. */
    static Map<String, Requests> of(Play play) throws Exception {
        String call = "CA%032d".formatted(2);
        Map<String, Requests> costs = new LinkedHashMap<>();
        costs.put("overflow (budget: 2 reads, 3 writes)", during(() -> play.fallback(call)));
        ContinueHandler continued = new ContinueHandler(play.functions());
        play.ground().ready(PoolId.of(FunctionGround.ACME), "acme-1");
        costs.put(
                "hand-off of two held calls",
                during(() -> Play.ask(
                        new HandOffHandler(play.functions()),
                        Play.announced("ContainerReady", Map.of("pool", "acme", "container", "acme-1")))));
        costs.put(
                "continue, to the slot that was offered",
                during(() -> continued.handleRequest(
                        Play.webhook("/twilio/continue/acme/1", Map.of("CallSid", call)), null)));
        costs.put(
                "the same once more",
                during(() -> continued.handleRequest(
                        Play.webhook("/twilio/continue/acme/1", Map.of("CallSid", call)), null)));
        costs.put(
                "final status",
                during(() -> new CallStatusHandler(play.functions())
                        .handleRequest(
                                Play.webhook(
                                        "/twilio/status/acme/2", Map.of("CallSid", call, "CallStatus", "completed")),
                                null)));
        return costs;
    }

    private static Requests during(RecordedActions.Work work) throws Exception {
        return Requests.of(RecordedActions.during(work));
    }
}
