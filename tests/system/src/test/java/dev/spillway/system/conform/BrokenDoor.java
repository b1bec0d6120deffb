package dev.spillway.system.conform;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Stands before a container and answers some requests in its place, wrongly. */
final class BrokenDoor implements AutoCloseable {
    private static final Pattern KEY = Pattern.compile("(?i)Sec-WebSocket-Key: *([^\r\n]+)");
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\nContent-Length: *([0-9]+)");

    private final ServerSocket listener = listening();
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final URI container;
    private final Function<String, Optional<String>> instead;

    /** @param instead the answer to a request; none to pass it on, an empty one to say nothing */
    BrokenDoor(URI container, Function<String, Optional<String>> instead) {
        this.container = container;
        this.instead = instead;
        workers.execute(this::accept);
    }

    private static ServerSocket listening() {
        try {
            return new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    static String answer(int status, String type, String body) {
        return "HTTP/1.1 " + status + " x\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length()
                + "\r\nConnection: close\r\n\r\n" + body;
    }

    /** Lets anybody in. */
    static String upgrade(String head) {
        Matcher key = KEY.matcher(head);
        if (!key.find()) {
            throw new AssertionError("no handshake: " + head);
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1")
                    .digest((key.group(1).strip() + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
                            .getBytes(StandardCharsets.US_ASCII));
            return "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                    + Base64.getEncoder().encodeToString(digest) + "\r\n\r\n";
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket caller = listener.accept();
                workers.execute(() -> serve(caller));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket caller) {
        try (caller) {
            String request = request(caller.getInputStream());
            Optional<String> wrong = instead.apply(request);
            if (wrong.isPresent()) {
                caller.getOutputStream().write(wrong.get().getBytes(StandardCharsets.US_ASCII));
                if (!wrong.get().isEmpty() && !wrong.get().startsWith("HTTP/1.1 101")) {
                    caller.shutdownOutput();
                }
                caller.getInputStream().transferTo(OutputStream.nullOutputStream());
                return;
            }
            try (Socket there = new Socket(container.getHost(), container.getPort())) {
                // One request for each connection: the next one is looked at, too.
                String once = request.toLowerCase(Locale.ROOT).contains("upgrade: websocket")
                        ? request
                        : request.replaceFirst("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
                there.getOutputStream().write(once.getBytes(StandardCharsets.US_ASCII));
                workers.execute(() -> pass(caller, there));
                pass(there, caller);
            }
        } catch (IOException e) {
            // one of the two has gone
        }
    }

    private static void pass(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // one of the two has gone
        }
    }

    /** Head and body. */
    private static String request(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no request");
            }
            head.write(next);
        }
        Matcher length = LENGTH.matcher(head.toString(StandardCharsets.US_ASCII));
        if (length.find()) {
            head.write(in.readNBytes(Integer.parseInt(length.group(1))));
        }
        return head.toString(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        workers.shutdownNow();
    }
}
