package dev.spillway.system.function;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;

/**
 * Notes each action that any client of the AWS SDK in this process asks for, as IAM names it, while somebody wants to know;
 * for a query of an index, the index as well.
 * The SDK finds it by a file on the class path, so that what is observed is not changed for it.
 */
public final class RecordedActions implements ExecutionInterceptor {
    private static final Map<String, String> PREFIXES =
            Map.of("DynamoDb", "dynamodb", "Ecs", "ecs", "EventBridge", "events", "SecretsManager", "secretsmanager");

    private static final Object LOCK = new Object();

    /** Longer than anything that is held back should take, once it may go on. */
    private static final long PATIENCE_MILLIS = 10_000;

    /** Null while nobody wants to know. */
    private static @Nullable List<String> seen;

    /** What has to wait; null if nothing has. */
    private static @Nullable String held;

    /** For the SDK. */
    public RecordedActions() {}

    /** Something that may throw. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /** What was asked for while the work was done, in order; nobody else may ask meanwhile. */
    static List<String> during(Work work) throws Exception {
        synchronized (LOCK) {
            seen = new ArrayList<>();
        }
        try {
            work.run();
            return soFar();
        } finally {
            synchronized (LOCK) {
                seen = null;
            }
        }
    }

    /**
     * @param before what was asked for until the work was done
     * @param after what was asked for then, up to and with the first of what was held back
     */
    record Held(List<String> before, List<String> after) {}

    /** As {@link #during}, but an action of that name is let go only when the work is done; there has to be one. */
    static Held holding(String action, Work work) throws Exception {
        synchronized (LOCK) {
            seen = new ArrayList<>();
            held = action;
        }
        try {
            work.run();
            synchronized (LOCK) {
                List<String> before = List.copyOf(soFar());
                held = null;
                LOCK.notifyAll();
                long end = System.currentTimeMillis() + PATIENCE_MILLIS;
                while (!soFar().contains(action)) {
                    long left = end - System.currentTimeMillis();
                    if (left <= 0) {
                        throw new IllegalStateException("nobody asked for " + action);
                    }
                    LOCK.wait(left);
                }
                List<String> all = soFar();
                return new Held(before, all.subList(before.size(), all.indexOf(action) + 1));
            }
        } finally {
            synchronized (LOCK) {
                seen = null;
                held = null;
                LOCK.notifyAll();
            }
        }
    }

    /** Does something meanwhile that is not meant. */
    static void aside(Work work) throws Exception {
        List<String> before = soFar();
        work.run();
        synchronized (LOCK) {
            seen = new ArrayList<>(before);
        }
    }

    static SequencedSet<String> distinct(List<String> actions) {
        return new TreeSet<>(actions);
    }

    private static List<String> soFar() {
        synchronized (LOCK) {
            return seen == null ? List.of() : List.copyOf(seen);
        }
    }

    /** An index is a resource of its own to IAM. */
    private static String index(SdkRequest request) {
        return request.getValueForField("IndexName", String.class)
                .map(name -> " " + name)
                .orElse("");
    }

    @Override
    public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
        String service = attributes.getAttribute(SdkExecutionAttribute.SERVICE_NAME);
        String operation = attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME);
        String action = PREFIXES.getOrDefault(String.valueOf(service).replace(" ", ""), String.valueOf(service)) + ":"
                + operation + index(context.request());
        synchronized (LOCK) {
            awaitRelease(action);
            if (seen != null && !isHeartbeat(context.request())) {
                seen.add(action);
                LOCK.notifyAll();
            }
        }
    }

    private static void awaitRelease(String action) {
        try {
            while (action.equals(held)) {
                LOCK.wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A container's, which belongs to no path of a call. */
    private static boolean isHeartbeat(SdkRequest request) {
        return request.getValueForField("UpdateExpression", String.class)
                .filter(expression -> expression.startsWith("SET #report = "))
                .isPresent();
    }
}
