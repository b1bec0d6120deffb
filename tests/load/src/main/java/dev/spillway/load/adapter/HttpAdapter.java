package dev.spillway.load.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.spillway.load.ledger.Evidence;
import dev.spillway.load.ledger.Outcome;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** One HTTP request for each arrival. 2xx completes; 429 and 503 are refusals; any other answer is an adapter-error. */
public final class HttpAdapter implements Adapter {
    private static final Set<Integer> REFUSALS = Set.of(429, 503);

    private final Settings settings;
    private final HttpClient client;

    /** What is sent: {@code {id}} in the URL or the body stands for the arrival's place in the schedule. */
    public record Settings(String method, String url, String body) {
        /** @throws IllegalArgumentException if it holds a phone number that may be somebody's */
        public Settings {
            if (TestNumbers.holdsAnother(url) || TestNumbers.holdsAnother(body)) {
                throw new IllegalArgumentException(
                        "the request holds a phone number that is not one that Twilio keeps for tests (+1500555 and four"
                                + " digits)");
            }
        }
    }

    public HttpAdapter(Settings settings) {
        this.settings = settings;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .build();
    }

    @Override
    public String name() {
        return "http";
    }

    @Override
    public String endpoint() {
        return "the last byte of a 2xx answer to an HTTP request";
    }

    @Override
    public Set<String> hosts() {
        return Set.of(String.valueOf(uri(0).getHost()));
    }

    @Override
    public boolean lastsAsLongAsItsCall() {
        return false;
    }

    @Override
    public void describe(ObjectNode to) {
        to.put("method", settings.method()).put("url", settings.url());
    }

    private URI uri(int id) {
        return URI.create(settings.url().replace("{id}", Integer.toString(id)));
    }

    @Override
    public Answer call(Operation operation) throws Exception {
        int id = operation.arrival().id();
        HttpRequest.BodyPublisher body = settings.body().isEmpty()
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(settings.body().replace("{id}", Integer.toString(id)));
        HttpRequest request =
                HttpRequest.newBuilder(uri(id)).method(settings.method(), body).build();
        long sent = System.nanoTime();
        try {
            HttpResponse<Void> answer = client.send(request, HttpResponse.BodyHandlers.discarding());
            seen(operation, request, sent, answer.statusCode());
            int status = answer.statusCode();
            if (status / 100 == 2) {
                return Answer.COMPLETED;
            }
            return REFUSALS.contains(status)
                    ? Answer.rejected("HTTP status " + status)
                    : new Answer(Outcome.ADAPTER_ERROR, "HTTP status " + status);
        } catch (ConnectException | HttpConnectTimeoutException e) {
            throw new NotSentException("no connection");
        } catch (IOException e) {
            seen(operation, request, sent, 0);
            throw new UnknownOutcomeException(String.valueOf(e.getMessage()));
        }
    }

    private static void seen(Operation operation, HttpRequest request, long sent, int status) {
        operation.seen(new Evidence(
                List.of(),
                List.of(),
                List.of(new Evidence.Request(
                        request.method(), operation.sinceOrigin(sent), System.nanoTime() - sent, status, 0)),
                null));
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
