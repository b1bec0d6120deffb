package dev.spillway.system.function;

import dev.spillway.core.pool.PoolId;
import dev.spillway.system.function.PathCosts.Requests;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a call asks of the table that comes straight to a container with a free slot. */
final class DirectPath {
    private DirectPath() {}

    /** Of a container that has answered one call already, and so has its copies of tenant and token. */
    static Map<String, Requests> costs(FunctionGround ground) throws Exception {
        try (LoneContainer container = new LoneContainer(ground, PoolId.of(FunctionGround.ACME), Map.of())) {
            container.call("CA%032d".formatted(11));
            RecordedActions.Held asked =
                    RecordedActions.holding("dynamodb:PutItem", () -> container.call("CA%032d".formatted(12)));
            Map<String, Requests> costs = new LinkedHashMap<>();
            costs.put("direct (budget: 1 write)", Requests.of(asked.before()));
            costs.put("its copy, once TwiML has been answered", Requests.of(asked.after()));
            return costs;
        }
    }
}
