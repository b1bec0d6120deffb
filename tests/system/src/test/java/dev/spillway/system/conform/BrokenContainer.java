package dev.spillway.system.conform;

import dev.spillway.core.Timing;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.Report;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.eventbridge.EventBridgeClient;
import software.amazon.awssdk.services.eventbridge.model.PutEventsRequest;
import software.amazon.awssdk.services.eventbridge.model.PutEventsRequestEntry;
import software.amazon.awssdk.services.eventbridge.model.PutEventsResponse;

/** Our container with one rule broken: what it is told, writes or reads is bent, or somebody at its door answers in its place. */
final class BrokenContainer {
    private final String rule;
    private final String found;
    private UnaryOperator<Map<String, String>> environment = given -> given;
    private UnaryOperator<Timing> timing = given -> given;
    private UnaryOperator<Containers> containers = real -> real;
    private UnaryOperator<DynamoDbClient> table = real -> real;
    private UnaryOperator<EventBridgeClient> bus = real -> real;
    private Function<String, Optional<String>> door = request -> Optional.empty();
    private int exitCode;

    /**
     * @param rule empty for a container that keeps all of them
     * @param found a part of what the conformance test has to find
     */
    BrokenContainer(String rule, String found) {
        this.rule = rule;
        this.found = found;
    }

    /** What one method of a port, or of a client, does instead. */
    @FunctionalInterface
    interface Instead<T> {
        Object of(T real, Object[] arguments) throws Exception;
    }

    static <T> UnaryOperator<T> method(Class<T> type, String name, Instead<T> instead) {
        return real -> type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, called, given) -> {
                    try {
                        return called.getName().equals(name) ? instead.of(real, given) : called.invoke(real, given);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                }));
    }

    /** One method of the table's port for containers does something else. */
    BrokenContainer writing(String name, Instead<Containers> instead) {
        containers = method(Containers.class, name, instead);
        return this;
    }

    /** It reads something else in its heartbeat's answer. */
    BrokenContainer reading(UnaryOperator<Container> misread) {
        return writing(
                "heartbeat",
                (real, arguments) -> real.heartbeat(
                                (PoolId) arguments[0],
                                (ContainerId) arguments[1],
                                (String) arguments[2],
                                (Report) arguments[3],
                                (Instant) arguments[4],
                                (Instant) arguments[5])
                        .map(misread));
    }

    /** What it puts into the table with the one attribute is without the other. */
    BrokenContainer without(String attribute, String having) {
        table = method(DynamoDbClient.class, "putItem", (real, arguments) -> {
            PutItemRequest request = (PutItemRequest) arguments[0];
            Map<String, AttributeValue> item = new HashMap<>(request.item());
            if (item.containsKey(having)) {
                item.remove(attribute);
            }
            return real.putItem(request.toBuilder().item(item).build());
        });
        return this;
    }

    /** What it tells the bus of that type is something else, or nothing. */
    BrokenContainer telling(String type, Function<String, Optional<String>> detail) {
        bus = method(EventBridgeClient.class, "putEvents", (real, arguments) -> {
            PutEventsRequest request = (PutEventsRequest) arguments[0];
            PutEventsRequestEntry entry = request.entries().getFirst();
            if (!entry.detailType().equals(type)) {
                return real.putEvents(request);
            }
            Optional<String> bent = detail.apply(entry.detail());
            return bent.isEmpty()
                    ? PutEventsResponse.builder().failedEntryCount(0).build()
                    : real.putEvents(request.toBuilder()
                            .entries(entry.toBuilder().detail(bent.get()).build())
                            .build());
        });
        return this;
    }

    /** @param wrong the answer to a request; empty for one that is passed on */
    BrokenContainer atDoor(Function<String, Optional<String>> wrong) {
        door = wrong;
        return this;
    }

    BrokenContainer told(UnaryOperator<Map<String, String>> other) {
        environment = other;
        return this;
    }

    BrokenContainer told(String name, String value) {
        return told(given -> with(given, name, value));
    }

    static Map<String, String> with(Map<String, String> given, String name, String value) {
        Map<String, String> other = new HashMap<>(given);
        other.put(name, value);
        return other;
    }

    /** It waits that long for the end of a turn. */
    BrokenContainer waiting(Duration turnBoundary) {
        timing = usual -> new Timing(
                usual.heartbeat(),
                usual.heldHeartbeat(),
                usual.expiry(),
                usual.lostAfter(),
                usual.outageQuiet(),
                usual.coldStart(),
                usual.launchDeadline(),
                usual.idleWindow(),
                usual.scaleInLock(),
                usual.protection(),
                turnBoundary,
                usual.tokenLife(),
                usual.round());
        return this;
    }

    BrokenContainer exitingWith(int code) {
        exitCode = code;
        return this;
    }

    String rule() {
        return rule;
    }

    String found() {
        return found;
    }

    Map<String, String> environment(Map<String, String> given) {
        return environment.apply(given);
    }

    Timing timing(Timing given) {
        return timing.apply(given);
    }

    Containers containers(Containers real) {
        return containers.apply(real);
    }

    DynamoDbClient table(DynamoDbClient real) {
        return table.apply(real);
    }

    EventBridgeClient bus(EventBridgeClient real) {
        return bus.apply(real);
    }

    Function<String, Optional<String>> door() {
        return door;
    }

    int exitCode() {
        return exitCode;
    }

    @Override
    public String toString() {
        return rule + ": " + found;
    }
}
