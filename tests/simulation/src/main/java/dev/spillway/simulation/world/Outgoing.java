package dev.spillway.simulation.world;

import dev.spillway.core.outbound.Country;
import dev.spillway.core.outbound.OutboundPolicy;
import dev.spillway.core.tenant.TenantId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The calls out of one seed: what each tenant may make, what it asks for, who is called, and how Twilio treats dials.
 *
 * @param policies of the tenants that make calls
 */
record Outgoing(Map<TenantId, OutboundPolicy> policies, List<Request> requests, Treatment treatment) {
    private static final long SECOND = 1_000_000;
    static final Outgoing NONE = new Outgoing(Map.of(), List.of(), Treatment.CALM);

    /** Share of the dials that Twilio refuses, and of those of which it is not known whether it dials. */
    record Treatment(double refused, double lost) {
        static final Treatment CALM = new Treatment(0, 0);
    }

    /** Jobs of one batch, asked for at once; whoever asks asks again under the same key if no answer comes. */
    record Request(int number, TenantId tenant, long atMicros, int weight, List<Wish> wishes) {
        String name() {
            return "request " + number;
        }

        String batch() {
            return "batch" + number;
        }

        private Request with(List<Wish> left) {
            return new Request(number, tenant, atMicros, weight, left);
        }
    }

    /**
     * One call that is asked for. Times are virtual ones, in microseconds.
     *
     * @param number its own among all of the seed
     * @param cancelAtMicros when it is canceled; negative if it is not
     */
    record Wish(
            int number,
            String to,
            long notBeforeMicros,
            long deadlineMicros,
            long maximumWaitMicros,
            long cancelAtMicros,
            Callee callee) {
        String name() {
            return "wish " + number;
        }
    }

    /** What becomes of a call once it rings. */
    enum End {
        ANSWERED,
        BUSY,
        NO_ANSWER,
        FAILED
    }

    /** @param talkMicros how long there is to talk about */
    record Callee(End end, long ringMicros, long talkMicros, long patienceMicros, boolean agentEndsIt) {}

    static Outgoing of(long seed, List<TenantId> tenants, long active, int limit, double badness) {
        Chance chance = Chance.of(seed, "outgoing");
        if (!chance.hits(0.35)) {
            return NONE;
        }
        Map<TenantId, OutboundPolicy> policies = new TreeMap<>();
        TenantId first = chance.oneOf(tenants);
        for (TenantId tenant : tenants) {
            if (tenant.equals(first) || chance.hits(0.2)) {
                policies.put(tenant, policy(chance, limit));
            }
        }
        List<Request> requests = new ArrayList<>();
        int wishes = 0;
        int many = 1 + chance.below(3);
        for (int i = 1; i <= many; i++) {
            TenantId tenant = chance.oneOf(List.copyOf(policies.keySet()));
            long at = chance.between(0, active * 3 / 4);
            long window = chance.hits(0.5) ? 0 : chance.between(10, 150) * SECOND;
            int size = 1 + chance.below(chance.hits(0.2) ? 24 : 7);
            List<Wish> wished = new ArrayList<>();
            for (int j = 0; j < size; j++) {
                wishes++;
                wished.add(wish(wishes, at, window, active, Chance.of(seed, "wish " + wishes)));
            }
            requests.add(new Request(i, tenant, at, chance.hits(0.7) ? 1 : 3, List.copyOf(wished)));
        }
        double lost = badness * chance.share() * 0.3;
        double refused = badness * chance.share() * 0.2;
        return new Outgoing(Collections.unmodifiableMap(policies), List.copyOf(requests), new Treatment(refused, lost));
    }

    private static OutboundPolicy policy(Chance chance, int limit) {
        return new OutboundPolicy(
                1 + chance.below(8),
                chance.below(limit + 1),
                200,
                chance.hits(0.7) ? 1 : 5,
                chance.hits(0.1) ? 4 : 10_000,
                chance.hits(0.2) ? Map.of("speech", 2 + chance.below(6)) : Map.of(),
                List.of(Country.always("+1")),
                Set.of(),
                OutboundPolicy.Warmth.USUAL);
    }

    /** One number in two is called by others, too. */
    private static Wish wish(int number, long at, long window, long active, Chance chance) {
        String to = chance.hits(0.5)
                ? "+1500555%04d".formatted(1_000 + chance.below(4))
                : "+1500555%04d".formatted(2_000 + number);
        long notBefore = at + window;
        long longest = chance.hits(0.3) ? chance.between(15, 60) * SECOND : chance.between(60, 400) * SECOND;
        long deadline = Math.max(notBefore + 10 * SECOND, Math.min(notBefore + longest, active + 90 * SECOND));
        long cancelAt = chance.hits(0.1) ? at + chance.between(1, 200) * SECOND : -1;
        double end = chance.share();
        End how = end < 0.6 ? End.ANSWERED : end < 0.75 ? End.BUSY : end < 0.9 ? End.NO_ANSWER : End.FAILED;
        long ring = how == End.NO_ANSWER ? 30 * SECOND : chance.between(SECOND / 2, 20 * SECOND);
        return new Wish(
                number,
                to,
                notBefore,
                deadline,
                chance.between(20, 300) * SECOND,
                cancelAt,
                new Callee(
                        how,
                        ring,
                        Math.min((long) ((5 + chance.exponential(40)) * SECOND), 300 * SECOND),
                        chance.hits(0.05) ? chance.between(3, 40) * SECOND : 3_600 * SECOND,
                        chance.hits(0.4)));
    }

    /** The same with less in it. */
    Outgoing without(Set<String> left) {
        return new Outgoing(
                policies,
                requests.stream()
                        .filter(request -> !left.contains(request.name()))
                        .map(request -> request.with(request.wishes().stream()
                                .filter(wish -> !left.contains(wish.name()))
                                .toList()))
                        .filter(request -> !request.wishes().isEmpty())
                        .toList(),
                treatment);
    }

    /** What may be left out. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        requests.forEach(request -> {
            names.add(request.name());
            request.wishes().forEach(wish -> names.add(wish.name()));
        });
        return names;
    }

    /** In a few words. */
    String words() {
        return policies.isEmpty()
                ? ""
                : ", "
                        + requests.stream()
                                .mapToInt(request -> request.wishes().size())
                                .sum() + " calls out, "
                        + policies.entrySet().stream()
                                .map(entry ->
                                        entry.getKey() + " " + entry.getValue().outboundLimit() + " at once and "
                                                + entry.getValue().inboundReserve() + " reserved")
                                .sorted()
                                .toList()
                        + ", " + treatment;
    }
}
