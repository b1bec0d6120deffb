package dev.spillway.simulation.lab;

import dev.spillway.simulation.lab.CallTimes.CallTime;
import dev.spillway.simulation.lab.Outcome.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The comparison as one page that needs nothing else, no network either. */
final class ComparisonPage {
    private static final String STYLE = """
            :root{--ink:#1c2430;--soft:#5b6675;--line:#dfe4ea;--paper:#fff;--ours:#2f6fde;--theirs:#c2405b;--least:#2a9d63}
            @media(prefers-color-scheme:dark){:root{--ink:#e6ebf2;--soft:#9aa6b5;--line:#313a46;--paper:#141a22}}
            body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1060px;margin:2rem auto;padding:0 1rem}
            h1{font-size:1.5rem;margin:0 0 .2rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}.soft,small{color:var(--soft)}
            table{border-collapse:collapse;width:100%;font-size:.9rem}td,th{text-align:right;padding:.25rem .5rem;border-bottom:1px solid var(--line)}
            td:first-child,th:first-child{text-align:left;white-space:nowrap}th{vertical-align:bottom}dl{font-size:.9rem}dt{float:left;clear:left;width:13rem}dd{margin:0 0 .3rem 13rem}figure{margin:1.2rem 0}figcaption{font-weight:600}
            svg{width:100%;height:auto;font:11px system-ui,sans-serif}svg text{fill:var(--soft)}.grid{stroke:var(--line)}
            path{fill:none;stroke-width:1.4}.ours{stroke:var(--ours)}.least{stroke:var(--least)}.live{stroke:var(--least);opacity:.8}
            circle.ours,circle.tuned{fill:var(--ours);stroke:none}circle.theirs{fill:var(--theirs)}circle.tuned{opacity:.35}
            """;
    private static final int WIDTH = 900;
    private static final int LEFT = 50;
    private static final int BOTTOM = 24;

    private final StringBuilder html = new StringBuilder();
    private final CallTimes times;
    private final int limit;

    private ComparisonPage(CallTimes times, int limit) {
        this.times = times;
        this.limit = limit;
    }

    /**
     * @param tuned tunings of the usual rules on the same schedule
     * @param notes what the figures were made with
     */
    static String of(
            CallTimes times,
            Conditions conditions,
            List<Contender> contenders,
            List<Outcome> outcomes,
            List<Frontier.Point> tuned,
            String notes) {
        ComparisonPage page = new ComparisonPage(times, conditions.limit());
        page.head(notes);
        page.table(contenders, outcomes);
        page.scatter(contenders, outcomes, tuned);
        page.html.append(
                "<h2>Containers that take calls, over time</h2>\n<p class=\"soft\">Green: the least, live calls"
                        + " divided by the limit, rounded up. Until the last call ends.</p>\n");
        // One scale for all: the eye compares heights.
        int top = outcomes.stream().mapToInt(Outcome::peakContainers).max().orElse(1);
        for (int i = 0; i < contenders.size(); i++) {
            page.lines(contenders.get(i), outcomes.get(i), top);
        }
        return page.html.append("</body></html>\n").toString();
    }

    private void head(String notes) {
        html.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width\"><title>Policies on ")
                .append(escaped(times.name()))
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append("</style></head><body>\n<h1>Policies on ")
                .append(escaped(times.name()))
                .append("</h1>\n<p class=\"soft\">")
                .append(escaped(times.question()))
                .append("</p>\n<p>")
                .append(escaped(notes))
                .append("</p>\n");
    }

    private void table(List<Contender> contenders, List<Outcome> outcomes) {
        html.append("<table><tr><th>policy<th>calls<th>gateway<th>%<th>mean s<th>p95 s<th>max s<th>refused<th>degraded"
                + "<th>hours<th>x least<th>peak<th>dollars</tr>\n");
        for (int i = 0; i < contenders.size(); i++) {
            Outcome one = outcomes.get(i);
            html.append(String.format(
                    Locale.ROOT,
                    "<tr title=\"%s\"><td>%s<td>%d<td>%d<td>%.2f<td>%.2f<td>%.1f<td>%.1f<td>%d<td>%d<td>%.2f<td>%.3f<td>%d"
                            + "<td>%.2f</tr>%n",
                    escaped(contenders.get(i).about()),
                    escaped(contenders.get(i).name()),
                    one.calls(),
                    one.touchedGateway(),
                    100 * one.touchedShare(),
                    one.gatewaySeconds().mean(),
                    one.gatewaySeconds().p95(),
                    one.gatewaySeconds().max(),
                    one.refused(),
                    one.degraded(),
                    one.containerHours(),
                    one.ratio(),
                    one.peakContainers(),
                    one.costUsd()));
        }
        html.append("</table>\n<dl>\n");
        for (Contender contender : contenders) {
            html.append("<dt><b>")
                    .append(escaped(contender.name()))
                    .append("</b><dd class=\"soft\">")
                    .append(escaped(contender.about()))
                    .append("\n");
        }
        html.append("</dl>\n");
    }

    private void scatter(List<Contender> contenders, List<Outcome> outcomes, List<Frontier.Point> tuned) {
        double right = 4;
        double top = 10;
        int height = 340;
        html.append(
                        "<h2>Cost against the gateway</h2>\n<figure><figcaption>Container hours over the least (across), calls that")
                .append(" touched the gateway in % (up)</figcaption>\n");
        open(height);
        for (int i = 0; i <= 6; i++) {
            double x = 1 + (right - 1) * i / 6;
            double px = LEFT + (WIDTH - LEFT - 10) * (x - 1) / (right - 1);
            html.append(String.format(
                    Locale.ROOT,
                    "<line class=\"grid\" x1=\"%.1f\" y1=\"10\" x2=\"%.1f\" y2=\"%d\"/><text x=\"%.1f\" y=\"%d\""
                            + " text-anchor=\"middle\">%.1f</text>%n",
                    px,
                    px,
                    height - BOTTOM,
                    px,
                    height - 8,
                    x));
        }
        for (int i = 0; i <= 5; i++) {
            horizontal(top * i / 5, top, height);
        }
        for (Frontier.Point point : tuned) {
            dot("tuned", 3, across(point.ratio(), right), up(100 * point.touched(), top, height), point.name());
        }
        DotLabels labels = new DotLabels(WIDTH - 10);
        for (int i = 0; i < contenders.size(); i++) {
            boolean ours = contenders.get(i) instanceof Contender.Rules;
            Outcome one = outcomes.get(i);
            double px = across(one.ratio(), right);
            double py = up(100 * one.touchedShare(), top, height);
            String name = contenders.get(i).name();
            dot(
                    ours ? "ours" : "theirs",
                    5,
                    px,
                    py,
                    String.format(Locale.ROOT, "%s: %.3f, %.2f %%", name, one.ratio(), 100 * one.touchedShare()));
            labels.add(px, py, name);
        }
        for (DotLabels.Label label : labels.placed()) {
            html.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
                    label.x(),
                    label.y(),
                    label.isLeft() ? "end" : "start",
                    escaped(label.text())));
        }
        html.append(
                "</svg>\n<p class=\"soft\">Blue: this project's rules, pale ones with other figures than the usual. Red: rivals."
                        + " What lies outside is drawn at the edge. CPU tracking has no gateway: its callers share containers that"
                        + " are too full, see the table.</p></figure>\n");
    }

    private static double across(double x, double right) {
        return LEFT + (WIDTH - LEFT - 10) * (Math.clamp(x, 1, right) - 1) / (right - 1);
    }

    private static double up(double y, double top, int height) {
        return 10 + (height - BOTTOM - 10) * (1 - Math.clamp(y, 0, top) / top);
    }

    private void dot(String style, int radius, double px, double py, String title) {
        html.append(String.format(
                Locale.ROOT,
                "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>%s</title></circle>%n",
                style,
                px,
                py,
                radius,
                escaped(title)));
    }

    private void lines(Contender contender, Outcome outcome, int peak) {
        List<double[]> least = least();
        List<double[]> ready = new ArrayList<>();
        ready.add(new double[] {0, 0});
        double last = -1;
        for (Event event : outcome.timeline()) {
            if (event.containers() != last && event.atSeconds() <= times.lastEndMillis() / 1000.0) {
                ready.add(new double[] {event.atSeconds(), event.containers()});
                last = event.containers();
            }
        }
        double end = Math.max(times.lastEndMillis() / 1000.0, 1);
        ready.add(new double[] {end, Math.max(last, 0)});
        double top = Math.max(1, Math.max(highest(least), peak));
        int height = 130;
        html.append("<figure><figcaption>").append(escaped(contender.name())).append("</figcaption>\n");
        open(height);
        horizontal(0, top, height);
        horizontal(top, top, height);
        for (int hour = 0; hour * 3600 <= end; hour += Math.max(1, (int) Math.ceil(end / 3600 / 12))) {
            double x = LEFT + (WIDTH - LEFT - 10) * hour * 3600 / end;
            html.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d h</text>%n",
                    x,
                    height - 8,
                    hour));
        }
        steps("live", least, end, top, height);
        steps("ours", ready, end, top, height);
        html.append("</svg></figure>\n");
    }

    private List<double[]> least() {
        long[] starts =
                times.arrivals().stream().mapToLong(CallTime::atMillis).sorted().toArray();
        long[] ends = times.arrivals().stream()
                .mapToLong(CallTime::endMillis)
                .sorted()
                .toArray();
        List<double[]> points = new ArrayList<>();
        points.add(new double[] {0, 0});
        int begun = 0;
        int live = 0;
        for (int ended = 0; ended < ends.length; ) {
            boolean begins = begun < starts.length && starts[begun] < ends[ended];
            double now = (begins ? starts[begun++] : ends[ended++]) / 1000.0;
            int before = Math.ceilDiv(live, limit);
            live += begins ? 1 : -1;
            if (Math.ceilDiv(live, limit) != before) {
                points.add(new double[] {now, Math.ceilDiv(live, limit)});
            }
        }
        return points;
    }

    private static double highest(List<double[]> points) {
        return points.stream().mapToDouble(point -> point[1]).max().orElse(0);
    }

    private void steps(String style, List<double[]> points, double end, double top, int height) {
        StringBuilder path = new StringBuilder();
        for (double[] point : points) {
            double x = LEFT + (WIDTH - LEFT - 10) * Math.min(point[0], end) / end;
            double y = 10 + (height - BOTTOM - 10) * (1 - point[1] / top);
            path.append(String.format(Locale.ROOT, path.isEmpty() ? "M%.1f %.1f" : "H%.1fV%.1f", x, y));
        }
        html.append("<path class=\"")
                .append(style)
                .append("\" d=\"")
                .append(path)
                .append("\"/>\n");
    }

    private void open(int height) {
        html.append("<svg viewBox=\"0 0 ")
                .append(WIDTH)
                .append(' ')
                .append(height)
                .append("\" role=\"img\">\n");
    }

    private void horizontal(double value, double top, int height) {
        double y = 10 + (height - BOTTOM - 10) * (1 - value / top);
        html.append(String.format(
                Locale.ROOT,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\""
                        + " text-anchor=\"end\">%.0f</text>%n",
                LEFT,
                y,
                WIDTH - 10,
                y,
                LEFT - 6,
                y + 4,
                value));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
