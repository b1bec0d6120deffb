package dev.spillway.core.outbound;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a tenant's calls out may take, and whom they may reach.
 *
 * @param outboundLimit calls out at the same time, wherever they talk; 0 makes none
 * @param inboundReserve slots of the pool that are kept for callers
 * @param maxWaitingJobs jobs that may wait at the same time. Each request is checked against what it sees of the others, so
 *     that requests which are taken at the very same time may exceed it together: by the sizes of all but one of them
 * @param dialsPerSecond Twilio starts 1 call per second and account unless told otherwise; what is more it queues
 * @param dailyCap dials per day in UTC
 * @param providerLimits conversations, in and out, that each provider allows this tenant at the same time, by the
 *     provider's name: {@code {speech: 40, model: 25}}; a provider that is not named allows any number
 * @param countries the only numbers that may be dialled
 * @param suppressed hashes of numbers that must not be dialled, as {@link NumberHash} makes them
 * @param warmth how early and how long containers are there for jobs whose time is known
 */
public record OutboundPolicy(
        int outboundLimit,
        int inboundReserve,
        int maxWaitingJobs,
        double dialsPerSecond,
        int dailyCap,
        Map<String, Integer> providerLimits,
        List<Country> countries,
        Set<String> suppressed,
        Warmth warmth) {

    /** No calls out. */
    public static final OutboundPolicy NONE =
            new OutboundPolicy(0, 0, 0, 1, 0, Map.of(), List.of(), Set.of(), Warmth.USUAL);

    /**
     * How containers are kept ready for jobs whose time is known; see {@link Prewarming}.
     *
     * @param margin how much earlier than a cold start before the first job containers are asked for
     * @param keep no container that a job needs is retired within that time before the job
     */
    public record Warmth(Duration margin, Duration keep) {
        /**
         * Margin: whoever asks does so once a minute and somewhere within it, so two minutes may pass between two times.
         * Keep: one idle window (DESIGN.md, "Scaling"); a container that is wanted again so soon is not worth its cold
         * start. A guess.
         */
        public static final Warmth USUAL = new Warmth(Duration.ofMinutes(2), Duration.ofMinutes(10));

        public Warmth {
            if (margin.isNegative() || keep.isNegative()) {
                throw new IllegalArgumentException("want times that are not negative, not " + margin + " and " + keep);
            }
        }
    }

    public OutboundPolicy {
        if (outboundLimit < 0 || inboundReserve < 0 || maxWaitingJobs < 0 || dailyCap < 0) {
            throw new IllegalArgumentException("limits of outbound calls cannot be negative");
        }
        if (!(dialsPerSecond > 0) || dialsPerSecond > 1000) {
            throw new IllegalArgumentException("want 0 < dialsPerSecond <= 1000, not " + dialsPerSecond);
        }
        providerLimits = Map.copyOf(providerLimits);
        providerLimits.forEach((name, limit) -> {
            if (name.isBlank() || limit < 0) {
                throw new IllegalArgumentException(
                        "want a provider's name and a limit of at least 0, not '" + name + "' and " + limit);
            }
        });
        countries = List.copyOf(countries);
        suppressed = Set.copyOf(suppressed);
        Objects.requireNonNull(warmth);
    }

    /** The provider that allows fewest conversations; of several, the first by name. Empty if none is named. */
    public Optional<Map.Entry<String, Integer>> tightestProvider() {
        return new TreeMap<>(providerLimits).entrySet().stream().min(Map.Entry.comparingByValue());
    }

    /** The entry for a number: that with the longest prefix. */
    public Optional<Country> countryOf(String number) {
        return countries.stream()
                .filter(country -> number.startsWith(country.prefix()))
                .max(Comparator.comparingInt(country -> country.prefix().length()));
    }
}
