package dev.spillway.simulation.lab;

import java.util.List;
import java.util.Locale;

/** Outcomes as one table of text. */
final class Table {
    private Table() {}

    record Row(String name, Outcome outcome) {}

    static String of(List<Row> rows) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%-24s %7s %8s %7s %8s %7s %8s %8s %8s %7s %6s %8s%n",
                "policy",
                "calls",
                "gateway",
                "%",
                "mean s",
                "p95 s",
                "max s",
                "refused",
                "degraded",
                "hours",
                "x",
                "dollars"));
        for (Row row : rows) {
            Outcome one = row.outcome();
            text.append(String.format(
                    Locale.ROOT,
                    "%-24s %7d %8d %7.2f %8.2f %7.1f %8.1f %8d %8d %7.2f %6.3f %8.2f%n",
                    row.name(),
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
                    one.costUsd()));
        }
        return text.toString();
    }
}
