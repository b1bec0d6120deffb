package dev.spillway.lambda.log;

import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.helpers.ThreadLocalMapOfStacks;
import org.slf4j.spi.MDCAdapter;

/**
 * The fields of every line of a thread. Threads do not inherit them: clients' own threads outlive the request in which they
 * were begun, and would go on naming it.
 */
final class LogContext implements MDCAdapter {
    private final ThreadLocal<Map<String, String>> fields = ThreadLocal.withInitial(HashMap::new);
    private final ThreadLocalMapOfStacks stacks = new ThreadLocalMapOfStacks();

    @Override
    public void put(String name, @Nullable String value) {
        fields.get().put(name, String.valueOf(value));
    }

    @Override
    public @Nullable String get(String name) {
        return fields.get().get(name);
    }

    @Override
    public void remove(String name) {
        fields.get().remove(name);
    }

    @Override
    public void clear() {
        fields.remove();
    }

    @Override
    public Map<String, String> getCopyOfContextMap() {
        return new HashMap<>(fields.get());
    }

    @Override
    public void setContextMap(Map<String, String> all) {
        fields.set(new HashMap<>(all));
    }

    @Override
    public void pushByKey(String name, String value) {
        stacks.pushByKey(name, value);
    }

    @Override
    public @Nullable String popByKey(String name) {
        return stacks.popByKey(name);
    }

    @Override
    public @Nullable Deque<String> getCopyOfDequeByKey(String name) {
        return stacks.getCopyOfDequeByKey(name);
    }

    @Override
    public void clearDequeByKey(String name) {
        stacks.clearDequeByKey(name);
    }
}
