package dev.spillway.media.bot;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.Conversations;
import dev.spillway.media.admission.Seat;
import dev.spillway.media.call.Patience;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Carries a call's conversation between its bot and the table: {@code GET {state}/{CallSid}} asks the bot for it, {@code PUT
 * {state}/{CallSid}} gives it to the bot that goes on. What it is only the bot knows; 200 kB at most. Every method blocks; each
 * answers why it failed, or an empty text. To bring a conversation back takes a second at most, whoever is slow: a caller
 * waits for it. To save one may take longer where the table is slow; who waits for that has a limit of his own.
 */
public final class CallMemory {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final @Nullable URI state;
    private final Conversations conversations;
    private final Seat seat;
    private final InstantSource clock;
    private final StateExchange exchange;
    /**
     * @param state null if the bot keeps nothing
     * @param own whether it is the bot that the container itself was told of
     * @param loop for the connections to the bot
     */
    public CallMemory(
            @Nullable URI state,
            boolean own,
            EventLoop loop,
            Conversations conversations,
            Seat seat,
            InstantSource clock) {
        this.state = state;
        this.exchange = new StateExchange(loop, own, Conversations.MOST_BYTES);
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
            StateExchange.Reply answer = exchange.get(url(), PATIENCE);
            if (answer.status() == 204 || answer.status() == 404) {
                return ""; // it has nothing to keep yet
            }
            if (answer.status() != 200) {
                return "the bot answered " + answer.status() + " when asked for its state";
            }
            boolean kept = conversations.keep(
                    seat.tenant(), seat.sid(), seat.generation().hop(), answer.body(), clock.instant());
            return kept ? "" : "the call has gone on elsewhere";
        } catch (IOException e) {
            return "the bot did not give its state within " + PATIENCE.toMillis() + " ms and "
                    + Conversations.MOST_BYTES + " bytes: " + e.getMessage();
        } catch (DependencyException e) {
            return "the table cannot be reached";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** Reads what was kept and gives it to the bot; what the table says too late is given to nobody. */
    public String restore(Patience patience) {
        long begun = patience.nanos();
        try {
            Optional<byte[]> kept =
                    patience.await("table", PATIENCE, () -> conversations.find(seat.tenant(), seat.sid()));
            if (kept.isEmpty()) {
                return "nothing was kept";
            }
            Duration left = PATIENCE.minusNanos(patience.nanos() - begun);
            int status = exchange.put(url(), kept.get(), left).status();
            return status / 100 == 2 ? "" : "the bot answered " + status + " when given its state";
        } catch (IOException e) {
            return "the bot did not take its state: " + e.getMessage();
        } catch (DependencyException e) {
            return "the table cannot be reached, or not within " + PATIENCE.toMillis() + " ms";
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

    private URI url() {
        return URI.create(state + "/" + seat.sid());
    }
}
