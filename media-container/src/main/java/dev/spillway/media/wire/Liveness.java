package dev.spillway.media.wire;

import dev.spillway.core.DependencyException;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerId;
import dev.spillway.core.pool.Containers;
import dev.spillway.media.admission.Admission;
import dev.spillway.media.call.Patience;
import dev.spillway.media.call.Self;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Says whether a container lives: this one, or by asking it, another of the pool. Never asks on behalf of one that asks.
 *
 * <p>Anybody can ask, since the load balancer's rule knows the host only. So a question about another container is bounded:
 * {@link #MOST} at once here, and whoever comes beyond them is refused before it costs a thread, a connection to the table or
 * a request of another container. Of the table's 50 connections a flood then has {@link #MOST}, and heartbeats and claims have the rest.
 * While it lasts, a function's own question may be refused, too; it counts only if the container was silent before.
 *
 * <p>A MAC under the pool's key would keep strangers out altogether. But functions are deployed before containers are: for as long as
 * the longest call, those of the version before would not know the signed path, and to whoever asks, their 404 means that the
 * container is dead.
 */
public final class Liveness {
    /** Marks a question that was passed on once. */
    static final String RELAYED = "x-spillway-relayed";

    /** Functions ask about one container after the other, and about few at a time. A guess. */
    static final int MOST = 4;

    private static final int MILLIS = 2_000;
    private static final int LONGEST_BODY = 4_096;

    private final Self self;
    private final Admission admission;
    private final Containers containers;
    private final Patience patience;
    private final Semaphore free = new Semaphore(MOST);

    public Liveness(Self self, Admission admission, Containers containers, Patience patience) {
        this.self = self;
        this.admission = admission;
        this.containers = containers;
        this.patience = patience;
    }

    /** @param body JSON with the container's id */
    record Answer(int status, String body) {}

    Answer own() {
        return new Answer(
                200,
                "{\"pool\":\"" + self.pool() + "\",\"container\":\"" + self.id() + "\",\"accepting\":"
                        + admission.isAccepting() + "}");
    }

    /** @param answered told at once, or on another thread */
    void of(String id, boolean relayed, Consumer<Answer> answered) {
        Optional<ContainerId> wanted = ContainerId.parse(id);
        if (wanted.isPresent() && wanted.get().equals(self.id())) {
            answered.accept(own());
        } else if (wanted.isEmpty() || relayed) {
            answered.accept(new Answer(404, "{}"));
        } else if (free.tryAcquire()) {
            patience.later(() -> {
                Answer answer = new Answer(504, "{}");
                try {
                    answer = other(wanted.get());
                } finally {
                    free.release();
                    answered.accept(answer);
                }
            });
        } else {
            answered.accept(new Answer(503, "{}"));
        }
    }

    private Answer other(ContainerId wanted) {
        try {
            Optional<Container> found = patience.ask("table", () -> containers.find(self.pool(), wanted));
            return found.isPresent() ? ask(found.get()) : new Answer(404, "{}");
        } catch (DependencyException | IOException e) {
            return new Answer(504, "{}");
        }
    }

    private static Answer ask(Container other) throws IOException {
        URI uri = URI.create("http://" + other.address() + "/live/" + other.id());
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setConnectTimeout(MILLIS);
        connection.setReadTimeout(MILLIS);
        connection.setRequestProperty(RELAYED, "1");
        connection.setRequestProperty("Connection", "close");
        try {
            if (connection.getResponseCode() != 200) {
                return new Answer(504, "{}");
            }
            try (var body = connection.getInputStream()) {
                return new Answer(200, new String(body.readNBytes(LONGEST_BODY), StandardCharsets.UTF_8));
            }
        } finally {
            connection.disconnect();
        }
    }
}
