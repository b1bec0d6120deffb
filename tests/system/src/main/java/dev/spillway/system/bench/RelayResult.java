package dev.spillway.system.bench;

import dev.spillway.system.bench.BenchResult.Echo;
import dev.spillway.system.bench.BenchResult.Machine;
import java.util.List;

/**
 * What relaying calls to a bot costs; what {@code --json} writes.
 *
 * @param at when it was measured, as ISO 8601
 * @param relayed through a media container, to the bot
 * @param direct to the same bot without anything between
 * @param residentMegabytes of the container's process, once every {@code sampleSeconds} from the beginning of the window
 */
public record RelayResult(
        String at,
        Machine machine,
        int streams,
        int seconds,
        Echo relayed,
        Echo direct,
        int sampleSeconds,
        List<Long> residentMegabytes) {
    /** Targets on two cores at 100 calls. */
    public static final double TARGET_ADDED_P99_MILLIS = 2;

    /** What a flat line may rise by, the heap's own saw teeth left out: a guess. */
    public static final long TARGET_GROWTH_MEGABYTES = 16;

    public RelayResult {
        residentMegabytes = List.copyOf(residentMegabytes);
    }

    public double addedP50Millis() {
        return relayed.roundTripP50Millis() - direct.roundTripP50Millis();
    }

    /** Of the round trip, which passes the relay twice. */
    public double addedP99Millis() {
        return relayed.roundTripP99Millis() - direct.roundTripP99Millis();
    }

    /** The highest of the last third of the samples less the highest of the second; 0 with too few. */
    public long growthMegabytes() {
        int third = residentMegabytes.size() / 3;
        if (third == 0) {
            return 0;
        }
        return highest(residentMegabytes.subList(2 * third, residentMegabytes.size()))
                - highest(residentMegabytes.subList(third, 2 * third));
    }

    private static long highest(List<Long> samples) {
        return samples.stream().mapToLong(Long::longValue).max().orElse(0);
    }
}
