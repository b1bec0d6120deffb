package dev.spillway.load.schedule;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Turns times into arrivals: gives each its class by weight, and adds callers who try again. */
public final class Mix {
    /** How classes are drawn, for the schedule to say. */
    public static final String CLASSES_RULE =
            "for each arrival u of java.util.Random(seed ^ 0x5deece66d) times the sum of the weights falls to a class, in"
                    + " that order";

    /** How those who call again are drawn. */
    public static final String RETRIES_RULE =
            "for each arrival u of java.util.Random(seed ^ 0x2545f491); below the share its caller calls again, so many"
                    + " seconds later";

    private Mix() {}

    /** @param weights of the classes; with one class the seed is not used */
    public static List<Arrival> arrivals(
            double[] times, @Nullable Double duration, Map<String, Double> weights, long seed) {
        Random random = new Random(seed ^ 0x5deece66dL); // not the numbers that the times were drawn from
        double total =
                weights.values().stream().mapToDouble(Double::doubleValue).sum();
        List<Arrival> arrivals = new ArrayList<>();
        for (double time : times) {
            arrivals.add(Arrival.at(arrivals.size(), time, duration, drawn(weights, total, random)));
        }
        return arrivals;
    }

    private static String drawn(Map<String, Double> weights, double total, Random random) {
        if (weights.size() == 1) {
            return weights.keySet().iterator().next();
        }
        double left = random.nextDouble() * total;
        String last = "";
        for (Map.Entry<String, Double> entry : weights.entrySet()) {
            last = entry.getKey();
            left -= entry.getValue();
            if (left < 0) {
                break;
            }
        }
        return last;
    }

    /**
     * The same arrivals, and retries between them: that share of the callers calls again so many seconds later. Arrivals
     * at one time keep their order, a retry after those that were there before.
     */
    public static List<Arrival> withRetries(List<Arrival> original, double share, double after, long seed) {
        Random random = new Random(seed ^ 0x2545f491L);
        record Draft(Arrival arrival, @Nullable Integer first) {}
        List<Draft> drafts = new ArrayList<>();
        original.forEach(arrival -> drafts.add(new Draft(arrival, null)));
        for (Arrival arrival : original) {
            if (random.nextDouble() < share) {
                Arrival again = new Arrival(
                        0, arrival.at() + after, arrival.duration(), arrival.className(), arrival.direction(), null);
                drafts.add(new Draft(again, arrival.id()));
            }
        }
        drafts.sort(Comparator.comparingDouble(draft -> draft.arrival().at()));
        Map<Integer, Integer> places = new LinkedHashMap<>();
        for (int place = 0; place < drafts.size(); place++) {
            if (drafts.get(place).first() == null) {
                places.put(drafts.get(place).arrival().id(), place);
            }
        }
        List<Arrival> arrivals = new ArrayList<>();
        for (Draft draft : drafts) {
            Arrival one = draft.arrival();
            arrivals.add(new Arrival(
                    arrivals.size(),
                    one.at(),
                    one.duration(),
                    one.className(),
                    one.direction(),
                    draft.first() == null ? null : places.get(draft.first())));
        }
        return arrivals;
    }
}
