package dev.spillway.system.bench;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything measured; what {@code --json} writes.
 *
 * @param at when it was measured, as ISO 8601
 * @param start null if it was not asked for
 * @param echo null if it was not asked for
 */
public record BenchResult(
        String at,
        Machine machine,
        @Nullable StartResult start,
        @Nullable EchoResult echo) {

    /** @param loadBefore the machine's load average over the minute before; negative where there is none */
    public record Machine(int cores, String java, double loadBefore) {}

    /**
     * From process start to ready, in milliseconds, in the order of the launches.
     *
     * @param withCache media containers with the AOT cache; empty if there is no cache
     * @param withoutCache media containers without it
     * @param plain a Java process that opens a Netty port and nothing more
     */
    public record StartResult(List<Long> withCache, List<Long> withoutCache, List<Long> plain) {
        /** Targets for an idle machine, in milliseconds. */
        public static final long TARGET_WITH_CACHE = 1_200;

        public static final long TARGET_WITHOUT_CACHE = 2_000;
    }

    /** The same load on two servers. */
    public record EchoResult(int streams, int seconds, Echo container, Echo plain) {
        /** Cores for 500 streams. */
        public static final double TARGET_CORES = 1;
    }

    /**
     * @param sent frames sent within the window
     * @param returned those of them that came back
     * @param cores CPU time of the server's process over the window, divided by its length
     * @param roundTripP50Millis what the load itself reads late counts too
     * @param sendLatenessP99Millis how much too late the load sent a frame
     */
    public record Echo(
            long sent,
            long returned,
            double cores,
            double roundTripP50Millis,
            double roundTripP99Millis,
            double sendLatenessP50Millis,
            double sendLatenessP99Millis) {}
}
