package dev.spillway.localcloud;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Finds connections that a server still counts although the client's end is gone: no established socket of this host
 * goes from the counted remote port to the server. A connection that is just being closed may show up for a moment:
 * {@link #findLasting} waits for those to go. Linux only.
 */
public final class GhostConnections {

    /** A connection counted by {@code server}, from {@code clientPort}, that has no other end. */
    public record Ghost(String server, int clientPort) {}

    private record Watched(String name, int port, Supplier<Set<Integer>> counted) {}

    private record Socket(int localPort, int remotePort) {}

    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);
    private static final String ESTABLISHED = "01";
    private static final int LOCAL_ADDRESS = 1;
    private static final int REMOTE_ADDRESS = 2;
    private static final int STATE = 3;

    private final List<Watched> watched = new ArrayList<>();

    public GhostConnections watch(LocalHttpServer server) {
        return watch(server.name(), server.port(), server::connectedPorts);
    }

    public GhostConnections watch(FaultyProxy proxy) {
        return watch(proxy.name(), proxy.port(), proxy::connectedPorts);
    }

    public GhostConnections watch(EcsStandIn ecs) {
        ecs.servers().forEach(this::watch);
        return this;
    }

    public GhostConnections watch(LoadBalancer balancer, String targetGroup) {
        return watch(
                "load balancer " + targetGroup, balancer.port(targetGroup), () -> balancer.connectedPorts(targetGroup));
    }

    /** Watches any server that counts its connections by remote port. */
    public GhostConnections watch(String name, int port, Supplier<Set<Integer>> counted) {
        watched.add(new Watched(name, port, counted));
        return this;
    }

    /** The ghosts at this instant. */
    public List<Ghost> find() {
        // Counted first: whoever connects between the two looks is then in both or in none.
        List<Set<Integer>> counted =
                watched.stream().map(one -> Set.copyOf(one.counted().get())).toList();
        Set<Socket> established = established();
        List<Ghost> ghosts = new ArrayList<>();
        for (int i = 0; i < watched.size(); i++) {
            Watched server = watched.get(i);
            for (int clientPort : counted.get(i)) {
                if (!established.contains(new Socket(clientPort, server.port()))) {
                    ghosts.add(new Ghost(server.name(), clientPort));
                }
            }
        }
        return List.copyOf(ghosts);
    }

    /** The ghosts that are still there after {@code patience}; returns as soon as there is none. */
    public List<Ghost> findLasting(Duration patience) throws InterruptedException {
        Set<Ghost> lasting = new LinkedHashSet<>(find());
        long deadline = System.nanoTime() + patience.toNanos();
        while (!lasting.isEmpty() && System.nanoTime() < deadline) {
            Thread.sleep(LOOK_AGAIN);
            lasting.retainAll(find());
        }
        return List.copyOf(lasting);
    }

    private static Set<Socket> established() {
        Set<Socket> sockets = new HashSet<>();
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            Path path = Path.of(table);
            if (!Files.exists(path)) {
                continue;
            }
            try {
                Files.readAllLines(path, StandardCharsets.US_ASCII).stream()
                        .skip(1)
                        .map(line -> line.trim().split("\\s+"))
                        .filter(fields -> fields[STATE].equals(ESTABLISHED))
                        .forEach(fields ->
                                sockets.add(new Socket(port(fields[LOCAL_ADDRESS]), port(fields[REMOTE_ADDRESS]))));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + table, e);
            }
        }
        return sockets;
    }

    private static int port(String hexAddress) {
        return Integer.parseInt(hexAddress.substring(hexAddress.lastIndexOf(':') + 1), 16);
    }
}
