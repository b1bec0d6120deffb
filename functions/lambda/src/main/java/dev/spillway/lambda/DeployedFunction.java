package dev.spillway.lambda;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Every function that is deployed: its name, its handler, what invokes it besides HTTP (see {@link HttpFunction}), and each AWS action that it uses.
 * The infrastructure writes the policies from this table and grants nothing else; a test runs the functions and compares
 * what they asked of AWS with it.
 */
public enum DeployedFunction {
    FALLBACK("fallback", FallbackHandler.class, false, List.of(), Use.ANSWER),
    CONTINUE("continue", ContinueHandler.class, false, List.of(), Use.ANSWER),
    CALL_STATUS(
            "call-status",
            CallStatusHandler.class,
            false,
            List.of(),
            List.of(Use.GET, Use.PUT, Use.UPDATE, Use.PUBLISH, Use.SECRET)),
    STREAM_STATUS("stream-status", StreamStatusHandler.class, false, List.of(), List.of(Use.GET, Use.SECRET)),
    DIAL("dial", DialHandler.class, false, List.of(), List.of(Use.GET, Use.PUT, Use.QUERY, Use.UPDATE, Use.SECRET)),
    OUTBOUND_STATUS(
            "outbound-status",
            OutboundStatusHandler.class,
            false,
            List.of(),
            List.of(Use.GET, Use.PUT, Use.UPDATE, Use.PUBLISH, Use.SECRET)),
    CALLS("calls", CallsHandler.class, false, List.of(), List.of(Use.GET, Use.PUT, Use.QUERY, Use.PUBLISH, Use.SECRET)),
    POOL_STATUS(
            "pool-status",
            PoolStatusHandler.class,
            false,
            List.of(),
            List.of(Use.GET, Use.QUERY, Use.DESCRIBE_SERVICES, Use.LIST_TASKS, Use.DESCRIBE_TASKS)),
    ATTEMPTS("attempts", AttemptsHandler.class, false, List.of(), List.of(Use.GET_MANY, Use.GET, Use.QUERY_ATTEMPTS)),
    ORDERS("orders", OrdersHandler.class, false, List.of(), Use.and(Use.GROW, Use.GET, Use.PUT)),
    USAGE("usage", UsageHandler.class, false, List.of(), List.of(Use.GET_MANY, Use.GET, Use.QUERY, Use.QUERY_ATTEMPTS)),
    CONSOLE(
            "console",
            ConsoleHandler.class,
            false,
            List.of(),
            List.of(Use.GET_MANY, Use.GET, Use.QUERY, Use.QUERY_ATTEMPTS)),
    OVERFLOW_SCALER(
            "overflow-scaler", OverflowScalerHandler.class, false, List.of("CallOverflowed", "SlotsTaken"), Use.GROW),
    GATEWAY_SCALER(
            "gateway-scaler",
            GatewayScalerHandler.class,
            true,
            List.of("CallOverflowed"),
            List.of(Use.QUERY, Use.UPDATE, Use.UPDATE_SERVICE)),
    HAND_OFF(
            "hand-off",
            HandOffHandler.class,
            false,
            List.of("ContainerReady", "SlotFreed"),
            Use.and(Use.GROW, Use.GET)),
    IDLE_SWEEPER(
            "idle-sweeper",
            IdleSweeperHandler.class,
            true,
            List.of("ContainerDrained"),
            Use.and(Use.GROW, Use.DESCRIBE_SERVICES)),
    ZOMBIE_RECONCILER(
            "zombie-reconciler",
            ZombieReconcilerHandler.class,
            true,
            List.of("StreamSilent"),
            Use.and(
                    Use.GROW,
                    Use.DELETE,
                    Use.GET,
                    Use.PUT,
                    Use.QUERY_ATTEMPTS,
                    Use.SECRET,
                    Use.DESCRIBE_SERVICES,
                    Use.DESCRIBE_TASKS,
                    Use.LIST_TASKS)),
    DIALER(
            "dialer",
            DialerHandler.class,
            true,
            List.of("JobsWaiting", "ContainerReady", "SlotFreed"),
            Use.and(Use.GROW, Use.DELETE, Use.GET, Use.PUT, Use.SECRET)),
    REGISTRATION(
            "registration",
            RegistrationHandler.class,
            false,
            List.of(),
            List.of(Use.DELETE, Use.PUT, Use.UPDATE, Use.SECRET, Use.PUT_SECRET));

    /** The actions, and those that usually come together. */
    private static final class Use {
        static final String GET = "dynamodb:GetItem";
        static final String GET_MANY = "dynamodb:BatchGetItem";
        static final String PUT = "dynamodb:PutItem";
        static final String UPDATE = "dynamodb:UpdateItem";
        static final String DELETE = "dynamodb:DeleteItem";
        static final String QUERY = "dynamodb:Query";
        static final String QUERY_ATTEMPTS = "dynamodb:Query attempts";
        static final String SECRET = "secretsmanager:GetSecretValue";
        static final String PUT_SECRET = "secretsmanager:PutSecretValue";
        static final String PUBLISH = "events:PutEvents";
        static final String DESCRIBE_SERVICES = "ecs:DescribeServices";
        static final String DESCRIBE_TASKS = "ecs:DescribeTasks";
        static final String LIST_TASKS = "ecs:ListTasks";
        static final String UPDATE_SERVICE = "ecs:UpdateService";

        static final List<String> ANSWER = List.of(GET, PUT, QUERY, UPDATE, PUBLISH, SECRET);
        static final List<String> GROW = List.of(QUERY, UPDATE, PUBLISH, UPDATE_SERVICE);

        private Use() {}

        static List<String> and(List<String> some, String... more) {
            return Stream.concat(some.stream(), Stream.of(more)).toList();
        }
    }

    private final String id;
    private final Class<?> handler;
    private final boolean everyMinute;

    @SuppressWarnings("ImmutableEnumChecker") // a copy that nobody can change
    private final List<String> announcements;

    @SuppressWarnings("ImmutableEnumChecker")
    private final List<String> actions;

    DeployedFunction(
            String id, Class<?> handler, boolean everyMinute, List<String> announcements, List<String> actions) {
        this.id = id;
        this.handler = handler;
        this.everyMinute = everyMinute;
        this.announcements = List.copyOf(announcements);
        this.actions = actions.stream().distinct().sorted().toList();
    }

    /** Its name within a deployment, in logs and in metrics. */
    public String id() {
        return id;
    }

    /** As Lambda is told it. */
    public String handler() {
        return handler.getName() + "::handleRequest";
    }

    public boolean everyMinute() {
        return everyMinute;
    }

    /** The detail types of our own events that invoke it. */
    public List<String> announcements() {
        return announcements;
    }

    /** In alphabetical order. What is asked of an index of the table has the index's name after a blank. */
    public List<String> actions() {
        return actions;
    }

    public static Optional<DeployedFunction> find(String id) {
        return Arrays.stream(values())
                .filter(function -> function.id.equals(id))
                .findFirst();
    }
}
