package dev.spillway.operator.measure;

import dev.spillway.operator.measure.Launch.Part;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Prints every launch, and the percentiles of each part. */
final class LaunchReport {
    /** Below it a 95th percentile is hardly more than the largest sample. */
    private static final int ENOUGH = 20;

    private LaunchReport() {}

    static void print(List<Launch> launches, PrintWriter out) {
        row(out, "seconds", part -> part.name().toLowerCase(Locale.ROOT));
        for (int i = 0; i < launches.size(); i++) {
            Launch launch = launches.get(i);
            row(out, "launch " + (i + 1), part -> seconds(launch.parts().getOrDefault(part, Duration.ZERO)));
        }
        row(out, "p50", part -> seconds(percentile(launches, part, 50)));
        row(out, "p95", part -> seconds(percentile(launches, part, 95)));
        if (launches.size() < ENOUGH) {
            out.println("p95 is rough: it is of " + launches.size() + " launches, and fewer than " + ENOUGH
                    + " hardly tell a 95th percentile from the longest.");
        }
        out.flush();
    }

    @FunctionalInterface
    private interface Cell {
        String of(Part part);
    }

    private static void row(PrintWriter out, String name, Cell cell) {
        StringBuilder line = new StringBuilder("%-12s".formatted(name));
        for (Part part : Part.values()) {
            line.append("%10s".formatted(cell.of(part)));
        }
        out.println(line);
    }

    /** By nearest rank: a value that was measured. */
    static Duration percentile(List<Launch> launches, Part part, int percent) {
        List<Duration> sorted = launches.stream()
                .map(launch -> launch.parts().getOrDefault(part, Duration.ZERO))
                .sorted()
                .toList();
        int rank = (int) Math.ceil(percent / 100.0 * sorted.size()) - 1;
        return sorted.isEmpty() ? Duration.ZERO : sorted.get(Math.max(0, rank));
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f", duration.toMillis() / 1000.0);
    }
}
