package dev.spillway.system.function;

import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeSet;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;

/**
 * Notes each action that any client of the AWS SDK in this process asks for, as IAM names it. The SDK finds it by a file on
 * the class path, so that what is tested is not changed for it.
 */
public final class RecordedActions implements ExecutionInterceptor {
    private static final Map<String, String> PREFIXES = Map.of(
            "DynamoDb", "dynamodb", "ECS", "ecs", "EventBridge", "events", "Secrets Manager", "secretsmanager");

    private static final SequencedSet<String> SEEN = new TreeSet<>();

    /** For the SDK. */
    public RecordedActions() {}

    /** Something that may throw. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /** What was asked for while the work was done; nobody else may ask meanwhile. */
    static synchronized SequencedSet<String> during(Work work) throws Exception {
        synchronized (SEEN) {
            SEEN.clear();
        }
        work.run();
        synchronized (SEEN) {
            return new TreeSet<>(SEEN);
        }
    }

    /** What was seen so far; what follows is not meant. */
    static SequencedSet<String> pause() {
        synchronized (SEEN) {
            return new TreeSet<>(SEEN);
        }
    }

    /** Forgets what was seen since the pause. */
    static void resume(SequencedSet<String> before) {
        synchronized (SEEN) {
            SEEN.clear();
            SEEN.addAll(before);
        }
    }

    @Override
    public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
        String service = attributes.getAttribute(SdkExecutionAttribute.SERVICE_NAME);
        String operation = attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME);
        synchronized (SEEN) {
            SEEN.add(PREFIXES.getOrDefault(service, service) + ":" + operation);
        }
    }
}
