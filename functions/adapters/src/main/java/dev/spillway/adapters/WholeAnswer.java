package dev.spillway.adapters;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An HTTP answer with its body, within the request's timeout. To the client of JDK 25 that timeout ends with the headers:
 * whoever sends those and then nothing more would hold {@link HttpClient#send} for ever.
 */
public final class WholeAnswer {
    private WholeAnswer() {}

    /**
     * The request is abandoned, and its connection closed, when the time is over or the thread is interrupted.
     *
     * @param request with a timeout
     * @throws IOException as {@link HttpClient#send}; {@link HttpTimeoutException} if the body is late, too
     */
    public static <T> HttpResponse<T> to(HttpRequest request, HttpClient client, BodyHandler<T> body)
            throws IOException, InterruptedException {
        Duration bound = request.timeout()
                .orElseThrow(() -> new IllegalArgumentException("a request without a timeout has no bound"));
        CompletableFuture<HttpResponse<T>> answer = client.sendAsync(request, body);
        try {
            return answer.get(bound.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            HttpTimeoutException late = new HttpTimeoutException("no whole answer within " + bound);
            late.initCause(e);
            throw late;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("the request failed", e.getCause());
        } finally {
            // Nothing happens to an answer that is there.
            answer.cancel(true);
        }
    }
}
