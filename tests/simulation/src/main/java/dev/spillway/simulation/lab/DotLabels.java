package dev.spillway.simulation.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Where the names of dots stand: beside them, and none over another. Dots at one place share one name. */
final class DotLabels {
    /** Of the page's 11 px letters, on average; a guess. */
    private static final double LETTER = 6;

    private static final double LINE = 12;
    private static final double APART = 8;

    private final double right;
    private final List<Dot> dots = new ArrayList<>();

    private record Dot(double x, double y, String name) {}

    /** @param isLeft whether it ends at its place instead of beginning there */
    record Label(double x, double y, String text, boolean isLeft) {
        private double from() {
            return isLeft ? x - LETTER * text.length() : x;
        }

        private double to() {
            return isLeft ? x : x + LETTER * text.length();
        }

        private boolean overlaps(Label other) {
            return from() < other.to() && other.from() < to() && Math.abs(y - other.y) < LINE;
        }
    }

    /** @param right the edge that no name may cross */
    DotLabels(double right) {
        this.right = right;
    }

    void add(double x, double y, String name) {
        dots.add(new Dot(x, y, name));
    }

    List<Label> placed() {
        List<Dot> merged = new ArrayList<>();
        for (Dot dot : dots) {
            int same = 0;
            while (same < merged.size() && !isSame(merged.get(same), dot)) {
                same++;
            }
            if (same == merged.size()) {
                merged.add(dot);
            } else {
                Dot there = merged.get(same);
                merged.set(same, new Dot(there.x, there.y, there.name + ", " + dot.name));
            }
        }
        List<Label> placed = new ArrayList<>();
        for (Dot dot : merged) {
            List<Label> places = Stream.of(-4.0, -16.0, -28.0, -40.0, -52.0, 14.0)
                    .flatMap(down -> Stream.of(
                            new Label(dot.x + APART, dot.y + down, dot.name, false),
                            new Label(dot.x - APART, dot.y + down, dot.name, true)))
                    .filter(label -> label.from() >= 0 && label.to() <= right)
                    .toList();
            places.stream()
                    .filter(label -> placed.stream().noneMatch(label::overlaps))
                    .findFirst()
                    .or(() -> places.stream().findFirst())
                    .ifPresent(placed::add);
        }
        return placed;
    }

    private static boolean isSame(Dot one, Dot other) {
        return Math.hypot(one.x - other.x, one.y - other.y) < 2;
    }
}
