package dev.spillway.load.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One plot over the time of a run, as inline SVG. A value that was not observed leaves a hole in its line. */
final class Chart {
    private static final int WIDTH = 860;
    private static final int HEIGHT = 200;
    private static final int LEFT = 56;
    private static final int RIGHT = 12;
    private static final int TOP = 10;
    private static final int BOTTOM = 26;

    /** How values are joined. */
    enum Manner {
        LINE,
        /** The value holds until the next. */
        STEP,
        DOTS
    }

    /** One value at one time. */
    record Point(double seconds, @Nullable Double value) {}

    private record Series(String name, int colour, Manner manner, List<Point> points) {}

    private final String title;
    private final String unit;
    private final double seconds;
    private final double mark;
    private final List<Series> series = new ArrayList<>();

    /** @param mark seconds at which the last arrival was due */
    Chart(String title, String unit, double seconds, double mark) {
        this.title = title;
        this.unit = unit;
        this.seconds = Math.max(seconds, 1e-3);
        this.mark = mark;
    }

    Chart with(String name, Manner manner, List<Point> points) {
        series.add(new Series(name, series.size(), manner, points));
        return this;
    }

    String html() {
        StringBuilder html = new StringBuilder("<figure><figcaption>").append(HtmlPage.escaped(title));
        html.append(" <small>").append(HtmlPage.escaped(unit)).append("</small></figcaption>\n");
        if (series.stream().allMatch(one -> one.points().stream().allMatch(point -> point.value() == null))) {
            return html.append("<p class=\"none\">unavailable: not observed in this run</p></figure>\n")
                    .toString();
        }
        double top = nice(series.stream()
                .flatMap(one -> one.points().stream())
                .mapToDouble(point -> point.value() == null ? 0 : point.value())
                .max()
                .orElse(1));
        html.append("<svg viewBox=\"0 0 ")
                .append(WIDTH)
                .append(' ')
                .append(HEIGHT)
                .append("\" role=\"img\" aria-label=\"")
                .append(HtmlPage.escaped(title))
                .append("\">\n");
        axes(html, top);
        series.forEach(one -> draw(html, one, top));
        html.append("</svg>\n<p class=\"key\">");
        for (Series one : series) {
            html.append("<span class=\"c").append(one.colour()).append("\">&#9632;</span> ");
            html.append(HtmlPage.escaped(one.name()))
                    .append(one.points().stream().allMatch(point -> point.value() == null) ? " (unavailable)" : "")
                    .append(" &nbsp; ");
        }
        return html.append("</p></figure>\n").toString();
    }

    private void axes(StringBuilder html, double top) {
        for (int i = 0; i <= 4; i++) {
            double value = top * i / 4;
            double y = y(value, top);
            html.append(String.format(
                    Locale.ROOT,
                    "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                            + "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
                    LEFT,
                    y,
                    WIDTH - RIGHT,
                    y,
                    LEFT - 6,
                    y + 4,
                    Numbers.plain(value)));
        }
        double step = nice(seconds / 6);
        for (double at = 0; at <= seconds + 1e-9; at += step) {
            html.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s s</text>%n",
                    x(at),
                    HEIGHT - 8,
                    Numbers.plain(at)));
        }
        if (mark > 0 && mark < seconds) {
            html.append(String.format(
                    Locale.ROOT,
                    "<line class=\"mark\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>%n",
                    x(mark),
                    TOP,
                    x(mark),
                    HEIGHT - BOTTOM));
        }
    }

    private void draw(StringBuilder html, Series one, double top) {
        if (one.manner() == Manner.DOTS) {
            for (Point point : one.points()) {
                if (point.value() != null) {
                    html.append(String.format(
                            Locale.ROOT,
                            "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>",
                            one.colour(),
                            x(point.seconds()),
                            y(point.value(), top)));
                }
            }
            html.append('\n');
            return;
        }
        StringBuilder path = new StringBuilder();
        boolean down = false;
        double last = 0;
        for (int i = 0; i < one.points().size(); i++) {
            Point point = one.points().get(i);
            if (point.value() == null) {
                down = false;
                continue;
            }
            double y = y(point.value(), top);
            boolean ends =
                    i + 1 == one.points().size() || one.points().get(i + 1).value() == null;
            if (!down && ends) { // a value without neighbours makes no line
                html.append(String.format(
                        Locale.ROOT,
                        "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>",
                        one.colour(),
                        x(point.seconds()),
                        y));
                continue;
            }
            if (down && one.manner() == Manner.STEP) {
                path.append(String.format(Locale.ROOT, "L%.1f %.1f", x(point.seconds()), last));
            }
            path.append(String.format(Locale.ROOT, "%s%.1f %.1f", down ? "L" : "M", x(point.seconds()), y));
            down = true;
            last = y;
        }
        html.append("\n<path class=\"s")
                .append(one.colour())
                .append("\" d=\"")
                .append(path)
                .append("\"/>\n");
    }

    private double x(double at) {
        return LEFT + at / seconds * (WIDTH - LEFT - RIGHT);
    }

    private static double y(double value, double top) {
        return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
    }

    /** The next of 1, 2, 4, 5 or 10 times a power of ten. */
    static double nice(double value) {
        if (value <= 0) {
            return 1;
        }
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        for (double factor : new double[] {1, 2, 4, 5, 10}) {
            if (value <= factor * power * (1 + 1e-9)) {
                return factor * power;
            }
        }
        return 10 * power;
    }
}
