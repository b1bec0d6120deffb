package dev.spillway.simulation.world;

import dev.spillway.media.call.Door.Entrance;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** How a stream comes into a container: by the one that the load balancer asks, or passed on once to its addressee. */
final class Upgrades {
    private static final long PATIENCE = 15_000_000;

    private final Ports ports;

    Upgrades(Ports ports) {
        this.ports = ports;
    }

    /**
     * @param first whom the load balancer asks; null if nobody is there
     * @return null if the stream is refused
     */
    @Nullable
    Conversation open(@Nullable MediaTask first, String path, PhoneCall call) {
        if (first == null || !first.isListening()) {
            return null;
        }
        Entrance entrance = entered(first, path, call);
        return switch (entrance) {
            case null -> null;
            case Entrance.Serve serve -> opened(first, null, serve, call);
            case Entrance.Refuse refuse -> {
                ports.trace().write(call.toString(), () -> first + " refuses its stream: " + refuse.reason());
                yield null;
            }
            case Entrance.Relay relay -> {
                MediaTask second = ports.tasks(first.pool()).stream()
                        .filter(task -> task.self().address().equals(relay.address()) && task.isListening())
                        .findFirst()
                        .orElse(null);
                Entrance there = second == null ? null : entered(second, relay.path(), call);
                if (second != null && there instanceof Entrance.Serve serve) {
                    yield opened(second, first, serve, call);
                }
                if (!first.process().isDead()) {
                    first.relayEnded();
                }
                yield null;
            }
        };
    }

    private @Nullable Conversation opened(
            MediaTask task, @Nullable MediaTask via, Entrance.Serve serve, PhoneCall call) {
        if (task.process().isDead() || (via != null && via.process().isDead())) {
            return null;
        }
        Conversation conversation = new Conversation(task, via, serve.seat(), serve.origin(), call);
        task.opened(conversation);
        return conversation;
    }

    private @Nullable Entrance entered(MediaTask task, String path, PhoneCall call) {
        CompletableFuture<Entrance> answer = task.process().owes(new CompletableFuture<>());
        ports.scheduler().spawn(task + " stream " + call, task.process(), 15_000, () -> {
            try {
                Entrance entrance = task.enter(path);
                if (!answer.complete(entrance)) {
                    abandoned(task, entrance);
                }
            } catch (RuntimeException e) {
                ports.laws().surprise(e);
            }
        });
        if (!ports.scheduler().await(answer, PATIENCE)) {
            answer.cancel(false); // whatever comes now comes too late
        }
        return answer.isCompletedExceptionally() ? null : answer.join();
    }

    /** Whoever wanted the stream has gone. */
    private static void abandoned(MediaTask task, Entrance entrance) {
        switch (entrance) {
            case Entrance.Refuse refuse -> {}
            case Entrance.Relay relay -> task.relayEnded();
            case Entrance.Serve serve -> task.unused(serve.seat());
        }
    }
}
