package dev.spillway.simulation.world;

import dev.spillway.core.DependencyException;
import dev.spillway.core.call.JobId;
import dev.spillway.core.memory.Sample;
import dev.spillway.core.order.Order;
import dev.spillway.core.order.OrderFollowing;
import dev.spillway.core.order.OrderGiving;
import dev.spillway.core.order.OrderId;
import dev.spillway.core.outbound.Job;
import dev.spillway.core.outbound.JobCanceling;
import dev.spillway.core.outbound.JobIntake;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.tenant.Principal;
import dev.spillway.core.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Whoever asks the HTTP API: for calls out, for their cancellation, and with orders. Each request is a function's. */
final class Desk {
    private static final long SECOND = 1_000_000;
    private static final Principal OPERATOR = new Principal("arn:aws:iam::123456789012:user/operator");
    private static final String NUMBER = "+15005550006";
    /** How long an answer is waited for before the same request is sent again, and how often. */
    private static final long PATIENCE = 12 * SECOND;

    private static final int REPEATS = 3;

    private final Scheduler scheduler;
    private final Functions functions;
    private final Exchange exchange;
    private final Flows flows;
    private final Map<Integer, JobId> accepted = new HashMap<>();

    /** The flows behind the routes. */
    record Flows(JobIntake intake, JobCanceling canceling, OrderGiving giving, OrderFollowing following) {}

    Desk(Scheduler scheduler, Functions functions, Exchange exchange, Flows flows) {
        this.scheduler = scheduler;
        this.functions = functions;
        this.exchange = exchange;
        this.flows = flows;
    }

    void expect(Outgoing outgoing, List<Command> commands) {
        outgoing.requests().forEach(request -> {
            OutboundPolicy policy = Objects.requireNonNull(outgoing.policies().get(request.tenant()));
            scheduler.at(request.atMicros(), null, () -> ask(request, policy, REPEATS));
            request.wishes().stream()
                    .filter(wish -> wish.cancelAtMicros() >= 0)
                    .forEach(wish -> scheduler.at(wish.cancelAtMicros(), null, () -> cancel(wish)));
        });
        commands.forEach(command -> {
            scheduler.at(command.atMicros(), null, () -> give(command));
            if (command.endedAfterMicros() >= 0) {
                scheduler.at(command.atMicros() + command.endedAfterMicros(), null, () -> end(command));
            }
        });
    }

    private void ask(Outgoing.Request request, OutboundPolicy policy, int repeats) {
        boolean[] answered = {false};
        functions.once("calls of " + request.name(), 0, () -> {
            JobIntake.Intake intake = flows.intake()
                    .repeated(request.tenant(), request.batch(), request.name())
                    .orElseGet(() -> flows.intake()
                            .accept(
                                    request.tenant(),
                                    policy,
                                    made(request, REPEATS - repeats),
                                    request.batch(),
                                    request.name(),
                                    functions.now()));
            answered[0] = true;
            if (intake instanceof JobIntake.Intake.Accepted(List<JobId> jobs)) {
                for (int i = 0; i < jobs.size(); i++) {
                    accepted.put(request.wishes().get(i).number(), jobs.get(i));
                }
            }
        });
        scheduler.at(scheduler.now() + PATIENCE, null, () -> {
            if (!answered[0] && repeats > 0) {
                ask(request, policy, repeats - 1);
            }
        });
    }

    private List<Job> made(Outgoing.Request request, int repeat) {
        List<Job> made = new ArrayList<>();
        for (Outgoing.Wish wish : request.wishes()) {
            JobId id = new JobId(request.tenant(), "%010d%010d".formatted(wish.number(), repeat));
            exchange.expect(id, wish);
            made.add(Job.accepted(
                    id,
                    wish.to(),
                    NUMBER,
                    "scripted",
                    new Job.Batch(request.batch(), request.weight()),
                    at(wish.notBeforeMicros()),
                    at(wish.deadlineMicros()),
                    Duration.ofMillis(wish.maximumWaitMicros() / 1_000),
                    functions.now()));
        }
        return made;
    }

    private static Instant at(long micros) {
        return Scheduler.START.plusNanos(micros * 1_000);
    }

    private void cancel(Outgoing.Wish wish) {
        JobId job = accepted.get(wish.number());
        if (job != null) {
            functions.once(
                    "cancel of " + wish.name(),
                    0,
                    () -> flows.canceling().cancel(Sample.tenant(job.tenant()), job, functions.now()));
        }
    }

    private void give(Command command) {
        functions.once(command.name(), 0, () -> {
            Instant now = functions.now();
            Order order = new Order(
                    new OrderId("%020d".formatted(command.number())),
                    command.what(),
                    OPERATOR,
                    command.name(),
                    now,
                    now.plusNanos(command.forMicros() * 1_000));
            if (flows.giving().give(PoolId.of(command.tenant()), order, now) instanceof OrderGiving.Result.Done) {
                follow(command.tenant());
            }
        });
    }

    private void end(Command command) {
        functions.once("end of " + command.name(), 0, () -> {
            if (flows.giving().end(PoolId.of(command.tenant()), command.what().subject(), OPERATOR, functions.now())
                    instanceof OrderGiving.Result.Done) {
                follow(command.tenant());
            }
        });
    }

    /** What fails now the sweeper does within a minute. */
    private void follow(TenantId tenant) {
        try {
            flows.following().turn(PoolId.of(tenant), functions.now());
        } catch (DependencyException e) {
            // the order stands already
        }
    }
}
