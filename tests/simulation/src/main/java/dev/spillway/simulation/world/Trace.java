package dev.spillway.simulation.world;

import dev.spillway.core.call.Call;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Report;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What happened, in words; written only when somebody will read it. Its hash tells whether two runs were the same. */
final class Trace {
    private static final int MOST = 200_000;

    private final boolean on;
    private final Deque<String> lines = new ArrayDeque<>();
    private @Nullable Scheduler scheduler;
    private long hash;

    Trace(boolean on) {
        this.on = on;
    }

    void timedBy(Scheduler source) {
        scheduler = source;
    }

    boolean isOn() {
        return on;
    }

    void write(String who, Supplier<String> words) {
        if (!on) {
            return;
        }
        long now = scheduler == null ? 0 : scheduler.now();
        String line = "%4d.%06d %-30s %s".formatted(now / 1_000_000, now % 1_000_000, who, words.get());
        hash = hash * 31 + Chance.hashed(line);
        lines.add(line);
        if (lines.size() > MOST) {
            lines.removeFirst();
        }
    }

    Journal journal(String who) {
        return entry -> write(who, () -> "* " + entry.event() + " " + new TreeMap<>(entry.fields()));
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    long hash() {
        return hash;
    }

    static String words(Class<?> type, Method method, Object[] arguments, @Nullable Object result) {
        StringBuilder text = new StringBuilder(type.getSimpleName())
                .append('.')
                .append(method.getName())
                .append('(');
        for (int i = 0; i < arguments.length; i++) {
            text.append(i == 0 ? "" : ", ").append(brief(arguments[i]));
        }
        return text.append(") -> ").append(brief(result)).toString();
    }

    private static String brief(@Nullable Object value) {
        return switch (value) {
            case null -> "-";
            case byte[] bytes -> bytes.length + " bytes";
            case Optional<?> optional -> optional.map(Trace::brief).orElse("none");
            case PoolView view ->
                view.pool().id() + "{desired " + view.pool().desired() + " "
                        + view.containers().stream().map(Trace::brief).toList() + "}";
            case Container container -> container.id() + ":" + container.state() + claims(container);
            case Call call ->
                "call " + tail(call.sid().value()) + " at hop " + call.hop() + " (connected " + call.connectedHop()
                        + ") " + call.current().map(Object::toString).orElse("nowhere")
                        + (call.offer() == null ? "" : " " + call.offer()) + (call.finished() ? " finished" : "")
                        + (call.outcome() == null ? "" : " " + call.outcome());
            case Report report ->
                report.setups() + " setups " + report.live() + " live " + report.relays() + " relays "
                        + report.cleanup() + " cleanup";
            default -> {
                String text = value.toString();
                yield text.length() > 160 ? text.substring(0, 160) + "…" : text;
            }
        };
    }

    private static Map<String, String> claims(Container container) {
        Map<String, String> words = new TreeMap<>();
        container
                .claims()
                .forEach((key, claim) -> words.put(
                        tail(key.value()),
                        claim.phase() + " " + claim.generation().hop()));
        return words;
    }

    private static String tail(String text) {
        return text.substring(Math.max(0, text.length() - 4));
    }
}
