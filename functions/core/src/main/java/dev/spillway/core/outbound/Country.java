package dev.spillway.core.outbound;

import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Numbers that may be dialled, and when their owners may be disturbed.
 *
 * @param prefix a plus sign and the first digits of the numbers: a country code, or a part of one
 * @param zones where the owner may be: it has to be a good time in all of them, since a number does not tell which
 * @param opens the first local time at which a call may begin
 * @param closes the local time from which none may begin; after {@code opens} on the same day
 */
public record Country(String prefix, Set<ZoneId> zones, LocalTime opens, LocalTime closes) {
    private static final Pattern PREFIX = Pattern.compile("\\+[1-9][0-9]{0,6}");

    public Country {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException("want a prefix such as +1 or +4420, not '" + prefix + "'");
        }
        zones = Set.copyOf(zones);
        if (zones.isEmpty()) {
            throw new IllegalArgumentException("prefix " + prefix + " needs a time zone");
        }
        if (!opens.isBefore(closes)) {
            throw new IllegalArgumentException("want opens before closes, not " + opens + " and " + closes);
        }
    }

    /** At any time. */
    public static Country always(String prefix) {
        return new Country(prefix, Set.of(ZoneId.of("Etc/UTC")), LocalTime.MIN, LocalTime.MAX);
    }

    public boolean isOpen(Instant at) {
        return zones.stream().allMatch(zone -> {
            LocalTime time = at.atZone(zone).toLocalTime();
            return !time.isBefore(opens) && time.isBefore(closes);
        });
    }

    /** The first moment from {@code from} on at which a call may begin; empty if it is never a good time in all zones. */
    public Optional<Instant> nextOpening(Instant from) {
        if (isOpen(from)) {
            return Optional.of(from);
        }
        // It opens when the last zone does; three days cover every shift between zones and every change of clocks.
        return zones.stream()
                .flatMap(zone -> java.util.stream.IntStream.rangeClosed(0, 3)
                        .mapToObj(day -> opening(zone, from, day))
                        .filter(opening -> opening.isAfter(from)))
                .filter(this::isOpen)
                .min(Comparator.naturalOrder());
    }

    private Instant opening(ZoneId zone, Instant from, int day) {
        ZonedDateTime local = from.atZone(zone);
        return local.toLocalDate().plusDays(day).atTime(opens).atZone(zone).toInstant();
    }
}
