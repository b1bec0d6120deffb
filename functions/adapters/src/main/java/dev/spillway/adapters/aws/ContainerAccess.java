package dev.spillway.adapters.aws;

import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.TenantId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Each AWS action that a media container uses, by the pool that it is of. The infrastructure writes the task roles from it
 * and grants nothing else; a test runs containers and compares what they asked of AWS with it.
 */
public final class ContainerAccess {
    private static final String GET = "dynamodb:GetItem";
    private static final String PUT = "dynamodb:PutItem";
    private static final String QUERY = "dynamodb:Query";
    private static final String UPDATE = "dynamodb:UpdateItem";

    /** What it announces. */
    public static final String PUBLISH = "events:PutEvents";

    /** Its tenant's Twilio token, and no other secret. */
    public static final String SECRET = "secretsmanager:GetSecretValue";

    /** The ECS agent asks for them in the task's name (Task scale-in protection endpoint, "Considerations"). */
    public static final List<String> PROTECTION = List.of("ecs:GetTaskProtection", "ecs:UpdateTaskProtection");

    private final Map<String, List<String>> table;
    private final List<String> others;

    private ContainerAccess(Map<String, List<String>> table, List<String> others) {
        this.table = table;
        this.others = others;
    }

    public static ContainerAccess of(PoolId pool) {
        return pool.tenant().map(ContainerAccess::ofTenant).orElseGet(ContainerAccess::ofGateway);
    }

    /** A tenant's containers reach that tenant's keys, and no others. */
    private static ContainerAccess ofTenant(TenantId tenant) {
        Map<String, List<String>> table = new LinkedHashMap<>();
        table.put(tenant + "#pool", List.of(GET, PUT, QUERY, UPDATE));
        table.put(tenant + "#call#*", List.of(GET, PUT, UPDATE));
        return new ContainerAccess(table, List.of(PUBLISH, SECRET));
    }

    /**
     * The gateway answers for everybody: it reads every tenant, writes their calls, and gives back slots that were offered to
     * them.
     */
    private static ContainerAccess ofGateway() {
        Map<String, List<String>> table = new LinkedHashMap<>();
        table.put("gateway#pool", List.of(GET, PUT, QUERY, UPDATE));
        table.put("spillway#tenants", List.of(QUERY));
        table.put("*#pool", List.of(GET, UPDATE));
        table.put("*#call#*", List.of(GET, PUT, UPDATE));
        return new ContainerAccess(table, List.of(PUBLISH));
    }

    /** What it does with the table, by the partition keys of the items; {@code *} stands for any text. Narrower ones first. */
    public Map<String, List<String>> table() {
        return table;
    }

    /** Actions on anything but the table and its own task. */
    public List<String> others() {
        return others;
    }

    /** All but {@link #PROTECTION}, in order; what is done with the table has the keys after a blank. */
    public List<String> actions() {
        List<String> all = new ArrayList<>(others);
        table.forEach((keys, actions) -> actions.forEach(action -> all.add(action + " " + keys)));
        return all.stream().sorted().toList();
    }
}
