package dev.spillway.simulation.world;

import dev.spillway.core.memory.Sample;
import dev.spillway.core.pool.Policy.ScaleInRule;
import dev.spillway.core.pool.Policy.ScaleOutRule;
import dev.spillway.core.tenant.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongUnaryOperator;

/**
 * What happens under one seed from outside: who calls when, what goes wrong as a whole and when, and how much goes wrong with
 * single questions.
 *
 * @param limit slots of a container
 * @param minimum of each tenant's pool
 * @param quietMicros when the last fault is over
 */
record Scenario(
        long seed,
        List<Arrival> arrivals,
        List<Mishap> mishaps,
        Faults.Profile profile,
        Carrier.Manners manners,
        Bus.Delivery delivery,
        double failingLaunches,
        ScaleOutRule rule,
        int limit,
        int minimum,
        Outgoing outgoing,
        List<Command> commands,
        long quietMicros) {
    private static final long SECOND = 1_000_000;
    private static final List<TenantId> TENANTS = List.of(Sample.ACME, Sample.BLOOM);

    /** One caller. */
    record Arrival(
            int number, TenantId tenant, long atMicros, long patienceMicros, long talkMicros, boolean agentEndsIt) {
        String name() {
            return "arrival " + number;
        }

        /** For so long at most. */
        private Arrival talking(long mostMicros) {
            return new Arrival(number, tenant, atMicros, patienceMicros, Math.min(talkMicros, mostMicros), agentEndsIt);
        }
    }

    /** What can go wrong as a whole. */
    enum Trouble {
        KILL_CONTAINER,
        VANISH_HOST,
        FREEZE_CONTAINER,
        CUT_OFF_CONTAINER,
        /** The first one that passes another's stream on. */
        FREEZE_RELAY,
        VANISH_RELAY,
        /** Fargate stops its task, which replaces it. */
        RETIRE_TASK,
        TABLE_DOWN,
        TABLE_SLOW,
        TABLE_THROTTLED,
        ECS_DOWN,
        ECS_THROTTLED,
        TWILIO_DOWN,
        TWILIO_THROTTLED,
        BUS_DOWN,
        DEPLOYMENT
    }

    /** @param which chooses the container, or the service */
    record Mishap(int number, Trouble trouble, long atMicros, long forMicros, int which) {
        String name() {
            return "mishap " + number + " " + trouble;
        }
    }

    static Scenario of(long seed) {
        Chance chance = Chance.of(seed, "scenario");
        long active = chance.between(150, 480) * SECOND;
        List<Arrival> arrivals = arrivals(seed, active);
        boolean alone = chance.hits(0.1);
        double badness = alone || chance.hits(0.1) ? 0 : chance.hits(0.5) ? 0.3 : 1;
        Faults.Profile profile = new Faults.Profile(
                badness * chance.exponential(0.01),
                badness * chance.exponential(0.004),
                badness * chance.exponential(0.004),
                badness * Chance.of(seed, "standing").exponential(0.004));
        Carrier.Manners manners = new Carrier.Manners(
                chance.hits(0.5),
                chance.hits(0.5),
                badness * chance.share() * 0.3,
                badness * chance.share() * 0.3,
                badness * chance.share() * 0.3);
        Bus.Delivery delivery = new Bus.Delivery(
                badness * chance.share() * 0.3, badness * chance.share() * 0.3, badness * chance.share() * 0.3);
        if (badness == 0) {
            profile = Faults.Profile.CALM;
        }
        double failingLaunches = badness * chance.share() * 0.2;
        ScaleOutRule rule = chance.hits(0.5) ? ScaleOutRule.PLUS_ONE : notTheTexts(seed);
        int limit = chance.oneOf(List.of(2, 3, 6));
        return new Scenario(
                seed,
                arrivals,
                alone ? oneMishap(seed, active) : mishaps(seed, active, badness),
                profile,
                manners,
                delivery,
                failingLaunches,
                rule,
                limit,
                chance.hits(0.7) ? 0 : 2,
                Outgoing.of(seed, TENANTS, active, limit, badness),
                Command.of(seed, TENANTS, active),
                active);
    }

    private static ScaleOutRule notTheTexts(long seed) {
        return Chance.of(seed, "rule").hits(0.5) ? ScaleOutRule.DEMAND : ScaleOutRule.AHEAD;
    }

    /** The usual rules go together, and so do the others with the first text's. */
    ScaleInRule scaleIn() {
        return switch (rule) {
            case PLUS_ONE, DEMAND -> ScaleInRule.IDLE;
            case AHEAD -> ScaleInRule.CONSOLIDATE;
        };
    }

    /** Bursts, lulls and trickles; and in one seed of ten, waves. */
    private static List<Arrival> arrivals(long seed, long active) {
        Chance chance = Chance.of(seed, "arrivals");
        List<Arrival> arrivals = new ArrayList<>();
        int number = 0;
        int groups = 1 + chance.below(4);
        for (int group = 0; group < groups; group++) {
            TenantId tenant = chance.oneOf(TENANTS);
            int many = 1 + chance.below(chance.hits(0.3) ? 24 : 9);
            long from = chance.between(0, active * 3 / 4);
            long span = switch (chance.below(3)) {
                case 0 -> 10 * SECOND;
                case 1 -> 60 * SECOND;
                default -> active / 4;
            };
            boolean rising = chance.hits(0.5);
            LongUnaryOperator within = rising ? at -> at : at -> span - at;
            for (int i = 0; i < many; i++) {
                long at = within.applyAsLong((long) (span * Math.sqrt(chance.share())));
                arrivals.add(arrival(++number, tenant, from + at, Chance.of(seed, "caller " + number)));
            }
        }
        arrivals.addAll(waves(seed, active, number));
        return List.copyOf(arrivals);
    }

    /**
     * As many callers again and again, who talk for a short time, and a lull after each wave that is about as long as the idle
     * window: the pool grows and shrinks by turns.
     */
    private static List<Arrival> waves(long seed, long active, int before) {
        Chance chance = Chance.of(seed, "waves");
        if (!chance.hits(0.1)) {
            return List.of();
        }
        TenantId tenant = chance.oneOf(TENANTS);
        int many = 3 + chance.below(6);
        long apart = chance.between(50, 110) * SECOND;
        List<Arrival> arrivals = new ArrayList<>();
        int number = before;
        for (long from = chance.between(0, apart); from < active * 3 / 4; from += apart) {
            for (int i = 0; i < many; i++) {
                Chance caller = Chance.of(seed, "caller " + ++number);
                long at = from + caller.between(0, 8 * SECOND);
                arrivals.add(arrival(number, tenant, at, caller).talking(30 * SECOND));
            }
        }
        return arrivals;
    }

    /** Who gives up while waiting: one in fifteen, most of them at half a minute and at a minute. */
    private static Arrival arrival(int number, TenantId tenant, long at, Chance chance) {
        long patience = 3_600 * SECOND;
        if (chance.hits(0.065)) {
            patience = switch (chance.below(5)) {
                case 0, 1 -> chance.between(28, 33) * SECOND;
                case 2, 3 -> chance.between(57, 64) * SECOND;
                default -> chance.between(1, 90) * SECOND;
            };
        }
        long talk = (long) ((5 + chance.exponential(75)) * SECOND);
        return new Arrival(number, tenant, at, patience, Math.min(talk, 400 * SECOND), chance.hits(0.3));
    }

    /** One container is lost or taken away, and nothing else goes wrong. */
    private static List<Mishap> oneMishap(long seed, long active) {
        Chance chance = Chance.of(seed, "one mishap");
        Trouble trouble = chance.oneOf(List.of(
                Trouble.KILL_CONTAINER,
                Trouble.VANISH_HOST,
                Trouble.FREEZE_CONTAINER,
                Trouble.FREEZE_RELAY,
                Trouble.VANISH_RELAY,
                Trouble.RETIRE_TASK));
        boolean relays = trouble == Trouble.FREEZE_RELAY || trouble == Trouble.VANISH_RELAY;
        long at = relays ? 30 * SECOND : chance.between(30 * SECOND, active - 60 * SECOND);
        return List.of(new Mishap(1, trouble, at, active - at, chance.below(1_000)));
    }

    private static List<Mishap> mishaps(long seed, long active, double badness) {
        Chance chance = Chance.of(seed, "mishaps");
        List<Mishap> mishaps = new ArrayList<>();
        int many = badness == 0 ? 0 : chance.below(6);
        List<Trouble> kinds = List.of(
                Trouble.KILL_CONTAINER,
                Trouble.VANISH_HOST,
                Trouble.FREEZE_CONTAINER,
                Trouble.CUT_OFF_CONTAINER,
                Trouble.TABLE_DOWN,
                Trouble.TABLE_SLOW,
                Trouble.ECS_DOWN,
                Trouble.TWILIO_DOWN,
                Trouble.DEPLOYMENT);
        for (int i = 1; i <= many; i++) {
            Trouble trouble = milder(chance.oneOf(kinds), Chance.of(seed, "throttling " + i));
            long at = chance.between(0, active - 10 * SECOND);
            long most = trouble == Trouble.FREEZE_CONTAINER || trouble == Trouble.CUT_OFF_CONTAINER ? 240 : 90;
            long lasts = Math.min(chance.between(1, most) * SECOND, active - at);
            mishaps.add(new Mishap(i, trouble, at, lasts, chance.below(1_000)));
        }
        Chance retired = Chance.of(seed, "retired");
        if (many > 0 && retired.hits(0.25)) {
            long at = retired.between(0, active - 10 * SECOND);
            mishaps.add(new Mishap(many + 2, Trouble.RETIRE_TASK, at, active - at, retired.below(1_000)));
        }
        Chance bus = Chance.of(seed, "bus");
        if (badness > 0 && bus.hits(0.08)) {
            long at = bus.between(0, active - 10 * SECOND);
            long lasts = Math.min(bus.between(5, 120) * SECOND, active - at);
            mishaps.add(new Mishap(many + 1, Trouble.BUS_DOWN, at, lasts, 0));
        }
        return List.copyOf(mishaps);
    }

    /** Some of what would be down, or slow, is throttled instead. */
    private static Trouble milder(Trouble drawn, Chance chance) {
        if (!chance.hits(0.35)) {
            return drawn;
        }
        return switch (drawn) {
            case TABLE_DOWN, TABLE_SLOW -> Trouble.TABLE_THROTTLED;
            case ECS_DOWN -> Trouble.ECS_THROTTLED;
            case TWILIO_DOWN -> Trouble.TWILIO_THROTTLED;
            case KILL_CONTAINER,
                    VANISH_HOST,
                    FREEZE_CONTAINER,
                    CUT_OFF_CONTAINER,
                    FREEZE_RELAY,
                    VANISH_RELAY,
                    RETIRE_TASK,
                    TABLE_THROTTLED,
                    ECS_THROTTLED,
                    TWILIO_THROTTLED,
                    BUS_DOWN,
                    DEPLOYMENT -> drawn;
        };
    }

    /** The same with less in it. */
    Scenario without(Set<String> left) {
        return new Scenario(
                seed,
                arrivals.stream()
                        .filter(arrival -> !left.contains(arrival.name()))
                        .toList(),
                mishaps.stream().filter(mishap -> !left.contains(mishap.name())).toList(),
                profile,
                manners,
                delivery,
                failingLaunches,
                rule,
                limit,
                minimum,
                outgoing.without(left),
                commands.stream()
                        .filter(command -> !left.contains(command.name()))
                        .toList(),
                quietMicros);
    }

    /** Whether nothing goes wrong at all. */
    boolean isCalm() {
        return profile.equals(Faults.Profile.CALM) && mishaps.isEmpty();
    }

    /** What goes wrong, if that is all that does. */
    Optional<Trouble> only() {
        return profile.equals(Faults.Profile.CALM) && mishaps.size() == 1
                ? Optional.of(mishaps.getFirst().trouble())
                : Optional.empty();
    }

    /** In one line. */
    String words() {
        return "seed " + seed + ": " + arrivals.size() + " calls, " + mishaps.size() + " mishaps "
                + mishaps.stream().map(Mishap::trouble).toList() + ", limit " + limit + ", minimum " + minimum
                + ", " + rule + ", faults " + profile + ", " + manners + ", " + delivery + ", failing launches "
                + failingLaunches + outgoing.words()
                + (commands.isEmpty()
                        ? ""
                        : ", " + commands.stream().map(Command::name).toList());
    }
}
