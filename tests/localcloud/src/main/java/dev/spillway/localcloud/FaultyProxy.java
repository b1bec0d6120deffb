package dev.spillway.localcloud;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * A TCP proxy on loopback that can be told to misbehave while it runs. It keeps its port through every mode. Bytes held
 * back by {@link Stall} are never delivered: leaving that mode closes every connection.
 */
public final class FaultyProxy implements AutoCloseable {

    /** How the proxy treats connections. */
    public sealed interface Mode permits Pass, Down, Slow, Stall {}

    /** Everything passes at once. */
    public record Pass() implements Mode {}

    /** New connections are refused; the existing ones are closed. */
    public record Down() implements Mode {}

    /** Each chunk towards the server waits for {@code delay}; answers pass at once. */
    public record Slow(Duration delay) implements Mode {
        public Slow {
            if (delay.isNegative()) {
                throw new IllegalArgumentException("delay is " + delay + ", must not be negative");
            }
        }
    }

    /** Connections are accepted and nothing is ever answered. */
    public record Stall() implements Mode {}

    public static final Mode PASS = new Pass();
    public static final Mode DOWN = new Down();
    public static final Mode STALL = new Stall();

    private static final int CHUNK_BYTES = 16 * 1024;
    private static final int BACKLOG = 256;

    private final String name;
    private final InetSocketAddress upstream;
    private final int port;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private ServerSocket listener;
    private volatile Mode mode = PASS;

    /** Listens on a free loopback port in front of {@code upstreamPort} on loopback. */
    public FaultyProxy(String name, int upstreamPort) {
        this.name = name;
        this.upstream = new InetSocketAddress(InetAddress.getLoopbackAddress(), upstreamPort);
        this.listener = listen(0);
        this.port = listener.getLocalPort();
    }

    public String name() {
        return name;
    }

    public int port() {
        return port;
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    public Mode mode() {
        return mode;
    }

    /** The remote ports of the client connections that the proxy believes to be open. */
    public Set<Integer> connectedPorts() {
        return links.stream().map(link -> link.client.getPort()).collect(Collectors.toSet());
    }

    /** Changes the behaviour of new and existing connections from now on. */
    public synchronized void become(Mode next) {
        Mode before = mode;
        mode = next;
        if (next instanceof Down) {
            close(listener);
        }
        if (next instanceof Down || before instanceof Stall) {
            links.forEach(Link::close);
        }
        if (before instanceof Down && !(next instanceof Down)) {
            listener = listen(port);
        }
    }

    @Override
    public synchronized void close() {
        mode = DOWN;
        close(listener);
        links.forEach(Link::close);
    }

    private ServerSocket listen(int onPort) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), onPort), BACKLOG);
            Thread.ofVirtual().name(name + "-accept").start(() -> accept(socket));
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException("proxy " + name + " cannot listen on port " + onPort, e);
        }
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                new Link(socket.accept()).open();
            } catch (IOException e) {
                // Closed by a change of mode, or the client was gone before we got to it.
            }
        }
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            // It counts as closed all the same.
        }
    }

    /** One client connection with its connection to the server. */
    private final class Link {
        private final Socket client;
        private final Socket server = new Socket();

        Link(Socket client) {
            this.client = client;
        }

        void open() {
            links.add(this);
            if (mode instanceof Down) {
                close();
                return;
            }
            Thread.ofVirtual().name(name + "-link").start(this::run);
        }

        private void run() {
            try {
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                server.connect(upstream);
                Thread answers = Thread.ofVirtual().start(() -> pump(server, client, false));
                pump(client, server, true);
                answers.join();
            } catch (IOException e) {
                close();
            } catch (InterruptedException e) {
                close();
                Thread.currentThread().interrupt();
            }
        }

        private void pump(Socket from, Socket to, boolean request) {
            byte[] chunk = new byte[CHUNK_BYTES];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                    if (passes(request)) {
                        out.write(chunk, 0, read);
                    }
                }
            } catch (IOException e) {
                // Either side closed; so does the other.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            close();
        }

        private boolean passes(boolean request) throws InterruptedException {
            return switch (mode) {
                case Pass() -> true;
                case Slow(Duration delay) -> {
                    if (request) {
                        Thread.sleep(delay);
                    }
                    yield !(mode instanceof Stall);
                }
                case Down(), Stall() -> false;
            };
        }

        void close() {
            links.remove(this);
            FaultyProxy.close(client);
            FaultyProxy.close(server);
        }
    }
}
