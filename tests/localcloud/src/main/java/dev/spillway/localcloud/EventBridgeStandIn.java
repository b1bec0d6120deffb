package dev.spillway.localcloud;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.localcloud.LocalHttpServer.Request;
import dev.spillway.localcloud.LocalHttpServer.Response;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * EventBridge on loopback: PutEvents as the SDK speaks it (JSON 1.1), and rules that hand each event to functions,
 * asynchronously and at least once: now and then twice, and now and then late, which is also how events overtake each
 * other. A function that throws is retried twice, as an asynchronous invocation is; after that the event is lost to it.
 */
public final class EventBridgeStandIn implements AutoCloseable {
    /** What goes wrong with a request: nothing, 503 for everything, or accepted and never delivered. */
    public enum Fault {
        NONE,
        DOWN,
        DROP
    }

    /**
     * How unreliable delivery is.
     *
     * @param twice share of deliveries made twice, 0 to 1
     * @param late share of deliveries delayed by up to {@code lateBy}, 0 to 1
     * @param retryAfter how long after a function error it is tried again (the real service: a minute, then two)
     * @param seed of all the choices; printed at the start
     */
    public record Delivery(double twice, double late, Duration lateBy, Duration retryAfter, long seed) {
        public Delivery {
            if (twice < 0 || twice > 1 || late < 0 || late > 1) {
                throw new IllegalArgumentException("shares lie between 0 and 1: twice " + twice + ", late " + late);
            }
        }

        /** A few percent of each, a guess: the service promises no figure. */
        public static Delivery seeded(long seed) {
            return new Delivery(0.03, 0.03, Duration.ofSeconds(2), Duration.ofSeconds(1), seed);
        }

        /** Exactly once and at once. */
        public static Delivery exact() {
            return new Delivery(0, 0, Duration.ZERO, Duration.ofMillis(50), 0);
        }
    }

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LARGEST_REQUEST_BYTES = 256 * 1024;
    private static final int MOST_ENTRIES = 10;
    private static final int RETRIES = 2;
    private static final int HISTORY = 1_000;

    private record Rule(String name, String source, String detailType, Function function) {}

    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final Deque<String> history = new ArrayDeque<>();
    private final ExecutorService deliveries = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final Delivery delivery;
    private final Random random;
    private final LocalHttpServer server;
    private volatile Fault fault = Fault.NONE;

    /** Listens on the given loopback port; 0 picks a free one. */
    public EventBridgeStandIn(int port, Delivery delivery) {
        this.delivery = delivery;
        this.random = new Random(delivery.seed());
        this.server = new LocalHttpServer("eventbridge", port, this::handle);
        System.err.println("eventbridge: seed " + delivery.seed());
    }

    /** Sends every event of that source and detail type to the function. */
    public EventBridgeStandIn rule(String name, String source, String detailType, Function function) {
        rules.add(new Rule(name, source, detailType, function));
        return this;
    }

    public void fault(Fault value) {
        this.fault = value;
    }

    public URI url() {
        return server.url();
    }

    /** The remote ports of all connections believed to be open. */
    public Set<Integer> connectedPorts() {
        return server.connectedPorts();
    }

    /** The last thousand events accepted, oldest first, as JSON. */
    public List<String> history() {
        synchronized (history) {
            return List.copyOf(history);
        }
    }

    /** How many times a function took an event without an error. */
    public long delivered() {
        return delivered.get();
    }

    /** How many deliveries failed for good, retries included. */
    public long lost() {
        return lost.get();
    }

    /** Accepts a complete event as an AWS service emits it, such as an ECS Task State Change. */
    public void publish(String eventJson) {
        JsonNode event;
        try {
            event = JSON.readTree(eventJson);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not an event: " + e.getOriginalMessage(), e);
        }
        if (!event.path("source").isTextual() || !event.path("detail-type").isTextual()) {
            throw new IllegalArgumentException("an event has a source and a detail-type");
        }
        accept(event);
    }

    private void accept(JsonNode event) {
        synchronized (history) {
            history.addLast(event.toString());
            if (history.size() > HISTORY) {
                history.removeFirst();
            }
        }
        if (fault == Fault.DROP) {
            return;
        }
        for (Rule rule : rules) {
            if (rule.source().equals(event.path("source").textValue())
                    && rule.detailType().equals(event.path("detail-type").textValue())) {
                for (Duration delay : delays()) {
                    start(rule, event.toString(), delay);
                }
            }
        }
    }

    /** One delay per delivery; drawn in the order of arrival, so that a seed repeats them. */
    private List<Duration> delays() {
        synchronized (random) {
            List<Duration> delays = new ArrayList<>();
            int times = random.nextDouble() < delivery.twice() ? 2 : 1;
            for (int i = 0; i < times; i++) {
                boolean late = random.nextDouble() < delivery.late();
                double share = random.nextDouble();
                delays.add(late ? Duration.ofNanos((long) (delivery.lateBy().toNanos() * share)) : Duration.ZERO);
            }
            return delays;
        }
    }

    private void start(Rule rule, String event, Duration delay) {
        if (!deliveries.isShutdown()) {
            deliveries.execute(() -> {
                try {
                    Thread.sleep(delay);
                    deliver(rule, event.getBytes(StandardCharsets.UTF_8));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt(); // closing
                }
            });
        }
    }

    private void deliver(Rule rule, byte[] event) throws InterruptedException {
        for (int attempt = 0; ; attempt++) {
            try {
                rule.function().invoke(event);
                delivered.incrementAndGet();
                return;
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                if (!deliveries.isShutdown()) { // what closing broke off is no news
                    System.err.println("eventbridge: rule " + rule.name() + ", attempt " + (attempt + 1) + ": " + e);
                }
                if (attempt == RETRIES) {
                    lost.incrementAndGet();
                    return;
                }
                Thread.sleep(delivery.retryAfter().multipliedBy(attempt + 1L));
            }
        }
    }

    private Response handle(Request request) {
        if (fault == Fault.DOWN) {
            return Response.json(503, "{\"__type\":\"ServiceUnavailableException\",\"message\":\"down\"}");
        }
        if (!request.headers().getOrDefault("x-amz-target", "").equals("AWSEvents.PutEvents")) {
            return error("UnknownOperationException", "only PutEvents is spoken here");
        }
        try {
            return putEvents(JSON.readTree(request.body()).path("Entries"));
        } catch (java.io.IOException e) {
            return error("SerializationException", "the body is not JSON");
        }
    }

    private Response putEvents(JsonNode entries) {
        if (!entries.isArray() || entries.isEmpty() || entries.size() > MOST_ENTRIES) {
            return error("ValidationException", "Entries must have 1 to 10 members, has " + entries.size());
        }
        int bytes = 0;
        for (JsonNode entry : entries) {
            bytes += size(entry);
        }
        if (bytes > LARGEST_REQUEST_BYTES) {
            return error("ValidationException", "Total size of the entries in the request is over the limit.");
        }
        ObjectNode answer = JSON.createObjectNode();
        int failed = 0;
        var results = JSON.createArrayNode();
        for (JsonNode entry : entries) {
            ObjectNode result = put(entry);
            failed += result.has("ErrorCode") ? 1 : 0;
            results.add(result);
        }
        answer.put("FailedEntryCount", failed).set("Entries", results);
        return new Response(
                200,
                java.util.Map.of("content-type", "application/x-amz-json-1.1"),
                answer.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The size of an entry as the service counts it: UTF-8 bytes of its texts, 14 for a time. */
    private static int size(JsonNode entry) {
        int bytes = entry.has("Time") ? 14 : 0;
        for (String field : List.of("Source", "DetailType", "Detail")) {
            bytes += entry.path(field).asText().getBytes(StandardCharsets.UTF_8).length;
        }
        return bytes;
    }

    private ObjectNode put(JsonNode entry) {
        ObjectNode result = JSON.createObjectNode();
        for (String field : List.of("Source", "DetailType", "Detail")) {
            if (entry.path(field).asText().isEmpty()) {
                return result.put("ErrorCode", "InvalidArgument")
                        .put(
                                "ErrorMessage",
                                "Parameter " + field + " is not valid. Reason: " + field + " is a required argument.");
            }
        }
        if (entry.path("Source").asText().startsWith("aws.")) {
            return result.put("ErrorCode", "NotAuthorizedForSourceException")
                    .put("ErrorMessage", "Not authorized for the source.");
        }
        JsonNode detail;
        try {
            detail = JSON.readTree(entry.path("Detail").asText());
        } catch (JsonProcessingException e) {
            return result.put("ErrorCode", "MalformedDetail").put("ErrorMessage", "Detail is malformed.");
        }
        if (!detail.isObject()) {
            return result.put("ErrorCode", "MalformedDetail").put("ErrorMessage", "Detail is malformed.");
        }
        String id = UUID.randomUUID().toString();
        ObjectNode event = envelope(
                id, entry.path("DetailType").asText(), entry.path("Source").asText());
        event.set("resources", entry.path("Resources").isArray() ? entry.path("Resources") : JSON.createArrayNode());
        event.set("detail", detail);
        accept(event);
        return result.put("EventId", id);
    }

    private static ObjectNode envelope(String id, String detailType, String source) {
        return JSON.createObjectNode()
                .put("version", "0")
                .put("id", id)
                .put("detail-type", detailType)
                .put("source", source)
                .put("account", "000000000000")
                .put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .put("region", "us-east-1");
    }

    private static Response error(String type, String message) {
        return new Response(
                400,
                java.util.Map.of("content-type", "application/x-amz-json-1.1"),
                JSON.createObjectNode()
                        .put("__type", type)
                        .put("message", message)
                        .toString()
                        .getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        deliveries.shutdownNow();
        server.close();
    }
}
