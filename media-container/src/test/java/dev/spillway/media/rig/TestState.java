package dev.spillway.media.rig;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Where a bot is asked for a call's conversation, and given it. */
public final class TestState implements AutoCloseable {
    private final HttpServer server;
    private final List<String> put = new CopyOnWriteArrayList<>();
    private volatile boolean refusing;
    private volatile boolean stalling;
    private volatile boolean stallingPuts;
    private volatile String state;

    /** @param state what it has of every call */
    public TestState(String state) {
        this.state = state;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/calls/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (refusing) {
                exchange.sendResponseHeaders(500, -1);
            } else if (exchange.getRequestMethod().equals("PUT")) {
                if (stallingPuts) {
                    return; // and leaves the connection as it is
                }
                put.add(exchange.getRequestURI().getPath() + " " + body);
                exchange.sendResponseHeaders(204, -1);
            } else {
                byte[] bytes = this.state.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, bytes.length);
                if (stalling) {
                    exchange.getResponseBody().flush();
                    return; // and leaves the connection as it is
                }
                exchange.getResponseBody().write(bytes);
            }
            exchange.close();
        });
        server.start();
    }

    /** Sends headers and then nothing. */
    public TestState stall() {
        stalling = true;
        return this;
    }

    /** Takes what is put, and answers nothing. */
    public TestState stallPuts() {
        stallingPuts = true;
        return this;
    }

    public void refuse() {
        refusing = true;
    }

    public void accept() {
        refusing = false;
    }

    /** What it has from now on. */
    public void has(String later) {
        state = later;
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/calls");
    }

    /** Paths and bodies that were put. */
    public List<String> put() {
        return put;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
