package dev.spillway.media.bot;

import dev.spillway.adapters.Once;
import dev.spillway.core.DependencyException;
import dev.spillway.core.call.Conversations;
import dev.spillway.media.admission.Seat;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries a call's conversation between its bot and the table: {@code GET {state}/{CallSid}} asks the bot for it, {@code PUT
 * {state}/{CallSid}} gives it to the bot that goes on. What it is only the bot knows; 200 kB at most, and a second for each of
 * bot and table. Every method blocks; each answers why it failed, or an empty text.
 */
public final class CallMemory {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Supplier<HttpClient> CLIENT = new Once<>(() -> HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build());

    private final @Nullable URI state;
    private final Conversations conversations;
    private final Seat seat;
    private final InstantSource clock;

    /** @param state null if the bot keeps nothing */
    public CallMemory(@Nullable URI state, Conversations conversations, Seat seat, InstantSource clock) {
        this.state = state;
        this.conversations = conversations;
        this.seat = seat;
        this.clock = clock;
    }

    /** Whether the bot has a memory at all. */
    public boolean isKept() {
        return state != null;
    }

    /** Asks the bot and keeps what it says. */
    public String save() {
        try {
            HttpResponse<byte[]> answer = CLIENT.get()
                    .send(
                            request().GET().build(),
                            BodyHandlers.limiting(BodyHandlers.ofByteArray(), Conversations.MOST_BYTES));
            if (answer.statusCode() == 204 || answer.statusCode() == 404) {
                return ""; // it has nothing to keep yet
            }
            if (answer.statusCode() != 200) {
                return "the bot answered " + answer.statusCode() + " when asked for its state";
            }
            boolean kept = conversations.keep(
                    seat.tenant(), seat.sid(), seat.generation().hop(), answer.body(), clock.instant());
            return kept ? "" : "the call has gone on elsewhere";
        } catch (IOException e) {
            return "the bot did not give its state within " + PATIENCE.toMillis() + " ms and "
                    + Conversations.MOST_BYTES + " bytes: " + e.getClass().getSimpleName();
        } catch (DependencyException e) {
            return "the table cannot be reached";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** Reads what was kept and gives it to the bot. */
    public String restore() {
        try {
            Optional<byte[]> kept = conversations.find(seat.tenant(), seat.sid());
            if (kept.isEmpty()) {
                return "nothing was kept";
            }
            int status = CLIENT.get()
                    .send(
                            request()
                                    .header("Content-Type", "application/octet-stream")
                                    .PUT(BodyPublishers.ofByteArray(kept.get()))
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
            return status / 100 == 2 ? "" : "the bot answered " + status + " when given its state";
        } catch (IOException e) {
            return "the bot did not take its state: " + e.getClass().getSimpleName();
        } catch (DependencyException e) {
            return "the table cannot be reached";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** The call is over. */
    public String forget() {
        try {
            conversations.forget(seat.tenant(), seat.sid(), clock.instant());
            return "";
        } catch (DependencyException e) {
            return "the table cannot be reached: what was kept expires";
        }
    }

    private HttpRequest.Builder request() {
        return HttpRequest.newBuilder(URI.create(state + "/" + seat.sid())).timeout(PATIENCE);
    }
}
