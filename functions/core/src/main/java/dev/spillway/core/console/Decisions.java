package dev.spillway.core.console;

import dev.spillway.core.attempt.Attempt;
import dev.spillway.core.attempt.Step;
import dev.spillway.core.order.Order;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The decisions that the table tells of, put together from where each was written with what it changed: the pool's item has
 * the last ten about its count and the operators' orders, each container's item has its state with the reason, and the
 * attempts have their steps. Nothing is kept for this list alone.
 */
final class Decisions {
    private Decisions() {}

    /**
     * The newest first.
     *
     * @param mostOfCalls how many steps of calls at most; what is told of the pool is few, and never crowded out by them
     */
    static List<Told> of(PoolView view, List<Attempt> attempts, int mostOfCalls) {
        Stream<Told> ofPool = view.pool().decisions().stream()
                .map(decision -> new Told(
                        decision.at(),
                        Told.Subject.POOL,
                        view.pool().id().value(),
                        decision.what(),
                        decision.reason()));
        Stream<Told> ofOrders = Arrays.stream(Order.Subject.values())
                .flatMap(subject -> view.pool().orders().last(subject).stream())
                .map(order -> new Told(
                        order.since(),
                        Told.Subject.ORDER,
                        view.pool().id().value(),
                        order.what().text() + " until "
                                + Instant.ofEpochSecond(order.until().getEpochSecond()),
                        order.reason()));
        Stream<Told> ofContainers = view.containers().stream()
                .map(container -> new Told(
                        container.stateSince(),
                        Told.Subject.CONTAINER,
                        container.id().value(),
                        container.state().name(),
                        container.stateReason()));
        Stream<Told> ofCalls = attempts.stream()
                .flatMap(attempt -> attempt.story().steps().stream()
                        .filter(Decisions::isDecision)
                        .map(step -> told(attempt, step)))
                .sorted(NEWEST_FIRST)
                .limit(mostOfCalls);
        return Stream.of(ofPool, ofOrders, ofContainers, ofCalls)
                .flatMap(told -> told)
                .sorted(NEWEST_FIRST)
                .toList();
    }

    /** Of one instant, in an order that does not change from one look to the next. */
    private static final Comparator<Told> NEWEST_FIRST = Comparator.comparing(Told::at)
            .reversed()
            .thenComparing(Told::subject)
            .thenComparing(Told::about)
            .thenComparing(Told::what);

    /** What callers and Twilio did is no decision. */
    private static boolean isDecision(Step step) {
        return switch (step.kind()) {
            case REFUSED, DEFERRED, ADMITTED, HELD, MOVED, OFFERED, DIAL_UNKNOWN, ENDED -> true;
            case ACCEPTED, DIALLED, ANSWERED, CANCEL_REQUESTED, CONNECTED -> false;
        };
    }

    private static Told told(Attempt attempt, Step step) {
        String where = step.container() != null
                ? step.container().value()
                : step.pool() == null ? null : step.pool().value();
        return new Told(
                step.at(),
                Told.Subject.CALL,
                attempt.id(),
                step.kind().text(),
                where,
                step.cause(),
                step.reason(),
                step.times());
    }
}
