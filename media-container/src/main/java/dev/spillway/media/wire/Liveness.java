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

/** Says whether a container lives: this one, or by asking it, another of the pool. Never asks on behalf of one that asks. */
public final class Liveness {
    /** Marks a question that was passed on once. */
    static final String RELAYED = "x-spillway-relayed";

    private static final int MILLIS = 2_000;
    private static final int LONGEST_BODY = 4_096;

    private final Self self;
    private final Admission admission;
    private final Containers containers;
    private final Patience patience;

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

    /** May block. */
    Answer of(String id, boolean relayed) {
        Optional<ContainerId> wanted = ContainerId.parse(id);
        if (wanted.isPresent() && wanted.get().equals(self.id())) {
            return own();
        }
        if (wanted.isEmpty() || relayed) {
            return new Answer(404, "{}");
        }
        try {
            Optional<Container> found = patience.ask("table", () -> containers.find(self.pool(), wanted.get()));
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
