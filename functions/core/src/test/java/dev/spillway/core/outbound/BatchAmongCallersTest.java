package dev.spillway.core.outbound;

import static dev.spillway.core.memory.Sample.ACME;
import static dev.spillway.core.memory.Sample.ACME_POOL;
import static dev.spillway.core.memory.Sample.NOW;
import static dev.spillway.core.memory.Sample.aliveUntil;
import static dev.spillway.core.memory.Sample.call;
import static dev.spillway.core.memory.Sample.generation;
import static dev.spillway.core.memory.Sample.minutes;
import static dev.spillway.core.memory.Sample.ready;
import static dev.spillway.core.memory.Sample.seconds;
import static dev.spillway.core.outbound.OutboundWorld.job;
import static dev.spillway.core.outbound.OutboundWorld.policy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spillway.core.call.Generation;
import dev.spillway.core.call.JobId;
import dev.spillway.core.memory.MemoryDials.Made;
import dev.spillway.core.memory.Operation;
import dev.spillway.core.memory.Operations.Moment;
import dev.spillway.core.pool.Claim;
import dev.spillway.core.pool.Container;
import dev.spillway.core.pool.Containers.ClaimResult;
import dev.spillway.core.pool.PoolView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A batch of a hundred jobs on 24 slots, 20 calls out at most and 4 slots reserved, while callers arrive: also at every
 * point inside the dialer's steps. A caller finds no slot only when callers have the whole reserve already.
 */
class BatchAmongCallersTest {
    private static final int JOBS = 100;
    private static final int LIMIT = 20;
    private static final int RESERVE = 4;
    private static final List<Operation> BETWEEN =
            List.of(Operation.LINES_ENTER, Operation.CONTAINERS_CLAIM, Operation.POOLS_READ, Operation.JOBS_REPLACE);

    private final OutboundWorld world = new OutboundWorld(policy(LIMIT, RESERVE));
    private final Map<Integer, Seat> callers = new HashMap<>();
    private final Map<Made, Instant> callees = new HashMap<>();
    private Random random = new Random(0);
    private int arrived;
    private int insideSteps;
    private int beyondTheReserve;
    private final List<JobId> asked = new ArrayList<>();
    private Instant clock = NOW;
    private int seatedInside;
    private int looks;

    /** A caller's slot, and when the caller hangs up. */
    private record Seat(Container container, Generation generation, Instant until) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20261129, 20261130})
    void no_caller_is_refused_while_the_reserve_holds(long seed) {
        System.out.println("BatchAmongCallersTest: seed " + seed);
        random = new Random(seed);
        for (String name : List.of("a1", "a2", "a3", "a4")) {
            world.table.put(aliveUntil(ready(ACME_POOL, name), minutes(600)));
        }
        for (int n = 1; n <= JOBS; n++) {
            world.table.put(job(n));
            asked.add(job(n).id());
        }
        world.twilio.whileDialling(this::lookAtTheReserve);

        int second = 0;
        while (!world.table.jobs().atHand(ACME).stream().allMatch(BatchAmongCallersTest::isEnded) && second < 3000) {
            Instant now = seconds(second++);
            clock = now;
            seatedInside = 0;
            hangUps(now);
            if (random.nextInt(4) == 0) {
                arrive(now);
            }
            boolean between = random.nextInt(3) == 0;
            if (between) {
                world.table
                        .operations()
                        .on(
                                BETWEEN.get(random.nextInt(BETWEEN.size())),
                                1 + random.nextInt(2),
                                random.nextBoolean() ? Moment.BEFORE : Moment.AFTER,
                                () -> {
                                    insideSteps++;
                                    seatedInside += arrive(now) ? 1 : 0;
                                });
            }
            world.run(now);
            world.table.operations().heal();
            answers(now);
            // at every instant
            assertThat(world.outbound().calls().size()).isLessThanOrEqualTo(LIMIT);
            everyJobIsOneOfThree();
        }

        assertThat(world.table.jobs().atHand(ACME)).hasSize(JOBS).allMatch(BatchAmongCallersTest::isEnded);
        assertThat(world.twilio.made()).hasSize(JOBS);
        assertThat(insideSteps).isGreaterThan(10);
        assertThat(arrived).isGreaterThan(40);
        assertThat(world.outbound().calls()).isEmpty();
        assertThat(looks).isEqualTo(JOBS);
        System.out.println(arrived + " callers, " + insideSteps + " of them inside a step, " + beyondTheReserve
                + " beyond the reserve; " + second + " s");
    }

    private static boolean isEnded(Job job) {
        return job.state() instanceof JobState.Ended;
    }

    /** Those who were asked for, each once, and in the state that fits what Twilio knows: it was never dialled twice. */
    private void everyJobIsOneOfThree() {
        List<JobId> dialled = world.twilio.made().stream().map(Made::job).toList();
        assertThat(dialled).doesNotHaveDuplicates();
        List<Job> all = world.table.jobs().atHand(ACME);
        assertThat(all).extracting(Job::id).containsExactlyInAnyOrderElementsOf(asked);
        for (Job job : all) {
            if (job.isWaiting()) {
                assertThat(dialled).doesNotContain(job.id());
            } else {
                assertThat(isEnded(job)).isNotEqualTo(job.state().isInFlight());
                assertThat(dialled).contains(job.id());
            }
        }
    }

    /**
     * As the table is when Twilio is asked, not as the dialer saw it: the reserve is there, but for the caller who took of it
     * inside this very step.
     */
    private void lookAtTheReserve() {
        looks++;
        assertThat(world.table.look(ACME_POOL).free(clock) + seatedInside).isGreaterThanOrEqualTo(RESERVE);
    }

    /** As the load balancer does: to any container that has a free slot; whether there is one. */
    private boolean arrive(Instant now) {
        int n = 1000 + arrived++;
        PoolView view = world.table.look(ACME_POOL);
        List<Container> free =
                view.claimable(now).filter(container -> container.free(now) > 0).toList();
        Optional<Container> slot =
                free.isEmpty() ? Optional.empty() : Optional.of(free.get(random.nextInt(free.size())));
        if (slot.isEmpty()) {
            assertThat(callers.size())
                    .as("a caller found no slot while callers had " + callers.size() + " of " + RESERVE + " reserved")
                    .isGreaterThanOrEqualTo(RESERVE);
            beyondTheReserve++;
            return false;
        }
        Generation generation = generation(1, n);
        Claim claim = Claim.reserved(generation, ACME, now, now);
        assertThat(world.table.containers().claim(ACME_POOL, slot.get().id(), call(n), claim, 6, now))
                .isInstanceOf(ClaimResult.Claimed.class);
        world.table.containers().connect(ACME_POOL, slot.get().id(), call(n), generation);
        callers.put(n, new Seat(slot.get(), generation, now.plusSeconds(5 + random.nextInt(60))));
        return true;
    }

    private void hangUps(Instant now) {
        for (Map.Entry<Integer, Seat> caller : new ArrayList<>(callers.entrySet())) {
            Seat seat = caller.getValue();
            if (!seat.until().isAfter(now)) {
                world.table
                        .containers()
                        .end(ACME_POOL, seat.container().id(), call(caller.getKey()), seat.generation());
                callers.remove(caller.getKey());
            }
        }
    }

    /** Those who were dialled pick up or not, and all are done some time later. */
    private void answers(Instant now) {
        for (Made made : world.twilio.made()) {
            callees.computeIfAbsent(made, dialled -> {
                if (random.nextInt(5) > 0) {
                    world.answering.answer(dialled.job(), dialled.generation(), dialled.call(), now);
                }
                return now.plusSeconds(5 + random.nextInt(70));
            });
            if (callees.getOrDefault(made, NOW).equals(now)) {
                world.ending.status(made.job(), made.generation(), made.call(), "no-answer", now);
            }
        }
    }
}
