package dev.spillway.media.life;

import dev.spillway.core.journal.Journal;
import dev.spillway.media.admission.Seat;
import dev.spillway.media.call.Patience;
import dev.spillway.media.call.Seating;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Pays what the table is owed before a heartbeat: each debt on its own and all of them side by side, so that one bad item or
 * one slow write keeps neither the others nor the heartbeat. What was not paid is owed still, and tried again at the next
 * beat; a payment that is still under way then is not begun a second time.
 */
public final class Debts {
    /** Less than a third of the shortest time that a heartbeat buys (6 s, in a fast rehearsal). A guess. */
    public static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Seating seating;
    private final Patience workers;
    private final Journal journal;
    private final Duration patience;
    private final Set<Seat> underWay = ConcurrentHashMap.newKeySet();

    /** @param patience how long all of one beat's payments may take together */
    public Debts(Seating seating, Patience workers, Journal journal, Duration patience) {
        this.seating = seating;
        this.workers = workers;
        this.journal = journal;
        this.patience = patience;
    }

    /**
     * Pays for these seats.
     *
     * @param most how many at most; the rest waits for the next beat
     * @return the seats whose call, or whose slot, the table gives to another
     */
    List<Seat> pay(List<Seat> owing, int most) {
        Map<Seat, CompletableFuture<Boolean>> payments = new LinkedHashMap<>();
        for (Seat seat : owing) {
            if (payments.size() < most && underWay.add(seat)) {
                payments.put(seat, begun(seat));
            }
        }
        long deadline = workers.nanos() + patience.toNanos();
        List<Seat> refused = new ArrayList<>();
        payments.forEach((seat, payment) -> {
            if (!isPaid(seat, payment, deadline - workers.nanos())) {
                refused.add(seat);
            }
        });
        return refused;
    }

    private CompletableFuture<Boolean> begun(Seat seat) {
        CompletableFuture<Boolean> payment = new CompletableFuture<>();
        // Off the list before the beat is told: the next beat may come at once, and must be able to begin it again.
        workers.later(() -> {
            try {
                boolean paid = seating.catchUp(seat);
                underWay.remove(seat);
                payment.complete(paid);
            } catch (RuntimeException | Error e) {
                underWay.remove(seat);
                payment.completeExceptionally(e);
            }
        });
        return payment;
    }

    /** False only if the table has refused. */
    private boolean isPaid(Seat seat, CompletableFuture<Boolean> payment, long nanos) {
        try {
            return workers.result(payment, Duration.ofNanos(nanos));
        } catch (TimeoutException e) {
            owedStill(seat, "not written within " + patience.toMillis() + " ms");
        } catch (ExecutionException e) {
            owedStill(seat, String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            owedStill(seat, "interrupted");
        }
        return true;
    }

    private void owedStill(Seat seat, String reason) {
        journal.write(seat.entry("debt-failed", reason + "; tried again at the next heartbeat"));
    }
}
