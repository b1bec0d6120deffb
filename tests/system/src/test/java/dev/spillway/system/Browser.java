package dev.spillway.system;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A headless Chromium with one page, spoken to by its DevTools protocol: what a person would do with a keyboard, and what
 * that person would see.
 */
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    /** Where Chromium is; empty on a machine without it. */
    static Optional<Path> chromium() {
        return Stream.of("/usr/bin/chromium", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** @param work an existing folder for its profile and its output */
    Browser(Path work) throws Exception {
        Path profile = Files.createDirectory(work.resolve("browser"));
        process = new ProcessBuilder(
                        chromium().orElseThrow().toString(),
                        "--headless",
                        "--no-sandbox", // it refuses to run as root otherwise, and sees nothing but our own page
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--no-first-run",
                        "--remote-debugging-port=0",
                        "--window-size=1280,1600",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(work.resolve("browser.log").toFile())
                .start();
        try {
            Path ports = profile.resolve("DevToolsActivePort");
            await("DevTools of Chromium; see " + work.resolve("browser.log"))
                    .atMost(PATIENCE)
                    .until(() ->
                            Files.exists(ports) && Files.readAllLines(ports).size() == 2);
            socket = client.newWebSocketBuilder()
                    .buildAsync(page(Files.readAllLines(ports).getFirst()), new Listener())
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            for (String domain : List.of("Page", "Runtime", "Log", "Network", "Accessibility")) {
                send(domain + ".enable", Map.of());
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private URI page(String port) throws IOException, InterruptedException {
        HttpResponse<String> list = client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list"))
                        .timeout(PATIENCE)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        for (JsonNode target : Cli.JSON.readTree(list.body())) {
            if (target.path("type").asText().equals("page")) {
                return URI.create(target.path("webSocketDebuggerUrl").asText());
            }
        }
        throw new IOException("Chromium has no page: " + list.body());
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder message = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            message.append(data);
            if (last) {
                String whole = message.toString();
                message.setLength(0);
                try {
                    take(Cli.JSON.readTree(whole));
                } catch (IOException e) {
                    complaints.add("not JSON: " + whole);
                }
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }

    private void take(JsonNode message) {
        if (message.has("id")) {
            CompletableFuture<JsonNode> answer =
                    answers.remove(message.path("id").asInt());
            if (answer != null) {
                answer.complete(message);
            }
            return;
        }
        JsonNode what = message.path("params");
        switch (message.path("method").asText()) {
            case "Runtime.exceptionThrown" ->
                complaints.add(what.at("/exceptionDetails").toString());
            case "Log.entryAdded" -> {
                // A 503 that the page tells of is in the browser's log as well: that is the network's, not the page's.
                if (!what.at("/entry/source").asText().equals("network")
                        && what.at("/entry/level").asText().equals("error")) {
                    complaints.add(what.at("/entry").toString());
                }
            }
            case "Network.requestWillBeSent" ->
                requests.add(what.at("/request/url").asText());
            default -> {}
        }
    }

    JsonNode send(String method, Map<String, ?> parameters) {
        int id = ids.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        ObjectNode message = Cli.JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", Cli.JSON.valueToTree(parameters));
        try {
            socket.sendText(message.toString(), true).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            JsonNode result = answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (result.has("error")) {
                throw new IllegalStateException(method + ": " + result.path("error"));
            }
            return result.path("result");
        } catch (Exception e) {
            throw new IllegalStateException(method + " is not answered by Chromium", e);
        }
    }

    void open(URI url) {
        send("Page.navigate", Map.of("url", url.toString()));
    }

    /** The value of an expression; a promise is waited for. */
    JsonNode value(String expression) {
        JsonNode result =
                send("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
        if (result.has("exceptionDetails")) {
            throw new IllegalStateException(expression + ": " + result.path("exceptionDetails"));
        }
        return result.at("/result/value");
    }

    /** What a person reads there; empty if there is no such element, or it is not shown. */
    String text(String selector) {
        return value("(document.querySelector(" + Cli.JSON.getNodeFactory().textNode(selector) + ")?.innerText ?? '')")
                .asText();
    }

    /** The id of the element that has the focus, or what it is called. */
    String focus() {
        return value("document.activeElement.id || document.activeElement.innerText || document.activeElement.tagName")
                .asText();
    }

    void press(String key) {
        Key pressed = Key.of(key);
        Map<String, Object> event = new java.util.HashMap<>(
                Map.of("key", pressed.key(), "code", key, "windowsVirtualKeyCode", pressed.code()));
        if (!pressed.text().isEmpty()) {
            event.put("text", pressed.text());
        }
        event.put("type", pressed.text().isEmpty() ? "rawKeyDown" : "keyDown");
        send("Input.dispatchKeyEvent", event);
        event.remove("text");
        event.put("type", "keyUp");
        send("Input.dispatchKeyEvent", event);
    }

    private record Key(String key, int code, String text) {
        static Key of(String name) {
            return switch (name) {
                case "Tab" -> new Key("Tab", 9, "");
                case "Enter" -> new Key("Enter", 13, "\r");
                case "Space" -> new Key(" ", 32, " ");
                case "ArrowDown" -> new Key("ArrowDown", 40, "");
                default -> throw new IllegalArgumentException("no such key: " + name);
            };
        }
    }

    /** Roles and names as a screen reader gets them: {@code button "Pause updates"}. */
    List<String> spoken() {
        List<String> spoken = new ArrayList<>();
        send("Accessibility.getFullAXTree", Map.of()).path("nodes").forEach(node -> {
            if (!node.path("ignored").asBoolean()) {
                spoken.add(node.at("/role/value").asText() + " \""
                        + node.at("/name/value").asText() + "\"");
            }
        });
        return spoken;
    }

    /** What went wrong in the page: exceptions, and what its policy forbade. */
    List<String> complaints() {
        return complaints;
    }

    /** Every address that the page has asked. */
    List<String> requests() {
        return requests;
    }

    void screenshot(Path file) throws IOException {
        Files.write(
                file,
                Base64.getDecoder()
                        .decode(send("Page.captureScreenshot", Map.of("format", "png"))
                                .path("data")
                                .asText()));
    }

    @Override
    public void close() {
        client.shutdownNow();
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
