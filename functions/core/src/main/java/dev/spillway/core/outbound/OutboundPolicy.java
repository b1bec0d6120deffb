package dev.spillway.core.outbound;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a tenant's calls out may take, and whom they may reach.
 *
 * @param outboundLimit calls out at the same time, wherever they talk; 0 makes none
 * @param inboundReserve slots of the pool that are kept for callers
 * @param maxWaitingJobs jobs that may wait at the same time
 * @param dialsPerSecond Twilio starts 1 call per second and account unless told otherwise; what is more it queues
 * @param dailyCap dials per day in UTC
 * @param providerSessions conversations, in and out, that the providers of speech and models allow at the same time
 * @param countries the only numbers that may be dialled
 * @param suppressed hashes of numbers that must not be dialled, as {@link NumberHash} makes them
 */
public record OutboundPolicy(
        int outboundLimit,
        int inboundReserve,
        int maxWaitingJobs,
        double dialsPerSecond,
        int dailyCap,
        int providerSessions,
        List<Country> countries,
        Set<String> suppressed) {

    /** No calls out. */
    public static final OutboundPolicy NONE = new OutboundPolicy(0, 0, 0, 1, 0, Integer.MAX_VALUE, List.of(), Set.of());

    public OutboundPolicy {
        if (outboundLimit < 0 || inboundReserve < 0 || maxWaitingJobs < 0 || dailyCap < 0 || providerSessions < 0) {
            throw new IllegalArgumentException("limits of outbound calls cannot be negative");
        }
        if (!(dialsPerSecond > 0) || dialsPerSecond > 1000) {
            throw new IllegalArgumentException("want 0 < dialsPerSecond <= 1000, not " + dialsPerSecond);
        }
        countries = List.copyOf(countries);
        suppressed = Set.copyOf(suppressed);
    }

    /** The entry for a number: that with the longest prefix. */
    public Optional<Country> countryOf(String number) {
        return countries.stream()
                .filter(country -> number.startsWith(country.prefix()))
                .max(Comparator.comparingInt(country -> country.prefix().length()));
    }
}
