package dev.spillway.lambda;

import com.amazonaws.services.lambda.runtime.events.APIGatewayV2HTTPResponse;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.spillway.adapters.RandomOrderIds;
import dev.spillway.core.DependencyException;
import dev.spillway.core.journal.Journal;
import dev.spillway.core.journal.Journal.Entry;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderFollowing;
import dev.spillway.core.order.OrderGiving;
import dev.spillway.core.order.OrderGiving.Result;
import dev.spillway.core.order.OrderLog;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.pool.Pools;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.TenantId;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Takes orders, ends them and lists them. Whatever is refused wrote nothing, but for an order that came second. */
final class OrderDesk {
    private static final int MOST_LISTED = 50;

    private final Pools pools;
    private final OrderLog log;
    private final OrderGiving giving;
    private final OrderFollowing following;
    private final RandomOrderIds ids;
    private final Journal journal;
    private final InstantSource clock;
    private final ObjectMapper json = new ObjectMapper();

    OrderDesk(
            Pools pools,
            OrderLog log,
            OrderGiving giving,
            OrderFollowing following,
            RandomOrderIds ids,
            Journal journal,
            InstantSource clock) {
        this.pools = pools;
        this.log = log;
        this.giving = giving;
        this.following = following;
        this.ids = ids;
        this.journal = journal;
        this.clock = clock;
    }

    APIGatewayV2HTTPResponse give(TenantId tenant, String body, Principal who) {
        PoolId pool = PoolId.of(tenant);
        Optional<PoolView> view = pools.read(pool);
        if (view.isEmpty()) {
            return ProblemDetails.UNKNOWN_POOL.response();
        }
        return switch (OrderBody.parse(body, view.get().pool().policy().maximum())) {
            case OrderBody.NotAnObject none -> ProblemDetails.NOT_AN_OBJECT.response();
            case OrderBody.Faulty faulty ->
                ProblemDetails.fields(422, "invalid-order", faulty.errors()).response();
            case OrderBody.Read read -> {
                Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
                Order order = new Order(ids.next(), read.what(), who, read.reason(), now, now.plus(read.time()));
                yield reply(201, pool, giving.give(pool, order, now), ProblemDetails.UNKNOWN_POOL, now);
            }
        };
    }

    APIGatewayV2HTTPResponse end(TenantId tenant, Order.Subject subject, Principal who) {
        PoolId pool = PoolId.of(tenant);
        Instant now = clock.instant();
        return reply(200, pool, giving.end(pool, subject, who, now), ProblemDetails.NO_ORDER, now);
    }

    APIGatewayV2HTTPResponse list(TenantId tenant) {
        return Replies.json(
                200,
                written(new OrderView.Log(log.newest(PoolId.of(tenant), MOST_LISTED).stream()
                        .map(OrderView::of)
                        .toList())));
    }

    private APIGatewayV2HTTPResponse reply(
            int status, PoolId pool, Result result, ProblemDetails nothing, Instant now) {
        return switch (result) {
            case Result.Done done -> {
                follow(pool, now);
                yield Replies.json(status, written(OrderView.of(done.order())));
            }
            case Result.Overtaken overtaken -> ProblemDetails.OVERTAKEN.response();
            case Result.Nothing none -> nothing.response();
        };
    }

    /** The order stands already: what fails now is done within a minute, by the sweeper. */
    private void follow(PoolId pool, Instant now) {
        try {
            following.turn(pool, now);
        } catch (DependencyException e) {
            journal.write(Entry.of("order-not-followed-yet").with("pool", pool).with("reason", e));
        }
    }

    private String written(Object answer) {
        try {
            return json.writeValueAsString(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the answer cannot be written as JSON", e);
        }
    }
}
