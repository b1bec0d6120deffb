package dev.spillway.simulation.lab;

import static java.util.Objects.requireNonNull;

import dev.spillway.core.call.Call;
import dev.spillway.core.call.ClaimKey;
import dev.spillway.core.call.Generation;
import dev.spillway.core.call.Offer;
import dev.spillway.core.handoff.HeldCall;
import dev.spillway.core.handoff.Pairing;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.ContainerState;
import dev.spillway.core.pool.Policy;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.pool.Pool;
import dev.spillway.core.pool.PoolId;
import dev.spillway.core.pool.PoolView;
import dev.spillway.core.routing.Route;
import dev.spillway.core.routing.Router;
import dev.spillway.core.scaling.ScaleIn;
import dev.spillway.core.scaling.ScaleOut;
import dev.spillway.simulation.lab.CallTimes.CallTime;
import dev.spillway.simulation.lab.Contender.Look;
import dev.spillway.simulation.lab.Contender.Rival;
import dev.spillway.simulation.lab.Contender.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * One schedule under one contender. The load balancer's choice, the time that a hand-off takes and ECS are modelled; where a
 * call goes, which held call gets which slot, and how large the pool is are the core's own decisions.
 */
final class Replay {
    private static final Generation FIRST = new Generation(1, "laboratory000001");
    private static final Generation SECOND = new Generation(2, "laboratory000002");

    private final Agenda agenda = new Agenda();
    private final Tally tally = new Tally(agenda);
    private final CallTimes times;
    private final Contender contender;
    private final Conditions conditions;
    private final int minimum;
    private final TenantPool own;
    private final List<Box> gateway = new ArrayList<>();
    private final Pool gatewayPool;

    /** On the gateway, in the order in which they came. */
    private final Map<ClaimKey, Caller> held = new LinkedHashMap<>();

    private final List<Caller> callers = new ArrayList<>();
    private final Map<ClaimKey, Caller> talking = new HashMap<>();
    private final Random moments;
    private final boolean counts;
    private int next;
    private int refused;

    private Replay(CallTimes times, Contender contender, Conditions conditions) {
        this.times = times;
        this.contender = contender;
        this.conditions = conditions;
        this.moments = new Random(conditions.seed());
        this.minimum = switch (contender) {
            case Rules rules -> conditions.minimum();
            case Rival rival -> Math.max(conditions.minimum(), rival.minimum());
        };
        this.counts = !(contender instanceof Rival rival) || rival.countsCalls();
        this.own = new TenantPool(
                agenda, conditions, policy(), tally, box -> agenda.in(conditions.announcement(), this::handOff));
        Policy policy = new Policy(
                conditions.gatewayContainers(),
                conditions.gatewayContainers(),
                conditions.limit(),
                0,
                ScaleOutRule.DEMAND,
                ScaleInRule.IDLE);
        this.gatewayPool = Pool.fresh(PoolId.GATEWAY, policy, "gateway", "wss://gateway.example.com", agenda.now());
        for (int n = 1; n <= conditions.gatewayContainers(); n++) {
            Box box = new Box(PoolId.GATEWAY, n, conditions.limit(), 0, agenda.now());
            box.ready(agenda.now());
            gateway.add(box);
        }
    }

    private Policy policy() {
        return contender instanceof Rules rules
                ? new Policy(minimum, conditions.maximum(), conditions.limit(), 0, rules.out(), rules.in())
                : new Policy(
                        minimum, conditions.maximum(), conditions.limit(), 0, ScaleOutRule.DEMAND, ScaleInRule.IDLE);
    }

    /** @throws IllegalStateException if a run does not come to its end, which would be a mistake in here */
    static Outcome run(CallTimes times, Contender contender, Conditions conditions) {
        return new Replay(times, contender, conditions).run();
    }

    private Outcome run() {
        arriveNext();
        switch (contender) {
            case Rules rules -> nextRound(rules, 0);
            case Rival rival -> {
                Rival.Rule rule = rival.rule().get();
                agenda.in(rival.every(), () -> tick(rival, rule));
            }
        }
        long end = times.lastEndMillis() + times.quietAfterMillis();
        while (!isOver() && agenda.millis() <= end && agenda.step()) {
            // Each step is one event.
        }
        for (Box box : own.boxes()) {
            tally.gone(box.askedAtMillis, agenda.millis());
        }
        return outcome();
    }

    private boolean isOver() {
        return next == times.arrivals().size()
                && talking.isEmpty()
                && own.boxes().size() <= minimum;
    }

    private void arriveNext() {
        if (next < times.arrivals().size()) {
            CallTime time = times.arrivals().get(next);
            agenda.at(time.atMillis(), () -> {
                Caller caller = new Caller(++next, time.atMillis(), time.endMillis());
                callers.add(caller);
                arrive(caller);
                arriveNext();
            });
        }
    }

    private void arrive(Caller caller) {
        talking.put(caller.sid, caller);
        Optional<Box> chosen =
                contender instanceof Rival rival && rival.packs() ? own.fullestWithRoom() : own.leastBusy();
        if (chosen.isPresent() && (!counts || !chosen.get().isFull())) {
            seat(caller, chosen.get(), FIRST);
        } else if (counts) {
            overflow(caller);
        } else {
            refused++; // nobody answers: such a system has no gateway
        }
        if (caller.at != null) {
            agenda.at(caller.endsMillis, () -> end(caller));
        } else {
            talking.remove(caller.sid);
        }
    }

    private void seat(Caller caller, Box box, Generation generation) {
        caller.at = box;
        box.put(caller.sid, Claim.connected(generation, TenantPool.TENANT, caller.arrivedAt, agenda.now()));
        box.active(agenda.now());
        if (box.calls() > conditions.limit()) {
            box.item().claims().keySet().forEach(key -> requireNonNull(talking.get(key)).degraded = true);
        }
        if (box.isFull() && contender instanceof Rules rules && rules.asking().onFull()) {
            agenda.in(conditions.announcement(), () -> ask(rules, false));
        }
    }

    /** The fallback function: the core's router decides. */
    private void overflow(Caller caller) {
        if (contender instanceof Rules rules && rules.asking().undrainForCaller()) {
            Optional<Box> leaving = own.boxes().stream()
                    .filter(box -> box.state() == ContainerState.DRAINING && !box.isFull())
                    .findFirst();
            leaving.ifPresent(box -> own.undrain(box, "a caller needs it"));
        }
        PoolView gatewayView = gatewayView();
        Route route = Router.route(
                Call.arrived(TenantPool.TENANT, caller.sid, agenda.now()),
                own.view(),
                gatewayView,
                Set.of(),
                agenda.now());
        switch (route) {
            case Route.ToSlot slot
            when slot.container().pool().isGateway() -> {
                Box box = gateway.stream()
                        .filter(one -> one.item().id().equals(slot.container().id()))
                        .findFirst()
                        .orElseThrow();
                caller.onGateway = true;
                caller.touchedGateway = true;
                held.put(caller.sid, caller);
                caller.at = box;
                box.put(caller.sid, Claim.connected(FIRST, TenantPool.TENANT, caller.arrivedAt, agenda.now()));
                tally.event("overflow", own.ready());
                announceOverflow(false);
            }
            case Route.ToSlot slot ->
                seat(caller, own.box(slot.container().id()).orElseThrow(), FIRST);
            case Route.ToBusy busy -> {
                refused++;
                tally.event("refused", own.ready());
                announceOverflow(true);
            }
            case Route.ToGatewayUnclaimed unclaimed -> throw new IllegalStateException(unclaimed.reason());
            case Route.ToApology apology -> throw new IllegalStateException(apology.reason());
            case Route.ToHangUp hangUp -> throw new IllegalStateException(hangUp.reason());
        }
    }

    private void announceOverflow(boolean wasRefused) {
        if (contender instanceof Rules rules) {
            agenda.in(conditions.announcement(), () -> {
                own.restartIdleWindow(agenda.now());
                ask(rules, wasRefused);
            });
        }
    }

    private PoolView gatewayView() {
        return new PoolView(gatewayPool, gateway.stream().map(Box::item).toList());
    }

    private int waiting() {
        return (int)
                held.values().stream().filter(caller -> caller.offered == null).count();
    }

    /** The first of those that wait: what {@link HeldCall#of} would find in the gateway's items, without a search. */
    private List<HeldCall> waiting(int most) {
        return held.values().stream()
                .filter(caller -> caller.offered == null)
                .limit(most)
                .map(caller -> {
                    Container at = requireNonNull(caller.at).item();
                    return new HeldCall(
                            caller.sid, at.id(), requireNonNull(at.claims().get(caller.sid)));
                })
                .toList();
    }

    private void ask(Rules rules, boolean wasRefused) {
        for (boolean again = true; again; ) {
            ScaleOut decision = rules.grow(own.view(), waiting(), wasRefused, conditions.timing(), agenda.now());
            again = switch (decision) {
                case ScaleOut.Stay stay -> false;
                case ScaleOut.BackOff backOff -> false;
                case ScaleOut.Grow grow -> {
                    own.desire(grow.desired(), grow.reason());
                    yield false;
                }
                case ScaleOut.Undrain undrain -> {
                    own.undrain(own.box(undrain.container().id()).orElseThrow(), undrain.reason());
                    agenda.in(conditions.announcement(), this::handOff);
                    yield rules.out() == ScaleOutRule.AHEAD; // as Growth does
                }
            };
        }
    }

    /** On a container that became ready and on a freed slot. */
    private void handOff() {
        int waiting = waiting();
        if (waiting == 0) {
            return;
        }
        PoolView view = own.view();
        // No more than there are slots: the oldest come first, and what is left of thousands would only be looked at in
        // vain.
        List<Pairing> pairs = Pairing.plan(waiting(view.free(agenda.now())), view, agenda.now());
        for (Pairing pairing : pairs) {
            Caller caller = requireNonNull(held.get(pairing.held().sid()));
            Box box = own.box(pairing.container().id()).orElseThrow();
            box.put(caller.sid, Claim.reserved(SECOND, TenantPool.TENANT, caller.arrivedAt, agenda.now()));
            Box from = requireNonNull(caller.at);
            Claim claim = pairing.held().claim();
            from.put(caller.sid, claim.offered(new Offer(box.item().id(), SECOND, agenda.now())));
            caller.offered = box;
            // It is seen in the gateway's next heartbeat, and acted on at the end of a turn.
            agenda.in(
                    upTo(conditions.timing().heldHeartbeat())
                            .plus(upTo(conditions.timing().turnBoundary())),
                    () -> move(caller));
        }
        if (pairs.size() < waiting && contender instanceof Rules rules) {
            ask(rules, false);
        }
    }

    private Duration upTo(Duration most) {
        return Duration.ofMillis(moments.nextLong(most.toMillis() + 1));
    }

    private void move(Caller caller) {
        Box to = caller.offered;
        if (!caller.onGateway || to == null) {
            return; // it ended before
        }
        leaveGateway(caller);
        to.remove(caller.sid);
        seat(caller, to, SECOND);
        tally.event("handed over", own.ready());
    }

    private void leaveGateway(Caller caller) {
        requireNonNull(caller.at).remove(caller.sid);
        caller.onGateway = false;
        caller.offered = null;
        caller.gatewayMillis += agenda.millis() - caller.arrivedMillis;
        held.remove(caller.sid);
    }

    private void end(Caller caller) {
        talking.remove(caller.sid);
        Box freed;
        if (caller.onGateway) {
            freed = caller.offered;
            leaveGateway(caller);
        } else {
            freed = caller.at;
        }
        caller.at = null;
        if (freed != null) {
            freed.remove(caller.sid);
            freed.active(agenda.now());
            own.closeIfEmpty(freed);
            if (!held.isEmpty()) {
                agenda.in(conditions.announcement(), this::handOff);
            }
        }
    }

    /** A schedule fires anywhere within its minute (FACTS 9). */
    private void nextRound(Rules rules, long minute) {
        Duration round = conditions.timing().round();
        agenda.at(minute * round.toMillis() + upTo(round).toMillis(), () -> {
            round(rules);
            nextRound(rules, minute + 1);
        });
    }

    /** What the scheduled functions do once a minute. */
    private void round(Rules rules) {
        own.stopDrained();
        switch (rules.shrink(own.view(), held.size(), conditions.timing(), agenda.now())) {
            case ScaleIn.Keep keep -> {}
            case ScaleIn.Restart restart -> own.restartIdleWindow(agenda.now());
            case ScaleIn.Drain drain -> {
                own.lock();
                own.restartIdleWindow(agenda.now());
                for (Container container : drain.containers()) {
                    own.drain(own.box(container.id()).orElseThrow(), drain.reason());
                }
            }
        }
        handOff();
        if (rules.asking().everyRound()) {
            ask(rules, false);
        }
    }

    private void tick(Rival rival, Rival.Rule rule) {
        int ready = own.ready();
        List<Box> open = own.boxes().stream()
                .filter(box -> box.state() == ContainerState.READY)
                .toList();
        int empty = (int) open.stream().filter(box -> box.calls() == 0).count();
        int calls = open.stream().mapToInt(Box::calls).sum();
        int wanted = Math.clamp(
                rule.wanted(new Look(agenda.millis(), ready, own.starting(), empty, calls, held.size())),
                minimum,
                conditions.maximum());
        int more = wanted - ready - own.starting();
        if (more > 0) {
            own.desire(own.pool().desired() + more, rival.name() + " wants " + wanted);
        }
        // A kindness: a container that a rival takes away finishes its calls first, and the emptiest goes.
        open.stream()
                .sorted(Comparator.comparingInt(Box::calls))
                .limit(Math.max(0, Math.min(-more, ready - minimum)))
                .forEach(box -> own.drain(box, rival.name() + " wants " + wanted));
        own.stopDrained();
        agenda.in(rival.every(), () -> tick(rival, rule));
    }

    private Outcome outcome() {
        double[] seconds = callers.stream()
                .mapToDouble(caller -> caller.gatewayMillis / 1000.0)
                .toArray();
        return new Outcome(
                callers.size(),
                (int) callers.stream().filter(caller -> caller.touchedGateway).count(),
                Outcome.Spread.of(seconds),
                refused,
                (int) callers.stream().filter(caller -> caller.degraded).count(),
                tally.hours(),
                times.lowerBoundHours(conditions.limit()),
                tally.peak(),
                tally.hours() * Money.CONTAINER_HOUR,
                tally.timeline());
    }
}
